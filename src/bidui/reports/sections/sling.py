"""SLING's statistics: paradigms read against their baselines, and paradigms with and without distractors."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.estimate import summarise
from bidui.analysis.people import judged_accuracy
from bidui.analysis.significance import SLING_BASELINES, bias, correct, read_against, signed_rank
from bidui.reports.figures import Drawing, accuracy_by_phenomenon
from bidui.reports.published import all_published
from bidui.reports.results import ScoredModel
from bidui.reports.section import Item, Rows, Settings, absent, file_name, pictures
from bidui.reports.tables import Column
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
    uids = {uid for own in found.values() for uid in own}
    if not uids or not uids <= printed.keys() | BASELINES:
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
            title = settings.say("figure-sling").format(phenomenon=name, link=settings.main)
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
    """Return one row per contrast: what describes both paradigms over the models, and the signed-rank tests."""
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
    rows: Rows = []
    tests = []
    for (first, second), pairs in values.items():
        if len(pairs) < FEWEST:
            continue
        x, y = zip(*pairs, strict=True)
        tests.append([signed_rank(x, y, alternative=side, digits=9).p for side in ("two-sided", "greater", "less")])
        numbers = [
            (one.minimum, one.median, one.mean, one.maximum, one.deviation) for one in (summarise(x), summarise(y))
        ]
        rows.append((first, second, len(pairs), *numbers[0], *numbers[1]))
    corrected = correct([both for both, _, _ in tests], by="holm")
    rows = [
        (*row, both, holm, greater, less)
        for row, (both, greater, less), holm in zip(rows, tests, corrected, strict=True)
    ]
    columns = (
        *settings.columns("first second models:count=models-count"),
        *(
            Column(f"{number}_{side}", f"{say(f'stat-{number}')} {which}", "percent")
            for which, side in enumerate(("first", "second"), 1)
            for number in ("min", "median", "mean", "max", "sd")
        ),
        *settings.columns("p:p=p-two-sided p_holm:p p_greater:p=p-first-better p_less:p=p-second-better"),
    )
    return settings.table("contrasts", columns, rows, title=title, note=say("note-contrasts"))
