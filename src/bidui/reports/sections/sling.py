"""SLING's statistics: paradigms read against their baselines, and paradigms with and without distractors."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.estimate import Summary, summarise
from bidui.analysis.people import judged_accuracy
from bidui.analysis.significance import SLING_BASELINES, bias, correct, read_against, signed_rank
from bidui.reports.figures import Drawing, accuracy_by_phenomenon
from bidui.reports.published import all_published, read_published
from bidui.reports.results import ScoredModel
from bidui.reports.section import Item, Rows, Settings, absent, file_name, joined, pictures
from bidui.reports.tables import Column, Value
from bidui.scores.choices import BASELINES, PairTotals, choose_from

FEWEST = 5  # models; with fewer, the test over them can find nothing: p is at least 2 / 2^5
CONTRASTS = (  # Tables 10 to 12
    ("self_male", "pp_male"),
    ("self_female", "pp_female"),
    ("cl_simple_noun", "cl_adj_simple_noun"),
    ("cl_comp_noun_v2", "cl_adj_comp_noun_v2"),
    ("cl_simple_noun", "cl_comp_noun_v2"),
    ("cl_adj_simple_noun", "cl_adj_comp_noun_v2"),
)
PRINTED, PRINTED_MODELS = ("sling-10", "sling-11", "sling-12"), 18
NUMBERS = ("min", "median", "mean", "max", "sd")  # of a paradigm over models


def sling_section(models: Sequence[ScoredModel], settings: Settings) -> Iterator[Item]:
    """Yield biases and gains by model, and the contrasts over models."""
    needs_unigrams = settings.main_link.needs_unigrams
    usable = [model for model in models if model.totals.unigram is not None or not needs_unigrams]
    yield _biases(usable, settings)
    yield from _figures(usable, settings)
    yield _readings(usable, settings)
    yield _contrasts(usable, settings)


def _paradigms(totals: PairTotals | None, settings: Settings) -> Mapping[str, Accuracy]:
    """Return the accuracies of paradigms by the main linking function; empty where there are no pairs."""
    if totals is None or not len(totals):
        return {}
    return accuracy(choose_from(totals, settings.main_link), by="paradigm")


def _figures(models: Sequence[ScoredModel], settings: Settings) -> Iterator[Item]:
    """Draw the paradigms of each phenomenon for all models, with their baselines (SLING, Figures 8 to 33)."""
    printed = next(table for table in all_published() if table.name == "sling-8").phenomena
    found = {
        model.name: {**_paradigms(model.totals, settings), **_paradigms(model.baselines, settings)} for model in models
    }
    # the release also has files of a later paper, and of paradigms that others have replaced
    uids = {uid for own in found.values() for uid in own} & (printed.keys() | BASELINES)
    if not uids:
        return
    groups: dict[str, list[str]] = {}
    for uid, name in printed.items():
        baseline = SLING_BASELINES.get(uid)
        members = groups.setdefault(name, [])
        members += [one for one in (baseline, uid) if one in uids and one not in members]
    benchmark = settings.benchmark(uids - BASELINES)
    people = judged_accuracy(benchmark.people, {uid: uid for uid in uids}, interval="pairs") if benchmark else {}
    humans = settings.say("people-head")

    def draw(members: Sequence[str], some: Mapping[str, Mapping[str, Accuracy]]) -> Drawing:
        values = {name: {uid: own[uid].estimate for uid in members if uid in own} for name, own in some.items()}
        judged = {uid: people[uid] for uid in members if uid in people}
        return accuracy_by_phenomenon({**values, **({humans: judged} if judged else {})}, language=settings.language)

    for name, members in groups.items():
        if members:
            title = settings.say("figure-sling").format(phenomenon=settings.phenomenon(name), link=settings.main)
            note = settings.say("note-figure-sling")
            yield from pictures(f"sling-{file_name(name.lower())}", title, found, partial(draw, members), note=note)


def _biases(models: Sequence[ScoredModel], settings: Settings) -> Item:
    """Return one row per baseline and model."""
    title = settings.say("biases").format(link=settings.main)
    rows: Rows = []
    for model in models:
        for uid, chosen in _paradigms(model.baselines, settings).items():
            lean = bias(chosen)
            rows.append((uid, model.name, chosen.pairs, chosen, lean.estimate, lean.p))
    if not rows:
        return absent(title, "report-other-benchmark", {"benchmark": "SLING"})
    rows.sort(key=lambda row: str(row[0]))
    columns = "baseline model pairs:count chosen:percent bias:points p:p='p"
    return settings.table("biases", columns, rows, title=title, note=settings.say("note-biases"))


def _readings(models: Sequence[ScoredModel], settings: Settings) -> Item:
    """Return one row per test paradigm and model."""
    say = settings.say
    title = say("readings").format(link=settings.main)
    accuracies = [
        (model.name, _paradigms(model.totals, settings), _paradigms(model.baselines, settings)) for model in models
    ]
    rows: Rows = []
    for test, baseline in SLING_BASELINES.items():
        for name, tests, baselines in accuracies:
            if test in tests and baseline in baselines:
                one = read_against(tests[test], baselines[baseline])
                favoured = say("yes" if one.favoured else "no")
                rows.append((test, baseline, name, one.test.value, one.baseline.value, one.gain, favoured))
    if not rows:
        return absent(title, "report-other-benchmark", {"benchmark": "SLING"})
    columns = "paradigm baseline model accuracy:percent chosen:percent gain:points favoured"
    return settings.table("readings", columns, rows, title=title, note=say("note-readings"))


def _contrasts(models: Sequence[ScoredModel], settings: Settings) -> Item:
    """Return one row per contrast: what describes both paradigms over the models, and the signed-rank tests.

    Below each is what SLING prints (Tables 10 to 12).
    """
    say = settings.say
    title = say("contrasts").format(link=settings.main)
    by_model = [_paradigms(model.totals, settings) for model in models]
    values = {
        (first, second): [(own[first].value, own[second].value) for own in by_model if first in own and second in own]
        for first, second in CONTRASTS
    }
    most = max(len(pairs) for pairs in values.values())
    if not most:
        return absent(title, "report-other-benchmark", {"benchmark": "SLING"})
    if most < FEWEST:
        return absent(title, "report-few-models", {"needed": FEWEST, "count": most})
    there = {both: pairs for both, pairs in values.items() if len(pairs) >= FEWEST}
    tests = {both: _signed_ranks(pairs) for both, pairs in there.items()}
    corrected = correct([p for p, _, _ in tests.values()], by="holm")
    printed = _printed_contrasts() if settings.published else {}
    rows: Rows = []
    for (both, pairs), holm in zip(there.items(), corrected, strict=True):
        first, second = (summarise(values) for values in zip(*pairs, strict=True))
        two_sided, greater, less = tests[both]
        rows.append((*both, len(pairs), *_numbers(first), *_numbers(second), two_sided, holm, greater, less))
        if both in printed:
            rows.append((*(f"{uid} †" for uid in both), *printed[both]))
    columns = (
        *settings.columns("first second models:count=models-count"),
        *(
            Column(f"{number}_{side}", f"{say(f'stat-{number}')} {which}", "percent")
            for which, side in enumerate(("first", "second"), 1)
            for number in NUMBERS
        ),
        *settings.columns("p:p=p-two-sided p_holm:p p_greater:p=p-first-better p_less:p=p-second-better"),
    )
    note = joined(say("note-contrasts"), say("note-contrasts-printed") if printed else "")
    return settings.table("contrasts", columns, rows, title=title, note=note)


def _signed_ranks(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return p of the signed-rank test: two-sided, for the first being higher, and for the second."""
    x, y = zip(*pairs, strict=True)
    both, greater, less = (signed_rank(x, y, alternative=side, digits=9).p for side in ("two-sided", "greater", "less"))
    return both, greater, less


def _numbers(summary: Summary) -> tuple[float, ...]:
    return summary.minimum, summary.median, summary.mean, summary.maximum, summary.deviation


def _printed_contrasts() -> dict[tuple[str, str], tuple[Value, ...]]:
    """Return the contrasts as SLING prints them over its 18 models: the count, both paradigms, and p without Holm's."""
    cells = [cell for name in PRINTED for cell in read_published(name).cells]
    values = {(cell.name, cell.measure): cell.value / (100 if cell.unit == "%" else 1) for cell in cells}
    return {
        (first, second): (
            PRINTED_MODELS,
            *(values.get((uid, number)) for uid in (first, second) for number in NUMBERS),
            *(values.get((f"{first} / {second}", p)) for p in ("p_two_sided", "p_holm", "p_greater", "p_less")),
        )
        for first, second in CONTRASTS
    }
