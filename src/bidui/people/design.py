"""The design of a study: what people are asked, how many of them, by which rules, and how large that makes it.

A `Design` is fixed before anybody answers. `PRESETS` holds those of the three papers and our own; `estimate` says what
a design costs and how narrow its intervals will be.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from math import ceil, comb
from typing import Any, Literal, get_args

from bidui.errors import Place, fail
from bidui.files import Json, json_text, sha256
from bidui.intervals import wilson
from bidui.words import COLUMNS, Language, texts

Task = Literal["choice", "rating"]  # which of two sentences sounds more natural; how natural one sentence sounds
Kind = Literal["test", "catch", "practice", "filler"]
Layout = Literal["rows", "columns"]  # the two sentences below or beside each other
Question = Literal["raised", "dialect", "age", "linguistics"]
QUESTIONS: tuple[Question, ...] = get_args(Question)
SCALE = 7  # points of a rating, 1 is worst
# SLING's 634 pairs took 1.5 to 2 hours (8.5 to 11 s each), the 114 of its second round less than 10 minutes.
SECONDS: Mapping[Task, float] = {"choice": 8.0, "rating": 5.0}


@dataclass(frozen=True, slots=True)
class Rules:
    """Who and what is left out, and which paradigms are; fixed beforehand, and recorded with the study.

    By default, only people who did not finish or failed a catch trial are left out.
    """

    catch_failures: int = 0  # wrong or skipped catch trials allowed
    floor_ms: int = 0  # answers that took less are left out
    fast_share: float = 1.0  # people with a larger share of such answers are left out
    side_bias: float = 0.0  # people whose choices lean to one side with a p below this (exact binomial) are left out
    filler_accuracy: float = 0.0  # people with a smaller share of fillers right are left out
    least_share: float = 1.0  # people who answered a smaller share of their trials (without practice) are left out
    threshold: float = 0.85  # agreement below which a paradigm is excluded, as in CLiMP

    def __post_init__(self) -> None:
        for name, low, high in (
            ("catch_failures", 0, 1000),
            ("floor_ms", 0, 600_000),
            ("fast_share", 0, 1),
            ("side_bias", 0, 1),
            ("filler_accuracy", 0, 1),
            ("least_share", 0, 1),
        ):
            _check(name, getattr(self, name), low, high)
        check_threshold(self.threshold)


def check_threshold(value: float) -> None:
    """Refuse an agreement that no interval can lie below or above."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise fail("design-value", None, {"name": "threshold", "value": value, "allowed": "0–1"})


@dataclass(frozen=True, slots=True)
class Design:
    """How a study is made up; everything else follows from it, the pairs and the seed.

    Every choice list shows pairs to `raters` people, every rating list single sentences; a pair's two sentences are
    never rated by the same person, so each sentence gets half of the ratings.
    """

    name: str = "custom"
    per_paradigm: int = 5  # pairs of each paradigm, spread over its variants
    lists: int = 1  # of choices
    rating_lists: int = 0
    raters: int = 5  # per list
    most_per_paradigm: int = 1  # items of a paradigm for one person
    list_per_paradigm: bool = False  # one list per paradigm, whatever `lists` says
    catch: int = 0  # per list, as are the next two
    practice: int = 0
    fillers: int = 0
    language: str = ""  # of the sentences; when a study is drawn, "" becomes that of the project, or else zh
    layout: Layout = "rows"
    background: tuple[Question, ...] = ()  # questions that a participant may skip
    rules: Rules = field(default_factory=Rules)
    patience: int = 7200  # seconds after which the slot of somebody who has left is given out again
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low, high in (
            ("per_paradigm", 1, 10_000),
            ("lists", 0, 10_000),
            ("rating_lists", 0, 10_000),
            ("raters", 1, 10_000),
            ("most_per_paradigm", 1, 10_000),
            ("catch", 0, 1000),
            ("practice", 0, 1000),
            ("fillers", 0, 1000),
            ("patience", 60, 10_000_000),
            ("seed", 0, 2**63 - 1),
        ):
            _check(name, getattr(self, name), low, high)
        if not self.lists and not self.rating_lists and not self.list_per_paradigm:
            raise fail("design-no-lists")
        if self.layout not in get_args(Layout):
            raise fail("design-value", None, {"name": "layout", "value": self.layout, "allowed": get_args(Layout)})
        if unknown := [name for name in self.background if name not in QUESTIONS]:
            raise fail("design-value", None, {"name": "background", "value": unknown, "allowed": QUESTIONS})
        if self.catch and self.rules.catch_failures >= self.catch:
            allowed = f"0–{self.catch - 1}"
            values = {"name": "catch_failures", "value": self.rules.catch_failures, "allowed": allowed}
            raise fail("design-value", None, values)

    def list_counts(self, paradigms: int) -> dict[Task, int]:
        """Return how many lists of each task there are for so many paradigms."""
        return {"choice": paradigms if self.list_per_paradigm else self.lists, "rating": self.rating_lists}


def _check(name: str, value: Any, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise fail("design-value", None, {"name": name, "value": value, "allowed": f"{low:g}–{high:g}"})


def design_record(design: Design) -> dict[str, Json]:
    """Return a design as JSON stores it, in `study.json` or in a database."""
    record: dict[str, Json] = asdict(design)
    return {**record, "background": list(design.background)}


def design_of(record: object, *, place: Place | None = None) -> Design:
    """Return the design that JSON says; what is missing has its default, and an unknown name is an error."""
    place = place or Place()
    if not isinstance(record, dict):
        raise fail("design-shape", place)
    values: dict[str, Any] = {**record, "rules": _rules(record.get("rules", {}), place)}
    _known(values, Design, place)
    values["background"] = tuple(values.get("background", ()))
    return Design(**values)


def _rules(record: object, place: Place) -> Rules:
    if not isinstance(record, dict):
        raise fail("design-shape", place)
    _known(record, Rules, place)
    return Rules(**record)


def _known(record: Mapping[str, object], shape: type[Design] | type[Rules], place: Place) -> None:
    names = [each.name for each in fields(shape)]
    if unknown := [name for name in record if name not in names]:
        raise fail("design-unknown", place, {"names": unknown, "known": names})


# Presets: the designs of the three papers, and our own


PRESETS: Mapping[str, Design] = {
    # Liu et al., section 2.3: 645 pairs in 10 lists, two catch trials that must both be right; in what they
    # published, a paradigm with 16 of 22 judgements right is kept and one with 15 is not
    "zhoblimp": Design("zhoblimp", per_paradigm=5, lists=10, raters=5, catch=2, rules=Rules(threshold=0.7)),
    # Song et al., section 3.5: everybody saw all 600 pairs of 30 paradigms
    "sling": Design("sling", per_paradigm=20, lists=1, raters=11, most_per_paradigm=20, practice=10, fillers=24),
    # Xiang et al., section 3.4, second round: 240 pairs judged by 16 people, majority vote
    "climp": Design("climp", per_paradigm=15, lists=1, raters=16, most_per_paradigm=15),
    # their first round: 100 pairs of one paradigm for each annotator
    "climp-first": Design("climp-first", per_paradigm=100, raters=1, most_per_paradigm=100, list_per_paradigm=True),
    # Choices and ratings of single sentences by different people, and checks that a guesser does not pass
    "bidui": Design(
        "bidui",
        per_paradigm=20,
        lists=20,
        rating_lists=20,
        raters=6,
        catch=8,
        practice=4,
        background=QUESTIONS,
        rules=Rules(catch_failures=1, floor_ms=600, fast_share=0.1, side_bias=0.001, least_share=0.9),
    ),
}


def preset(name: str) -> Design:
    """Return a preset by its name."""
    if name not in PRESETS:
        raise fail("design-preset", None, {"name": name, "known": list(PRESETS)})
    return PRESETS[name]


# Size: what a design asks of people, and what it can show


@dataclass(frozen=True, slots=True)
class Size:
    """What a design costs, and how sure its figures will be at an assumed agreement with the gold labels."""

    people: int
    trials: int  # of the longest list, with practice, catch trials and fillers
    minutes: float  # for that list
    judgements: int  # choices between the sentences of test pairs
    per_paradigm: int  # of these
    ratings: int  # of single sentences
    agreement: float  # the assumed one
    half_width: float  # of Wilson's interval for a paradigm, if all judgements were independent; NaN without choices
    half_width_pairs: float  # the same if all raters of a pair agreed, so that only pairs count
    guesser: float  # the probability that somebody who guesses passes the catch trials

    def text(self, language: Language = "en") -> str:
        """Say it in one paragraph."""
        say = texts("study", language)
        minutes = f"{max(1.0, self.minutes):.0f}"
        lines = [say["size-people"].format(people=self.people, minutes=minutes, trials=self.trials)]
        if self.judgements:
            widths = {"half": f"{100 * self.half_width:.1f}", "pairs": f"{100 * self.half_width_pairs:.1f}"}
            counts = {"judgements": f"{self.judgements:,}", "per_paradigm": self.per_paradigm}
            lines.append(say["size-judgements"].format(agreement=f"{100 * self.agreement:g}", **counts, **widths))
        if self.ratings:
            lines.append(say["size-ratings"].format(ratings=f"{self.ratings:,}"))
        guesser = "size-guesser" if self.guesser < 1 else "size-unchecked"
        lines.append(say[guesser].format(percent=f"{100 * self.guesser:.1f}"))
        return "\n".join(lines)


def estimate(
    design: Design,
    *,
    paradigms: int,
    agreement: float = 0.9,
    seconds: Mapping[Task, float] = SECONDS,
) -> Size:
    """Return the size of a study with so many paradigms, if people agree with the gold labels this often.

    The true interval lies between the two half-widths: answers to one pair are alike, but not the same.
    """
    if paradigms < 1:
        raise fail("design-value", None, {"name": "paradigms", "value": paradigms, "allowed": "1–"})
    _check("agreement", agreement, 0, 1)
    pairs, lists = design.per_paradigm * paradigms, design.list_counts(paradigms)
    others = design.catch + design.practice + design.fillers
    trials = {task: ceil(pairs / count) + others for task, count in lists.items() if count}
    longest = max(trials, key=lambda task: trials[task] * seconds[task])
    choices = design.raters if lists["choice"] else 0
    whole, single = (wilson(agreement, pairs=n) for n in (design.per_paradigm * max(1, choices), design.per_paradigm))
    return Size(
        people=sum(lists.values()) * design.raters,
        trials=trials[longest],
        minutes=trials[longest] * seconds[longest] / 60,
        judgements=pairs * choices,
        per_paradigm=design.per_paradigm * choices,
        ratings=pairs * design.raters if lists["rating"] else 0,
        agreement=agreement,
        half_width=(whole.high - whole.low) / 2,
        half_width_pairs=(single.high - single.low) / 2,
        guesser=pass_by_guessing(design.catch, allowed=design.rules.catch_failures),
    )


def pass_by_guessing(catch: int, *, allowed: int) -> float:
    """Return the probability of at most so many wrong answers to catch trials if each is right half of the time."""
    return float(sum(comb(catch, wrong) for wrong in range(min(allowed, catch) + 1)) / 2**catch)


# Texts: what participants read, pinned by a study in both languages

Texts = Mapping[str, Mapping[Language, str]]
SHOWN = "text-"  # the keys of texts that participants read; the others are ours


def standard_texts() -> Texts:
    """Return the texts that a study shows unless it has its own: consent, instructions, questions."""
    tables = {language: texts("study", language) for language in COLUMNS}
    keys = [key for key in tables["en"] if key.startswith(SHOWN)]
    return {key.removeprefix(SHOWN): {language: table[key] for language, table in tables.items()} for key in keys}


def own_texts(given: Mapping[str, Mapping[Language, str]]) -> Texts:
    """Return the standard texts with some replaced; an unknown key is an error.

    A text that is given in one language replaces both: nobody should consent to another text than was approved.
    """
    standard = standard_texts()
    if unknown := [key for key in given if key not in standard]:
        raise fail("study-text-unknown", None, {"keys": unknown, "known": list(standard)})
    replaced = {key: own for key, own in given.items() if own}
    return {
        key: {language: replaced[key].get(language) or next(iter(replaced[key].values())) for language in own}
        if key in replaced
        else own
        for key, own in standard.items()
    }


def texts_version(shown: Texts) -> str:
    """Return the version of the texts: it changes with every character, so that consent can be traced."""
    return sha256(json_text({key: dict(sorted(own.items())) for key, own in sorted(shown.items())}).encode())[:12]
