"""Seams: strings that may not arise where two slots meet."""

from collections.abc import Container, Sequence
from itertools import pairwise


def crosses(left: str, right: str, seam: str) -> bool:
    """Whether the seam arises across the boundary between two texts."""
    return any(left.endswith(seam[:cut]) and right.startswith(seam[cut:]) for cut in range(1, len(seam)))


def broken(texts: Sequence[str], seams: Sequence[str]) -> bool:
    """Whether some seam arises across one or more boundaries of these texts, joined."""
    line = "".join(texts)
    for seam in seams:
        start = line.find(seam)
        while start >= 0:
            end = start + len(seam)
            position = 0
            for text in texts:
                position += len(text)
                if start < position < end:
                    return True
            start = line.find(seam, start + 1)
    return False


Edges = tuple[Container[str], Container[str]]  # the characters an item may begin and end with


def possible(left: Edges, right: Edges, seams: Sequence[str]) -> list[str]:
    """The seams that could arise at all where two items meet.

    Quick, and never misses one: of a seam, only the two characters that meet are looked at.
    """
    return [seam for seam in seams if any(a in left[1] and b in right[0] for a, b in pairwise(seam))]
