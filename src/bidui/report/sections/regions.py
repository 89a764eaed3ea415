"""Regions: where in the sentences the good ones get ahead, for every model, and at every checkpoint of a run."""

from collections.abc import Iterator, Mapping
from functools import partial

from bidui.analysis.divisions import REST, Divided, by_change, by_slot, divide, in_parts
from bidui.analysis.regions import How, RegionDifference, pooled, region_differences
from bidui.errors import InputError, fail
from bidui.report.results import Results
from bidui.report.section import Absent, Asked, Item, Section, absent, attempt
from bidui.report.sections.region_traces import NO_DIFFERENCE, checkpoints_of, trace_figure
from bidui.report.tables import NOTHING, Column, Ranged, Table, Value
from bidui.scores.run import read_scores

HOWS: tuple[How, ...] = ("sum", "mean")
Found = Mapping[str, tuple[RegionDifference, ...]]  # by model


def regions_section(results: Results, asked: Asked) -> Section:
    """Tables by phenomenon and paradigm, summed and averaged; a figure for every run with scored checkpoints."""
    items = tuple(_items(results, asked))
    shown = tuple(item for item in items if not isinstance(item, Table) or item.name in ("regions", "regions-counts"))
    files = tuple(item for item in items if isinstance(item, Table) and item not in shown)
    return Section("regions", asked.say("regions"), asked.say("about-regions"), shown, files)


def _items(results: Results, asked: Asked) -> Iterator[Item]:
    say, pairs = asked.say, asked.given.pairs
    if pairs is None:
        yield absent(say("regions"), "report-no-given", {"option": "--pairs"})
        return
    if not results.models:
        yield absent(say("regions"), "report-no-scores")
        return
    scored = {uid for model in results.models for uid in model.manifest.shards}
    own = tuple(pair for pair in pairs if pair.uid in scored)
    phenomena = {pair.uid: pair.phenomenon or NOTHING for pair in own}
    parts = {name: tuple(slots) for name, slots in asked.given.regions.items()}
    divided = divide(own, in_parts(parts) if parts else by_change())
    if parts and all(name == REST for _, name in divided.labels):
        yield absent(say("regions"), "report-no-regions", {"pairs": len(own), "regions": list(parts)})
        return
    found: dict[How, dict[str, tuple[RegionDifference, ...]]] = {how: {} for how in HOWS}
    slots: dict[How, dict[str, tuple[RegionDifference, ...]]] = {how: {} for how in HOWS}
    by_slots = divide(own, by_slot())
    for model in results.models:
        try:
            _, table = read_scores(model.folder)
            for how in HOWS:
                found[how][model.name] = _named(region_differences(table, divided, how=how))
                slots[how][model.name] = _named(region_differences(table, by_slots, how=how))
        except InputError as error:
            yield Absent(f"{say('regions')}, {model.name}", error.problems)
    if not found["sum"]:
        return
    for how in HOWS:
        grouped = {name: pooled(one, phenomena) for name, one in found[how].items()}
        yield _table("regions" if how == "sum" else f"regions-phenomenon-{how}", grouped, {}, how, asked)
        yield _table(f"regions-paradigm-{how}", found[how], phenomena, how, asked)
        if any(slots[how].values()):
            yield _table(f"regions-slots-{how}", slots[how], phenomena, how, asked)
    yield _counts(found, asked)
    yield from _figures(results, divided, phenomena, asked)


def _named(differences: tuple[RegionDifference, ...]) -> tuple[RegionDifference, ...]:
    """Without paradigms of which nothing but the rest is known."""
    named = {one.uid for one in differences if one.region != REST}
    return tuple(one for one in differences if one.uid in named)


def _table(name: str, found: Found, phenomena: Mapping[str, str], how: How, asked: Asked) -> Table:
    """A row a group and region, a column a model."""
    say = asked.say
    models = {model: {(one.uid, one.region): one for one in own} for model, own in found.items()}
    said = {one.region for own in found.values() for one in own if one.pairs and abs(one.mean) > NO_DIFFERENCE}
    keys = dict.fromkeys(key for own in models.values() for key in own if key[1] in said)
    groups = sorted({uid for uid, _ in keys}, key=lambda uid: (phenomena.get(uid, ""), uid))
    rows: list[tuple[Value, ...]] = []
    for group, region in ((group, region) for group in groups for uid, region in keys if uid == group):
        known = [own.get((group, region)) for own in models.values()]
        pairs = max(one.pairs for one in known if one)
        head = (group, phenomena[group]) if phenomena else (group,)
        rows.append((*head, region_word(region, asked), pairs, *(_cell(one) for one in known)))
    level = (Column("paradigm", say("paradigm")), Column("phenomenon", say("phenomenon")))
    heads = level if phenomena else level[1:]
    counts = (Column("region", say("region")), Column("pairs", say("pairs"), "count"))
    columns = (*heads, *counts, *(Column(model, model, "nats") for model in models))
    kind = "slots" if name.startswith("regions-slots") else "paradigm" if phenomena else "phenomenon"
    return Table(
        name, say(f"regions-by-{kind}").format(how=say(f"how-{how}")), columns, tuple(rows), say(f"note-{how}")
    )


def _cell(one: RegionDifference | None) -> Value:
    if one is None or not one.pairs:
        return None
    return one.mean if one.pairs == 1 else Ranged(one.mean, one.mean - one.half_width, one.mean + one.half_width)


def region_word(region: str, asked: Asked) -> str:
    """Our own regions in the language of the report; slots and regions of the user's as they are called."""
    ours = {"before", "changed", "after"} if not asked.given.regions else set()
    return asked.say(f"region-{region}") if region in ours | {REST} else region


def _counts(found: Mapping[How, Found], asked: Asked) -> Table:
    """What was left out, and what could not be parted cleanly."""
    say = asked.say
    columns = (
        Column("model", say("model")),
        *(Column(f"left_out_{how}", say(f"left-out-{how}"), "count") for how in HOWS),
        Column("straddling", say("straddling"), "count"),
    )
    rows: list[tuple[Value, ...]] = []
    for model, own in found["sum"].items():
        lost = [sum(one.left_out for one in found[how][model]) for how in HOWS]
        rows.append((model, *lost, sum(one.straddling for one in own)))
    return Table("regions-counts", say("regions-counts"), columns, tuple(rows), say("note-regions-counts"))


def _figures(results: Results, divided: Divided, phenomena: Mapping[str, str], asked: Asked) -> Iterator[Item]:
    title = asked.say("figure-regions")
    runs = [(model, checkpoints_of(model)) for model in results.models if checkpoints_of(model)]
    if not runs:
        yield absent(title.format(model="").rstrip(" ,，"), "report-no-checkpoints")
    for model, checkpoints in runs:
        words = partial(region_word, asked=asked)
        yield attempt(
            title.format(model=model.name),
            partial(trace_figure, model.name, checkpoints, divided, phenomena=phenomena, word=words, asked=asked),
        )


def parse_regions(texts: list[str]) -> dict[str, tuple[str, ...]]:
    """`NP=det,noun` as a region of several slots."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, sign, slots = text.partition("=")
        parts = tuple(slot.strip() for slot in slots.split(",") if slot.strip())
        if not (name.strip() and sign and parts):
            raise fail("region-option", None, {"text": text})
        found[name.strip()] = (*found.get(name.strip(), ()), *parts)
    return found
