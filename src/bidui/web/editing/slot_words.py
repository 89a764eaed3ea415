"""The words of each slot: how many fit its rule alone, how many have partners in all linked slots, and what is to
blame where none is left."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from operator import or_

from bidui.errors import InputError, Place
from bidui.grammar.enumeration import choices_of
from bidui.grammar.expansion import MAX_NESTING
from bidui.grammar.frames import make_frame
from bidui.grammar.network import Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.rule_parser import parse_rule
from bidui.grammar.rules import Lexical, Match, Rule, Words
from bidui.grammar.supports import bits_of
from bidui.grammar.tree import Leaf, Node
from bidui.web.editing.fitting import Fitting
from bidui.web.editing.paradigm_rows import ParadigmRows

_Allowed = tuple[int, tuple[str, ...]]  # rows of the lexicon, and words written in a rule
MAX_FRAMES = 200  # choices of alternatives that are looked at


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A condition or link of a rule: how many words it allows by itself, and how many the rule would without it."""

    text: str
    alone: int
    without: int


@dataclass(frozen=True, slots=True)
class SlotWords:
    """What may fill a slot in one wording; of a phrase, its head.

    `joint` are the words that go with some word of every linked slot; None where the paradigm is not finished.
    """

    slot: str
    wording: int
    alone: int
    joint: int | None = None
    examples: tuple[str, ...] = ()
    narrowings: tuple[Narrowing, ...] = ()  # where no word is left


def slot_words(
    rows: ParadigmRows,
    *,
    fitting: Fitting,
    paradigm: Paradigm | None = None,
    networks: Sequence[Network] = (),
    examples: int = 8,
) -> tuple[SlotWords, ...]:
    """The words of every slot of every wording, shared slots in each; `networks` are those of the whole paradigm.

    Of a slot whose rule says nothing that can be read yet, nothing is said.
    """
    joint = joint_words(paradigm, networks) if paradigm and networks else {}
    found = []
    for number, wording in enumerate(rows.wordings):
        rules = {name: row.rule for name, row in rows.in_scope(wording).items()}
        for name, rule in rules.items():
            alone = _forms(rule, fitting)
            if alone is None:
                continue
            words = joint.get((number, name))
            left = list(words) if words is not None else alone
            if words is None and joint:
                continue  # shared, and not used in this wording
            narrowings = () if left else tuple(_narrowings(rule, rules, fitting))
            count = None if words is None else len(words)
            found.append(SlotWords(name, number, len(alone), count, tuple(left[:examples]), narrowings))
    return tuple(found)


def joint_words(paradigm: Paradigm, networks: Sequence[Network]) -> dict[tuple[int, str], dict[str, None]]:
    """For each wording and slot, the words that have partners everywhere, under some choice of alternatives."""
    found: dict[tuple[int, str], dict[str, None]] = {}
    numbers = [n for n, variant in enumerate(paradigm.variants) for _ in range(1 + variant.crossed)]
    for number, network in zip(numbers, networks, strict=True):
        nodes = network.tree.scope.nodes
        heads = {leaf.index: slot for slot, node in nodes.items() for leaf in _heads(node)}
        for slot in nodes:
            found.setdefault((number, slot), {})
        groups: dict[int, int] = {}
        for choices in islice(choices_of(network), MAX_FRAMES):
            frame = make_frame(network, choices)
            if all(frame.start):
                for column, mask in zip(frame.columns, frame.start, strict=False):
                    groups[column.leaf.index] = groups.get(column.leaf.index, 0) | mask
        for leaf, mask in sorted(groups.items()):
            if leaf in heads:
                domain = network.columns[leaf].domain
                values = sorted(value for group in bits_of(mask) for value in domain.groups[group])
                found[number, heads[leaf]].update(dict.fromkeys(domain.shown[value] for value in values))
    return found


def _heads(node: Node) -> Iterator[Leaf]:
    """The words that stand for a slot: itself, the head of its phrase, or all parts of a phrase without one."""
    for option in node.options:
        if option.leaf:
            yield option.leaf
        elif "" in option.parts:
            yield from _heads(option.parts[""])
        elif option.head:
            yield from _heads(option.parts[option.head])
        else:
            for part in option.parts.values():
                yield from _heads(part)


def _parsed(rule: str) -> Rule | None:
    try:
        return parse_rule(rule, Place())
    except InputError:
        return None


def _forms(rule: str, fitting: Fitting) -> list[str] | None:
    """The different words that fit a rule, those it writes out among them; None where it narrows nothing yet."""
    parsed = _parsed(rule)
    bits, written = (fitting.rule(rule), ()) if parsed is None else _allowed(parsed, fitting, {})
    if not rule.strip() or (parsed is None and bits == fitting.everything):
        return None
    return list(dict.fromkeys((*written, *(word.form for word in fitting.lexicon.rows(bits)))))


def _allowed(rule: Rule, fitting: Fitting, heads: dict[str, _Allowed], depth: int = 0) -> _Allowed:
    """The rows that fit a rule, and the words that it writes out; of phrases the heads, as in `_heads`."""
    bits = 0
    written: list[str] = []
    for alternative in rule.alternatives:
        body = alternative.rule
        if isinstance(body, Words):
            written += body.words
        elif isinstance(body, Lexical):
            bits |= fitting.meeting(body.conditions)
        elif body.name in fitting.phrases and depth < MAX_NESTING:
            rows, words = _phrase(body.name, fitting, heads, depth)
            names = {"head", *(option.head for option in fitting.phrases[body.name].alternatives)}
            more = [condition for part, extra in body.overrides if part in names for condition in extra.conditions]
            bits |= rows & fitting.meeting(more)
            written += words
    return bits, tuple(written)


def _phrase(name: str, fitting: Fitting, heads: dict[str, _Allowed], depth: int) -> _Allowed:
    """The same for a phrase, worked out once; inside itself it adds nothing."""
    if name not in heads:
        heads[name] = (0, ())
        parts = [
            option.parts[part].rule
            for option in fitting.phrases[name].alternatives
            for part in ((option.head,) if option.head else option.parts)
        ]
        found = [_allowed(part, fitting, heads, depth + 1) for part in parts]
        words = dict.fromkeys(word for _, written in found for word in written)
        heads[name] = (reduce(or_, (bits for bits, _ in found), 0), tuple(words))
    return heads[name]


def _narrowings(rule: str, rules: Mapping[str, str], fitting: Fitting) -> Iterator[Narrowing]:
    parsed = _parsed(rule)
    lexicon = fitting.lexicon
    for alternative in parsed.alternatives if parsed else ():
        body = alternative.rule
        if not isinstance(body, Lexical):
            continue
        known = fitting.known(body.conditions)
        for condition in known:
            others = [other for other in known if other is not condition]
            yield Narrowing(str(condition), lexicon.bits([condition]).bit_count(), lexicon.bits(others).bit_count())
        words = lexicon.bits(known)
        for match in body.matches:
            left = _partnered(match, words, rules, fitting)
            yield Narrowing(str(match), left, words.bit_count())


def _partnered(match: Match, words: int, rules: Mapping[str, str], fitting: Fitting) -> int:
    """How many words have a partner under a match, for the property that leaves the fewest."""
    target = fitting.seen(fitting.rule(rules.get(match.target.slot, ""), match.target.path))
    known = [p for p in match.properties if fitting.lexicon.has_feature(p.mine)]
    counts = [fitting.partners(words, p.mine, target.get(p.theirs, set()), same=match.same) for p in known]
    return min(counts, default=0)
