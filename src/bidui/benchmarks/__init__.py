"""Benchmarks: projects that are opened by name or path, and the pairs they give; `catalogue.py` finds them.

A benchmark that comes with bidui is a folder here with a `project.yaml`. Beside the project it may have `human.tsv`
(judgements of people on the published pairs), `review.tsv` (a blind review of ours) and `published/` (tables printed in
papers). Nothing outside a folder knows a benchmark by name: a new one is found by its files.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bidui.benchmarks.catalogue import is_project, project_folder, shipped
from bidui.errors import Place, Problem, fail
from bidui.files import Json, check_new_folder, read_bytes, write_new_folder
from bidui.pairs import AnyPairs, Format, Pair, Pairs, Written, as_pairs, plan_folder, write_folder
from bidui.people.agreement import HUMAN_FILE, judgement_counts

if TYPE_CHECKING:  # scoring pairs from a file needs no grammar, so it is imported where it is used
    from bidui.grammar.check import Stage
    from bidui.grammar.classic import ClassicExport
    from bidui.grammar.count import Count
    from bidui.grammar.generate import Drawing, Source
    from bidui.grammar.project import Project


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark whose pairs people judged: by uid, the kind of each paradigm and the judgements."""

    name: str
    kinds: Mapping[str, str]  # included or excluded
    people: Mapping[str, tuple[int, int]]  # correct judgements, of how many


def judged_benchmarks(uids: Iterable[str] = ()) -> tuple[Benchmark, ...]:
    """Return the shipped benchmarks that have human figures.

    Opening a project takes seconds, so the kinds of paradigms are read only of benchmarks with all these uids.
    """
    from bidui.grammar.project import load_project

    wanted, benchmarks = set(uids), []
    for name, folder in shipped().items():
        if (folder / HUMAN_FILE).is_file():
            people = judgement_counts(folder)
            paradigms = load_project(folder).paradigms if wanted and wanted <= people.keys() else ()
            benchmarks.append(Benchmark(name, {paradigm.uid: paradigm.status for paradigm in paradigms}, people))
    return tuple(benchmarks)


def open_project(name_or_path: "str | Path | Project", *, trees: str | Path | Iterable[str | Path] = ()) -> "Project":
    """Open a benchmark by name, or the project in a folder or zip; raises `InputError` with every error found.

    What the project takes from trees is taken from these files, folders or globs instead, if any are given. A project
    that is open already is returned as it is.
    """
    from bidui.grammar.project import load_project

    if not isinstance(name_or_path, str | Path):
        if trees:
            raise fail("trees-opened", Place())
        return name_or_path
    with project_folder(name_or_path) as (folder, version):
        if not trees:
            return _versioned(load_project(folder), version)
        from bidui.treebank.tables import project_with_trees

        return _versioned(project_with_trees(folder, trees=trees), version)


def _versioned(project: "Project", version: str) -> "Project":
    """Return a project with the version of its package, unless it has its own."""
    settings = project.settings
    return project if settings.version else replace(project, settings=replace(settings, version=version))


def derive_project(
    source: str | Path, *, out: str | Path, only: str | Sequence[str] = (), phenomena: str | Sequence[str] = ()
) -> tuple[str, ...]:
    """Write a project over the words of another: a copy of its lexicon, features, relations and phrases.

    Paradigms are copied if their uids match one of the globs in `only`, "*" for all, or if they are of one of the
    `phenomena`; return their uids. The licence is kept, and `derived_from` in its `project.yaml` names the source, with
    its version and hash. `out` must be new or empty.
    """
    from bidui.grammar.generate import ProjectSource, origin_of
    from bidui.grammar.project import chosen_uids, load_project, settings_text

    check_new_folder(out)
    phenomena = (phenomena,) if isinstance(phenomena, str) else phenomena
    with project_folder(source) as (folder, version):
        project = _versioned(load_project(folder), version)
        known = {paradigm.phenomenon for paradigm in project.paradigms}
        if unknown := [name for name in phenomena if name not in known]:
            raise fail("phenomenon-unknown", Place(), {"names": unknown, "known": sorted(known)})
        matching = chosen_uids(dict.fromkeys((each.uid for each in project.paradigms), True), only=only) if only else ()
        taken = [each for each in project.paradigms if each.uid in matching or each.phenomenon in phenomena]
        left = {each.place.file for each in project.paradigms} - {each.place.file for each in taken}
        origin = origin_of(ProjectSource(project))
        settings = replace(
            project.settings,
            name=Path(out).resolve().name,
            version="",
            derived_from=" ".join(filter(None, (origin.name, origin.version, f"sha256:{origin.sha256}"))),
        )
        texts = ((name, read_bytes(folder / name)) for name in project.inputs if name not in left)
        files = ((name, settings_text(settings).encode() if name == "project.yaml" else data) for name, data in texts)
        write_new_folder(Path(out), files)
    return tuple(paradigm.uid for paradigm in taken)


def count(project: "str | Path | Project", uid: str) -> "Count":
    """Return how many distinct pairs a paradigm has."""
    from bidui.grammar.generate import count

    return count(open_project(project), uid)


def enumerate_all(project: "str | Path | Project", uid: str) -> Iterator[Pair]:
    """Yield every distinct pair of a paradigm, in a fixed order; raise `InputError` if the search is given up."""
    from bidui.grammar.generate import enumerate_all

    return enumerate_all(open_project(project), uid)


def export_classic(project: "str | Path | Project", *, out: str | Path, only: Sequence[str] = ()) -> "ClassicExport":
    """Write the paradigms of a project as JSON templates, with the vocabulary and the phrases they need.

    A paradigm that uses means the format lacks, or whose template would produce pairs it does not have, is left out.
    """
    from bidui.grammar.classic import export_classic

    return export_classic(open_project(project), out=out, only=only)


def check(
    project: "str | Path | Project",
    *,
    only: Sequence[str] = (),
    seconds: float = 100,
    on_progress: "Callable[[Stage, int, int], None]" = lambda stage, done, total: None,
) -> list[Problem]:
    """Return every problem of a project's files and of the pairs that follow from them, errors and warnings.

    `on_progress` is called with a stage ("paradigms", then "comparisons" of two) and how many of how many are done.
    """
    from bidui.grammar.check import check_project
    from bidui.grammar.project import read_project

    if isinstance(project, str | Path):
        with project_folder(project) as (folder, _):
            project = read_project(folder)
    return check_project(project, only=only, seconds=seconds, on_progress=on_progress)


def generate(
    source: "str | Path | Project | Source",
    *,
    n: int = 300,
    seed: int = 0,
    draw: "Drawing" = "even",
    only: Sequence[str] = (),
    include_excluded: bool = False,
) -> Pairs:
    """Return `n` distinct pairs of every paradigm; `.short` lists the paradigms that have fewer, and why.

    The source is a benchmark by name, the folder or zip of a project, a project, or anything else that makes pairs.
    """
    from bidui.grammar.generate import generate_from

    opened = open_source(source)
    return generate_from(opened, n=n, seed=seed, draw=draw, only=only, include_excluded=include_excluded)


def open_source(source: "str | Path | Project | Source") -> "Source":
    """Return a source of pairs; a name, a folder, a zip and a project stand for the source that they are."""
    from bidui.grammar.generate import ProjectSource
    from bidui.grammar.project import Project

    opened = open_project(source) if isinstance(source, str | Path) else source
    return ProjectSource(opened) if isinstance(opened, Project) else opened


def find_pairs(
    source: "AnyPairs | Project",
    *,
    n: int = 300,
    seed: int = 0,
    good: str | None = None,
    bad: str | None = None,
    paradigm: str | None = None,
    phenomenon: str | None = None,
) -> Pairs:
    """Return the pairs that a source names.

    `n` pairs per paradigm are generated from a benchmark or a project; a file, archive or folder of pairs is
    read, with the columns that are named, as `read_pairs` does; pairs are returned as they are. Pairs may also be a
    data frame of polars or pandas, or a list of pairs, of mappings with the fields of files, such as a data set of
    Hugging Face, or of tuples of two sentences, the good one first.
    """
    project = is_project(source) if isinstance(source, str | Path) else hasattr(source, "paradigms")
    if not project:
        return as_pairs(source, good=good, bad=bad, paradigm=paradigm, phenomenon=phenomenon)
    if named := next(filter(None, (good, bad, paradigm, phenomenon)), None):
        raise fail("columns-not-for", Place(), {"column": named, "source": str(source)})
    return generate(source, n=n, seed=seed)  # type: ignore[arg-type]


def generate_folder(
    source: "str | Path | Project | Source",
    *,
    out: str | Path,
    n: int = 300,
    seed: int = 0,
    draw: "Drawing" = "even",
    only: Sequence[str] = (),
    include_excluded: bool = False,
    format: Format = "jsonl",
    workers: int = 1,
    force: bool = False,
    on_paradigm: Callable[[int, int], None] = lambda done, total: None,
) -> Written:
    """Generate pairs into a folder, one file per paradigm and a manifest, holding one paradigm in memory at a time.

    A folder that already holds these pairs is left as it is; one that holds others is refused unless `force`.
    `on_paradigm` is called with the number of paradigms done and of all. More `workers` do not change the bytes; each
    opens a name or folder by itself, and any other source is sent to it.
    """
    from bidui.grammar.generate import origin_of
    from bidui.grammar.project import chosen_uids

    opened = open_source(source)
    uids = chosen_uids(opened.uids, only=only, excluded=include_excluded)
    settings: dict[str, Json] = {
        "project": opened.name,
        "n": n,
        "seed": seed,
        "draw": draw,
        "only": [only] if isinstance(only, str) else [*sorted(only)],
        "include_excluded": include_excluded,
    }
    plan = plan_folder(
        out, asked=settings, inputs=opened.inputs, benchmarks=[origin_of(opened)], format=format, force=force
    )

    def counted() -> Iterator[Pairs]:
        paradigms = _each_paradigm(source, opened, uids, n=n, seed=seed, draw=draw, workers=workers)
        for done, pairs in enumerate(paradigms, start=1):
            yield pairs
            on_paradigm(done, len(uids))

    return write_folder(plan, counted())


def _each_paradigm(
    source: "str | Path | Project | Source",
    opened: "Source",
    uids: Sequence[str],
    *,
    n: int,
    seed: int,
    draw: "Drawing",
    workers: int,
) -> Iterator[Pairs]:
    if workers == 1 or len(uids) < 2:
        yield from opened.pairs(uids, n=n, seed=seed, draw=draw)
        return
    shares = [uids[start::workers] for start in range(min(workers, len(uids)))]
    from concurrent.futures import ProcessPoolExecutor

    work = partial(_share, source, n=n, seed=seed, draw=draw)
    with ProcessPoolExecutor(len(shares)) as pool:
        by_uid = dict(item for share in pool.map(work, shares) for item in share)
    yield from (by_uid[uid] for uid in uids)


def _share(
    source: "str | Path | Project | Source", uids: Sequence[str], *, n: int, seed: int, draw: "Drawing"
) -> list[tuple[str, Pairs]]:
    """Generate some paradigms of a source in another process."""
    return list(zip(uids, open_source(source).pairs(uids, n=n, seed=seed, draw=draw), strict=True))
