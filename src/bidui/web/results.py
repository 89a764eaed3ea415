"""What models made of a project's pairs: the scores in its folder `results`, and the figures that pages show of them.

A project keeps its scores in `results/`, in the layout of `bidui score -o`, one folder per model; those on the pairs of
a study are in `results/study-NUMBER/`. So the browser shows what the command line scored, and the other way round.
All figures come from `scores`, `analysis` and `reports`, which are imported where they are used: they take a while.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bidui.errors import InputError, Place, Problem, distinct, fail
from bidui.files import remove_file, sha256
from bidui.people.study import Study
from bidui.web.fieldwork import Interval, interval_of
from bidui.web.store.workspace import Entry
from bidui.words import Language

if TYPE_CHECKING:
    from bidui.intervals import Estimate
    from bidui.reports.compare import AccuracyTable
    from bidui.reports.results import ModelChoices, PairSet, Results
    from bidui.scores.links import Link
    from bidui.scores.table import ScoreManifest

RESULTS = "results"  # the folder of a project
REPORTS = "reports"  # the folder of the workbench
MAIN = "slln:0.5"  # as in `bidui compare`
SCORES = "scores.json"
Freshness = Literal["current", "changed", "study", "file"]
Preference = Literal["good", "bad", "tie"]


# The folder


def results_folder(entry: Entry) -> Path:
    """Return the folder of a project's scores, which need not be there; a link is refused, as it may lead anywhere."""
    return _no_link(entry.folder / RESULTS)


def study_folder(entry: Entry, number: int) -> Path:
    """Return the folder of the scores of a study's pairs."""
    return _no_link(results_folder(entry) / f"study-{number}")


def report_folder(entry: Entry, language: Language, *, study: int | None = None) -> Path:
    """Return where the report of a project, or of the pairs of a study with its people, lies.

    It is beside the database, since it can be made again at any time.
    """
    folder = entry.store.hidden / REPORTS / str(entry.id)
    return (folder if study is None else folder / f"study-{study}") / language


def _no_link(folder: Path) -> Path:
    if folder.is_symlink():
        raise fail("file-is-link", Place(folder.name))
    return folder


def state_of(folder: Path) -> str:
    """Return what changes whenever scores are added, changed or removed."""
    lines = []
    for path in sorted(path for name in (SCORES, "unigrams.json") for path in folder.rglob(name)):
        with suppress(FileNotFoundError):  # it was deleted in this very moment
            stat = path.stat()
            lines.append(f"{path.relative_to(folder).as_posix()}\t{stat.st_mtime_ns}\t{stat.st_size}\n")
    return sha256("".join(lines).encode())


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A folder of scores: what it is called, what was scored, and since when it is there.

    `fresh` says whether the pairs were made from the project as it is now, from it or another before some file was
    `changed`, drawn for a `study`, or read from a `file`. `left` pairs of a run that was interrupted are not scored.
    """

    id: str  # its path below the folder of results
    name: str
    kind: str
    dtype: str
    pairs: int
    paradigms: int
    left: int
    unknown: int  # tokens that the model does not know
    made: datetime
    fresh: Freshness
    study: int | None
    missing: tuple[str, ...]  # included paradigms of the project that were not scored
    gone: tuple[str, ...]  # scored paradigms that are not in the project


def stored_models(
    folder: Path, *, source: str, included: Iterable[str], known: Iterable[str]
) -> tuple[list[StoredModel], list[Problem]]:
    """Return the models in a folder of results, and what cannot be read there.

    `source` is the hash of the project's files; `included` and `known` are the uids of its paradigms.
    """
    from bidui.scores.table import manifest_in

    models: list[StoredModel] = []
    problems: list[Problem] = []
    paradigms = (frozenset(included), frozenset(known))
    for file in sorted(folder.rglob(SCORES)):
        name = file.parent.relative_to(folder).as_posix()
        try:
            manifest = manifest_in(file.parent)
            made = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        except InputError as error:
            problems += _located(error.problems, folder)
        except FileNotFoundError:
            continue  # it was deleted in this very moment
        else:
            models += [_stored_model(name, manifest, made, source, *paradigms)] if manifest else []
    return models, problems


def _stored_model(
    name: str,
    manifest: "ScoreManifest",
    made: datetime,
    source: str,
    included: frozenset[str],
    known: frozenset[str],
) -> StoredModel:
    study = _study_number(name)
    fresh = _freshness(manifest, source) if study is None else "study"
    uids = manifest.shards.keys()
    of_project = fresh in ("current", "changed") and not manifest.left
    return StoredModel(
        id=name,
        name=manifest.model,
        kind=str(manifest.declared.get("kind", "")),
        dtype=str(manifest.declared.get("dtype", "")),
        pairs=sum(shard.count for shard in manifest.shards.values()),
        paradigms=len(uids),
        left=manifest.left,
        unknown=sum(shard.unknown for shard in manifest.shards.values()),
        made=made,
        fresh=fresh,
        study=study,
        missing=tuple(sorted(included - uids)) if of_project else (),
        gone=tuple(sorted(uids - known)) if of_project else (),
    )


def _freshness(manifest: "ScoreManifest", source: str) -> Freshness:
    if not manifest.benchmarks:
        return "file"
    return "current" if [origin.sha256 for origin in manifest.benchmarks] == [source] else "changed"


def _study_number(name: str) -> int | None:
    first, _, rest = name.partition("/")
    number = first.removeprefix("study-")
    return int(number) if rest and first != number and number.isascii() and number.isdigit() else None


def find_scores(folder: Path, name: str) -> Path:
    """Return the folder of one model's scores; only what is listed has a name, so that no path leads elsewhere."""
    folders = {file.parent.relative_to(folder).as_posix(): file.parent for file in folder.rglob(SCORES)}
    if name not in folders:
        raise fail("results-unknown", Place(), {"name": name})
    return folders[name]


def delete_scores(folder: Path, name: str) -> None:
    """Delete the scores of a model: the files that a scoring run writes, and folders that are empty then."""
    from bidui.scores.run import PARTS
    from bidui.scores.unigrams import UNIGRAMS

    scores = find_scores(folder, name)
    remove_file(scores / SCORES)  # first: without it, the rest is no longer a model's scores
    for file in (scores / UNIGRAMS, *scores.glob("*.parquet"), *(scores / PARTS).glob("*.parquet")):
        remove_file(file)
    for empty in (scores / PARTS, scores, scores.parent, folder):
        if folder in (empty, *empty.parents):
            with suppress(OSError):
                empty.rmdir()


# Figures


def parse_safe_link(text: str) -> "Link":
    """Return a linking function by name; one of somebody's own is refused here, since its file would be run."""
    from bidui.scores.links import LINKS, parse_link

    if text.partition(":")[0] not in LINKS:
        raise fail("link-unknown", Place(), {"link": text, "known": list(LINKS)})
    return parse_link(text)


@dataclass(frozen=True, slots=True)
class LinkLine:
    """The accuracy of a model by one linking function, as `bidui compare` prints it; D=, D< and D> by length."""

    model: str
    link: str
    pairs: int
    accuracy: float | None
    equal: float | None
    shorter: float | None
    longer: float | None
    delta: float | None
    ties: int
    near_ties: int


@dataclass(frozen=True, slots=True)
class GroupLine:
    """The accuracy of each model on a phenomenon, a paradigm or all pairs; published human accuracy if it is known.

    `kind` is what the intervals allow for: other pairs of these paradigms, or other paradigms.
    """

    name: str
    phenomenon: str
    pairs: int | None  # None where models have different numbers of them
    models: dict[str, Interval | None]
    humans: float | None
    kind: str


@dataclass(frozen=True, slots=True)
class SetFigures:
    """Models on one set of pairs; models on other pairs are never beside them."""

    id: str
    name: str
    pairs: int
    study: int | None  # whose pairs these are
    models: dict[str, str]  # the folders of scores by the names in the tables
    lacking: tuple[str, ...]  # models without the unigram counts that the linking function needs
    humans: bool
    overall: GroupLine | None
    phenomena: tuple[GroupLine, ...]
    paradigms: tuple[GroupLine, ...]
    links: tuple[LinkLine, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """What the scores of a project show by one linking function, and what had to be left out."""

    link: str
    sets: tuple[SetFigures, ...]
    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...] = ()  # why some linking functions are missing


def read_results(folder: Path) -> "Results | None":
    """Read all finished scores of a folder; None where there are none."""
    from bidui.reports.results import Results, collect

    if not folder.is_dir() or not any(folder.rglob(SCORES)):
        return None
    try:
        results = collect(folder)
    except InputError as error:  # nothing is left that could be shown, and the problems say why
        results = Results((), (), error.problems)
    return replace(results, problems=tuple(_located(results.problems, folder)))


def _located(problems: Iterable[Problem], folder: Path) -> list[Problem]:
    """Return problems whose places are named from the project on, so that readers know which model is meant."""
    located = []
    for problem in problems:
        path = Path(problem.place.file)
        if path.is_relative_to(folder):
            inside = f"{RESULTS}/{path.relative_to(folder).as_posix()}"
            problem = replace(problem, place=replace(problem.place, file=inside))
        located.append(problem)
    return located


def figures_of(results: "Results", link: "Link", *, folder: Path) -> Figures:
    """Return the figures of all sets of pairs by a linking function."""
    from bidui.reports.results import USUAL, model_choices, pair_sets
    from bidui.scores.links import as_links

    links = [each for each in as_links((*USUAL, link.name)) if not each.needs_unigrams]
    sets, notes = [], []
    for pairs in pair_sets(results):
        if pairs.results.models:
            choices = model_choices(pairs.results, links, usual=True)
            notes += [problem for each in choices for problem in each.problems]
            sets.append(_set_figures(pairs, choices, link, folder))
    problems = [problem for problem in results.problems if problem.kind != "scores-unfinished"]  # each model says so
    return Figures(link.name, tuple(sets), tuple(problems), tuple(distinct(notes)))


def set_id(pairs: "PairSet") -> str:
    """Return a name for a set of pairs that stays the same when others come or go."""
    shards = {uid: shard.pairs for model in pairs.results.models[:1] for uid, shard in model.manifest.shards.items()}
    return sha256("".join(f"{uid}\t{pairs}\n" for uid, pairs in sorted(shards.items())).encode())[:12]


def _set_figures(pairs: "PairSet", choices: "Sequence[ModelChoices]", link: "Link", folder: Path) -> SetFigures:
    from bidui.reports.compare import group_table, link_row

    models = pairs.results.models
    able = [model for model in models if not link.needs_unigrams or model.totals.unigram is not None]
    phenomenon_of = {
        uid: phenomenon
        for model in models
        for uid, phenomenon in zip(model.totals.uids.tolist(), model.totals.phenomena.tolist(), strict=True)
    }
    tables = [group_table(able, link, (by,), unit="tokens") for by in ("phenomenon", "paradigm")] if able else []
    names = [model.name for model in able]
    phenomena, paradigms = [_group_lines(table, names, phenomenon_of) for table in tables] or [[], []]
    rows = [link_row(one.name, own) for one in choices for own in one.choices.values()]
    ids = {model.name: model.folder.relative_to(folder).as_posix() for model in models}
    numbers = {_study_number(name) for name in ids.values()}
    return SetFigures(
        set_id(pairs),
        pairs.name,
        pairs.pairs,
        next(iter(numbers)) if len(numbers) == 1 else None,
        ids,
        tuple(model.name for model in models if model not in able),
        any(table.humans for table in tables),
        phenomena[-1] if phenomena else None,
        tuple(phenomena[:-1]),
        tuple(paradigms[:-1]),
        tuple(map(_link_line, rows)),
    )


def _group_lines(table: "AccuracyTable", models: Sequence[str], phenomena: Mapping[str, str]) -> list[GroupLine]:
    """Return the rows of a table by groups, that of all pairs last."""
    columns = dict(zip(models, table.estimates, strict=True))  # a model may be called as a column is
    humans = table.frame["humans"].to_list() if table.humans else [None] * len(table.frame)
    lines = []
    for at, (name, pairs) in enumerate(zip(table.frame[table.by[0]].to_list(), table.pairs, strict=True)):
        estimates = {model: table.estimates[column][at] for model, column in columns.items()}
        kind = next((each.kind for each in estimates.values() if each is not None), "")
        cells = {model: _interval(each) for model, each in estimates.items()}
        lines.append(GroupLine(name, phenomena.get(name, ""), pairs, cells, humans[at], kind))
    return lines


def _interval(estimate: "Estimate | None") -> Interval | None:
    return None if estimate is None or not isfinite(estimate.value) else interval_of(estimate)


def _link_line(row: Mapping[str, object]) -> LinkLine:
    values = [None if isinstance(value, float) and not isfinite(value) else value for value in row.values()]
    return LinkLine(*values)  # type: ignore[arg-type]


# The pairs of a paradigm, and the tokens of a pair


@dataclass(frozen=True, slots=True)
class PairLine:
    """A pair, and which sentence each model prefers; `again` counts pairs that have the same number."""

    number: int
    again: int
    good: str
    bad: str
    variant: str
    prefers: dict[str, Preference]


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its surprisal in bits."""

    text: str
    surprisal: float


@dataclass(frozen=True, slots=True)
class SideTokens:
    """A sentence with its tokens, and the sum of their surprisals."""

    sentence: str
    tokens: tuple[Token, ...]
    total: float


@dataclass(frozen=True, slots=True)
class PairTokensShape:
    """What a model gives the tokens of both sentences, and which sentence it prefers by each linking function."""

    model: str
    good: SideTokens
    bad: SideTokens
    prefers: dict[str, Preference]


def find_set(results: "Results", name: str) -> "PairSet":
    """Return the set of pairs of that name."""
    from bidui.reports.results import pair_sets

    for pairs in pair_sets(results):
        if pairs.results.models and set_id(pairs) == name:
            return pairs
    raise fail("results-unknown", Place(), {"name": name})


def pair_lines(pairs: "PairSet", uid: str, link: "Link") -> list[PairLine]:
    """Return the pairs of a paradigm with what each model chose."""
    from bidui.reports.show import paradigm_choices

    models = [each for each in pairs.results.models if not link.needs_unigrams or each.totals.unigram is not None]
    if not any(uid in model.manifest.shards for model in models):
        raise fail("results-unknown", Place(), {"name": uid})
    choices = paradigm_choices(models, uid, link=link)
    return [
        PairLine(each.number, each.again, each.good, each.bad, each.variant, dict(each.prefers)) for each in choices
    ]


def pair_tokens(pairs: "PairSet", uid: str, number: int, again: int, link: "Link") -> list[PairTokensShape]:
    """Return the tokens of one pair by every model of a set."""
    from bidui.reports.results import USUAL
    from bidui.reports.show import show

    links = list(dict.fromkeys((*USUAL, *([] if link.needs_unigrams else [link.name]))))
    name = f"{uid}/{number}" + (f" ({again})" if again > 1 else "")
    models = []
    for model in pairs.results.models:
        tokens = show(model.folder, name, links=links)
        first = next(iter(tokens.sides()))  # folders of other models may lie below
        sides = {side: _side(values) for side, values in tokens.sides()[first].items()}
        models.append(PairTokensShape(model.name, sides["good"], sides["bad"], dict(tokens.prefers[first])))
    return models


def _side(values: Mapping[str, object]) -> SideTokens:
    tokens = zip(values["tokens"], values["surprisals"], strict=True)  # type: ignore[call-overload]
    return SideTokens(
        str(values["sentence"]),
        tuple(Token(text, surprisal) for text, surprisal in tokens),
        float(values["sum"]),  # type: ignore[arg-type]
    )


# The pairs of a study


def label_in_study(model: str, link: str) -> str:
    """Return the name of a model beside the people of a study, which says by which linking function it chose."""
    return f"{model} {link}"[:80]


def worth_of(folder: Path, study: Study, *, link: str) -> dict[str, float] | None:
    """Return what each pair of a study is worth to a model by item; None if it has not scored all of them.

    A pair is the same only if its sentences are.
    """
    from bidui.scores.choices import COLUMNS, choose
    from bidui.scores.table import ScoreTable, read_manifest, stored_table

    manifest = read_manifest(folder)
    items = {(item.uid, item.pair): item for item in study.items if item.kind == "test"}
    uids = {item.uid for item in items.values()}
    if not uids <= manifest.shards.keys():
        return None
    shards = {uid: shard for uid, shard in manifest.shards.items() if uid in uids}
    frame = stored_table(folder, replace(manifest, shards=shards), list(COLUMNS)).frame
    choices = choose(ScoreTable(frame), parse_safe_link(link))
    sentences = frame["sentence"].to_list()
    rows = zip(
        *(choices.uids.tolist(), choices.pairs.tolist(), sentences[::2], sentences[1::2], choices.worth.tolist()),
        strict=True,
    )
    worth = {}
    for uid, number, good, bad, value in rows:
        item = items.get((uid, number))
        if item is not None and (good, bad) == (item.good, item.bad):
            worth[item.id] = float(value)
    return worth if len(worth) == len(items) else None
