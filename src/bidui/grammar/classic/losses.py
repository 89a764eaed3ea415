"""What an import leaves out on purpose: pairs that the original made and our stricter rules do not."""

from dataclasses import replace

from bidui.errors import Place, Problem
from bidui.grammar.paradigm import Paradigm


def loosened(paradigm: Paradigm) -> Paradigm:
    """The paradigm with the same word allowed in any two slots, as in the original.

    Its looser mismatch (another value, be it one that the word has too) cannot be said in our rules.
    """
    variants = tuple(replace(variant, repeat=(tuple(variant.slots),)) for variant in paradigm.variants)
    return replace(paradigm, variants=variants)


def lost_pairs(uid: str, *, ours: int, original: int, place: Place | None = None) -> Problem | None:
    """A warning that says how many of the original's pairs are left out, if any are."""
    if ours >= original:
        return None
    values = {"uid": uid, "lost": original - ours, "original": original, "ours": ours}
    return Problem("classic-pairs-lost", place or Place(), values, "warning")
