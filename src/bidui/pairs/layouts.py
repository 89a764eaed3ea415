"""The layouts of released benchmarks: which columns hold the sentences, the paradigm and the phenomenon of a pair.

A layout is known by its columns. What no layout knows is read with the columns that the user names. Suites of
SyntaxGym have no columns: `suite_pairs` makes pairs of the conditions that their predictions compare.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bidui.errors import Place, Problem, fail
from bidui.pairs.pair import TAKEN, Pair, Pairs, Region, Side


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a release. Of the paradigm's, the phenomenon's and the number's, the first that is there counts.

    `mark` is a column that tells this layout from another with the same sentences. A layout without a name is BLiMP's,
    which is ours, or made of the columns that the user named.
    """

    name: str
    good: str
    bad: str
    uid: tuple[str, ...] = ("UID", "paradigm", "Paradigm")
    phenomenon: tuple[str, ...] = ("phenomenon",)
    number: tuple[str, ...] = ()
    mark: str = ""
    language: tuple[str, ...] = ()  # where one paradigm is there in many languages
    named: bool = False  # by the user
    kept: tuple[str, ...] = ()  # columns of the paradigm and phenomenon that the user named: they stay conditions, too


# One file of SLING has both Phenomenon, as its neighbours have it, and a phenomenon left from before.
_PHENOMENON = ("Phenomenon", "phenomenon", "linguistics_term", "linguistic_phenomenon")
BLIMP = Layout("", "sentence_good", "sentence_bad", phenomenon=_PHENOMENON, number=("pairID", "pair_ID"))
LAYOUTS = (
    replace(BLIMP, mark="UID"),
    replace(BLIMP, name="SLING", mark="pair_ID"),
    replace(BLIMP, name="BLiMP-NL", mark="linguistic_phenomenon"),
    BLIMP,  # TurBLiMP, too: its files are named after their paradigms
    Layout("JBLiMP", "good_sentence", "bad_sentence", number=("ID",)),
    Layout("RuBLiMP", "source_sentence", "target_sentence", uid=("paradigm", "PID", "UID")),
    Layout("MultiBLiMP", "sen", "wrong_sen", uid=("phenomenon",), language=("language", "lang")),
)


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns that the user named; those without a name are found by the layout."""

    good: str | None = None
    bad: str | None = None
    paradigm: str | None = None
    phenomenon: str | None = None

    def __post_init__(self) -> None:
        if (self.good is None) != (self.bad is None):
            raise fail("pairs-columns-half", Place(), {"given": self.good or self.bad})


def layout_of(fields: Sequence[str], *, columns: Columns, place: Place) -> Layout:
    """Return the layout of a record or a table with these fields; a column that the user named must be there."""
    for name in (columns.good, columns.bad, columns.paradigm, columns.phenomenon):
        if name is not None and name not in fields:
            raise fail("pairs-column-missing", place, {"column": name, "columns": tuple(fields)})
    if columns.good is not None and columns.bad is not None:
        layout = Layout("", columns.good, columns.bad, uid=BLIMP.uid, phenomenon=_PHENOMENON, named=True)
    else:
        known = (one for one in LAYOUTS if one.good in fields and (not one.mark or one.mark in fields))
        found = next(known, None)
        if found is None:
            raise fail("pairs-field-missing", place, {"field": BLIMP.good, "fields": tuple(fields)})
        layout = found
    if columns.paradigm is not None:
        layout = replace(layout, uid=(columns.paradigm,), language=(), named=True)
    if columns.phenomenon is not None:
        layout = replace(layout, phenomenon=(columns.phenomenon,), named=True)
    kept = (name for name in (columns.paradigm, columns.phenomenon) if name is not None and name not in TAKEN)
    return replace(layout, kept=tuple(kept))


def layout_note(layout: Layout, fields: Sequence[str], file: str) -> Problem | None:
    """Say which layout was recognised and which columns were read; nothing where it is ours or the user's own."""
    if not layout.name:
        return None
    values: dict[str, object] = {"layout": layout.name, "good": layout.good, "bad": layout.bad, "count": 1}
    uid = [next((name for name in names if name in fields), "") for names in (layout.language, layout.uid)]
    if not any(uid) or layout.name == "SLING":
        return Problem("pairs-layout-file", Place(file), values, "warning")
    return Problem("pairs-layout", Place(file), values | {"paradigm": " + ".join(filter(None, uid))}, "warning")


# SyntaxGym: a suite has items, an item has a sentence in each of several conditions, divided into regions; a prediction
# compares the surprisals of regions, such as (5;%match%) < (5;%mismatch%). Lower surprisal means more acceptable.


@dataclass(frozen=True, slots=True)
class Comparison:
    """A prediction that regions of `good` have a lower surprisal than regions of `bad`; no regions mean all."""

    good: str
    bad: str
    good_regions: tuple[int, ...]
    bad_regions: tuple[int, ...]


def is_suite(value: object) -> bool:
    """Return whether a JSON value is a suite of SyntaxGym."""
    return isinstance(value, dict) and isinstance(value.get("items"), list) and "predictions" in value


def suite_pairs(value: Mapping[str, Any], *, file: str, uid: str) -> Pairs:
    """Make pairs of a suite: one per item and comparison; a prediction is a paradigm, the suite is its phenomenon.

    A prediction must compare regions of one condition with regions of another, or join such comparisons with `&`. Other
    predictions, and items without one of the conditions, are left out, and the notes name them.
    """
    place = Place(file)
    try:
        suite = str((value.get("meta") or {}).get("name") or uid)
        names = {int(number): str(name) for number, name in (value.get("region_meta") or {}).items()}
        items = [_sentences(item) for item in value["items"]]
        formulas = [str(prediction["formula"]) for prediction in value["predictions"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise fail("suite-broken", place, {"reason": f"{type(error).__name__}: {error}"}) from None
    pairs: list[Pair] = []
    left_formulas: list[str] = []
    left_items: list[str] = []
    for number, formula in enumerate(formulas, start=1):
        own = f"{suite}_{number}" if len(formulas) > 1 else suite
        start = len(pairs)
        comparisons = comparisons_of(formula)
        if not comparisons:
            left_formulas.append(f"{number}: {formula}")
        for comparison in comparisons:
            for item, conditions in items:
                pair = _suite_pair(comparison, conditions, names, own, suite, len(pairs) - start)
                if pair:
                    pairs.append(pair)
                else:
                    left_items.append(f"{item} ({comparison.good}, {comparison.bad})")
    notes = [Problem("suite-layout", place, {"pairs": len(pairs), "predictions": len(formulas)}, "warning")]
    if left_formulas:
        notes.append(Problem("suite-predictions-left", place, {"formulas": left_formulas}, "warning"))
    if left_items:
        notes.append(Problem("suite-items-left", place, {"count": len(left_items), "items": left_items}, "warning"))
    return Pairs(tuple(pairs), notes=tuple(notes))


Spans = dict[int, tuple[int, int]]  # the characters of each region, by its number


def _sentences(item: Mapping[str, Any]) -> tuple[str, dict[str, tuple[str, Spans]]]:
    """Return the number of an item, and by condition its sentence and where its regions are."""
    conditions = {}
    for condition in item["conditions"]:
        text = ""
        spans: Spans = {}
        for region in condition["regions"]:
            content = str(region["content"]).strip()
            if content and text and not (_unspaced(text[-1]) and _unspaced(content[0])):
                text += " "
            spans[int(region["region_number"])] = (len(text), len(text) + len(content))
            text += content
        conditions[str(condition["condition_name"])] = (text, spans)
    return str(item["item_number"]), conditions


def _unspaced(character: str) -> bool:
    """Return whether a character belongs to Chinese or Japanese, which have no blanks between words."""
    return "\u3000" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"


def _suite_pair(
    comparison: Comparison,
    conditions: Mapping[str, tuple[str, Spans]],
    names: Mapping[int, str],
    uid: str,
    suite: str,
    number: int,
) -> Pair | None:
    """Return the pair of a comparison, with the compared regions marked; none if the item lacks what is compared."""
    if not {comparison.good, comparison.bad} <= conditions.keys():
        return None
    (good, good_spans), (bad, bad_spans) = conditions[comparison.good], conditions[comparison.bad]
    if not (good.strip() and bad.strip() and {*comparison.good_regions} <= good_spans.keys()):
        return None
    if not {*comparison.bad_regions} <= bad_spans.keys():
        return None
    sides: tuple[tuple[Side, tuple[int, ...], Spans], ...] = (
        ("good", comparison.good_regions, good_spans),
        ("bad", comparison.bad_regions, bad_spans),
    )
    regions = tuple(
        Region(side, *spans[one], names.get(one, str(one)), "predict")
        for side, chosen, spans in sides
        for one in chosen
    )
    variant = f"{comparison.good} < {comparison.bad}"
    return Pair(good, bad, uid, suite, number, variant=variant, regions=regions)


# Formulas: regions, numbers, + and -, then < and >, then & and |, with brackets of both kinds

Linear = dict[tuple[str, int] | None, float]  # by condition and region, 0 for all regions; without either, a number
Claims = list[Comparison | None]  # None is a claim that is not a comparison of two conditions
_REGION = r"\(\s*(\d+|\*)\s*;\s*%([^%]+)%\s*\)"


def comparisons_of(formula: str) -> list[Comparison]:
    """Return the comparisons of two conditions that a formula consists of; none if it says anything else."""
    tokens = [match[0] for match in re.finditer(rf"{_REGION}|[\d.]+|\S", formula)][::-1]
    try:
        claims = _joined(tokens)
    except (ValueError, IndexError):  # a sign that we do not know, or half a formula
        return []
    whole = not tokens and isinstance(claims, list)
    comparisons = [claim for claim in claims if isinstance(claim, Comparison)] if whole else []
    return comparisons if len(comparisons) == len(claims) else []


def _joined(tokens: list[str]) -> Linear | Claims:
    value = _compared(tokens)
    while tokens and tokens[-1] in "&|":
        sign = tokens.pop()
        other = _compared(tokens)
        if isinstance(value, dict) or isinstance(other, dict):
            raise ValueError(sign)
        value = [*value, *other] if sign == "&" else [None]
    return value


def _compared(tokens: list[str]) -> Linear | Claims:
    value = _sum(tokens)
    if not tokens or tokens[-1] not in "<>=":
        return value
    sign = tokens.pop()
    other = _sum(tokens)
    if isinstance(value, list) or isinstance(other, list):
        raise ValueError(sign)
    return [_comparison(value, other) if sign == "<" else _comparison(other, value) if sign == ">" else None]


def _sum(tokens: list[str]) -> Linear | Claims:
    value = _term(tokens)
    while tokens and tokens[-1] in "+-":
        sign = tokens.pop()
        value = _added(value, _term(tokens), sign=sign)
    return value


def _term(tokens: list[str]) -> Linear | Claims:
    token = tokens.pop()
    if token == "-":
        return _added({}, _term(tokens), sign="-")
    if token in "([":
        value = _joined(tokens)
        if tokens.pop() not in ")]":
            raise ValueError(token)
        return value
    if region := re.fullmatch(_REGION, token):
        return {(region[2], 0 if region[1] == "*" else int(region[1])): 1.0}
    return {None: float(token)}


def _added(value: Linear | Claims, other: Linear | Claims, *, sign: str) -> Linear:
    if isinstance(value, list) or isinstance(other, list):
        raise ValueError(sign)
    factor = -1.0 if sign == "-" else 1.0
    return {key: value.get(key, 0.0) + factor * other.get(key, 0.0) for key in {**value, **other}}


def _comparison(lower: Linear, higher: Linear) -> Comparison | None:
    """Return the comparison that says that one sum of surprisals is below another, if it is one of two conditions."""
    weights = {key: weight for key, weight in _added(lower, higher, sign="-").items() if weight}
    if None in weights or not set(weights.values()) <= {1.0, -1.0}:
        return None
    good = {key for key, weight in weights.items() if key and weight > 0}
    bad = {key for key, weight in weights.items() if key and weight < 0}
    conditions = {condition for condition, _ in good}, {condition for condition, _ in bad}
    if any(len(names) != 1 for names in conditions) or conditions[0] == conditions[1]:
        return None
    regions = [tuple(sorted(region for _, region in side if region)) for side in (good, bad)]
    return Comparison(conditions[0].pop(), conditions[1].pop(), *regions)
