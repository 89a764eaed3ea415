"""SLING's statistics: paradigms read against their baselines, and paradigms with and without what distracts."""

from collections.abc import Iterator, Mapping, Sequence

from bidui.analysis.accuracy import accuracy
from bidui.analysis.estimate import summarise
from bidui.analysis.significance import SLING_BASELINES, bias, correct, read_against, signed_rank
from bidui.reports.results import ScoredModel
from bidui.reports.section import Asked, Item, Section, absent
from bidui.reports.tables import Column, Table, Value
from bidui.scores.choices import choose_from
from bidui.scores.links import parse_link

FEWEST = 5  # models, below which the test over them can find nothing: p is at least 2 / 2^5
CONTRASTS = (  # Tables 10 to 12
    ("self_male", "pp_male"),
    ("self_female", "pp_female"),
    ("cl_simple_noun", "cl_adj_simple_noun"),
    ("cl_comp_noun_v2", "cl_adj_comp_noun_v2"),
    ("cl_simple_noun", "cl_comp_noun_v2"),
    ("cl_adj_simple_noun", "cl_adj_comp_noun_v2"),
)

Values = Mapping[str, Mapping[str, float]]  # by paradigm and model


def sling_section(models: Sequence[ScoredModel], asked: Asked) -> Section:
    """Biases and gains by model, and the contrasts over models."""
    return Section("sling", asked.say("sling"), asked.say("about-sling"), tuple(_items(models, asked)))


def _items(models: Sequence[ScoredModel], asked: Asked) -> Iterator[Item]:
    yield _biases(models, asked)
    yield _readings(models, asked)
    yield _contrasts(models, asked)


def _usable(models: Sequence[ScoredModel], asked: Asked) -> list[ScoredModel]:
    link = parse_link(asked.main)
    return [model for model in models if model.totals.unigram is not None or not link.needs_unigrams]


def _biases(models: Sequence[ScoredModel], asked: Asked) -> Item:
    """A row a baseline and model."""
    say, link = asked.say, parse_link(asked.main)
    title = say("biases").format(link=asked.main)
    rows: list[tuple[Value, ...]] = []
    for model in _usable(models, asked):
        if model.baselines is None:
            continue
        for uid, found in accuracy(choose_from(model.baselines, link), by="paradigm").items():
            one = bias(found)
            rows.append((uid, model.name, found.pairs, found, one.estimate, one.p))
    if not rows:
        return absent(title, "report-other-benchmark", {"benchmark": "SLING"})
    columns = (
        Column("baseline", say("baseline")),
        Column("model", say("model")),
        Column("pairs", say("pairs"), "count"),
        Column("chosen", say("chosen"), "percent"),
        Column("bias", say("bias"), "points"),
        Column("p", "p", "p"),
    )
    return Table("biases", title, columns, tuple(sorted(rows, key=lambda row: str(row[0]))), say("note-biases"))


def _readings(models: Sequence[ScoredModel], asked: Asked) -> Item:
    """A row a test paradigm and model."""
    say, link = asked.say, parse_link(asked.main)
    title = say("readings").format(link=asked.main)
    rows: list[tuple[Value, ...]] = []
    for model in _usable(models, asked):
        if model.baselines is None:
            continue
        tests = accuracy(choose_from(model.totals, link), by="paradigm") if len(model.totals) else {}
        bases = accuracy(choose_from(model.baselines, link), by="paradigm")
        for test, baseline in SLING_BASELINES.items():
            if test not in tests or baseline not in bases:
                continue
            one = read_against(tests[test], bases[baseline])
            values = (one.test.value, one.baseline.value, one.gain)
            rows.append((test, baseline, model.name, *values, say("yes" if one.favoured else "no")))
    if not rows:
        return absent(title, "report-other-benchmark", {"benchmark": "SLING"})
    columns = (
        Column("paradigm", say("paradigm")),
        Column("baseline", say("baseline")),
        Column("model", say("model")),
        Column("accuracy", say("accuracy"), "percent"),
        Column("chosen", say("chosen"), "percent"),
        Column("gain", say("gain"), "points"),
        Column("favoured", say("favoured")),
    )
    order = list(SLING_BASELINES)
    rows.sort(key=lambda row: order.index(str(row[0])))
    return Table("readings", title, columns, tuple(rows), say("note-readings"))


def _contrasts(models: Sequence[ScoredModel], asked: Asked) -> Item:
    """A row a contrast: what describes both paradigms over the models, and the signed-rank tests."""
    say = asked.say
    title = say("contrasts").format(link=asked.main)
    values = _values(_usable(models, asked), asked)
    shared = {(a, b): [model for model in values.get(a, {}) if model in values.get(b, {})] for a, b in CONTRASTS}
    most = max(len(own) for own in shared.values())
    if not most:
        return absent(title, "report-other-benchmark", {"benchmark": "SLING"})
    if most < FEWEST:
        return absent(title, "report-few-models", {"needed": FEWEST, "count": most})
    known = {couple: own for couple, own in shared.items() if len(own) >= FEWEST}
    rows: list[tuple[Value, ...]] = []
    ps = []
    for (first, second), own in known.items():
        x, y = ([values[uid][model] for model in own] for uid in (first, second))
        both, greater, less = (signed_rank(x, y, alternative=a, digits=9).p for a in ("two-sided", "greater", "less"))
        ps.append(both)
        one, other = summarise(x), summarise(y)
        figures = (one.median, one.mean, one.deviation, other.median, other.mean, other.deviation)
        rows.append((first, second, len(own), *figures, both, greater, less))
    rows = [(*row[:10], holm, *row[10:]) for row, holm in zip(rows, correct(ps, by="holm"), strict=True)]
    return Table("contrasts", title, _contrast_columns(asked), tuple(rows), say("note-contrasts"))


def _values(models: Sequence[ScoredModel], asked: Asked) -> Values:
    link = parse_link(asked.main)
    found: dict[str, dict[str, float]] = {}
    for model in models:
        if not len(model.totals):
            continue
        for uid, one in accuracy(choose_from(model.totals, link), by="paradigm").items():
            found.setdefault(uid, {})[model.name] = one.value
    return found


def _contrast_columns(asked: Asked) -> tuple[Column, ...]:
    say = asked.say
    columns = [
        Column("first", say("first")),
        Column("second", say("second")),
        Column("models", say("models-count"), "count"),
    ]
    for number, side in enumerate(("first", "second"), 1):
        for figure in ("median", "mean", "sd"):
            head = say(f"stat-{figure}")
            columns.append(Column(f"{figure}_{side}", f"{head} {number}", "percent"))
    ends = (("p", "p-two-sided"), ("p_holm", "p-holm"), ("p_greater", "p-first-better"), ("p_less", "p-second-better"))
    return (*columns, *(Column(name, say(key), "p") for name, key in ends))
