"""Benchmarks: projects that are opened by name or path, and the pairs they give.

A name means one that comes with bidui, one of a package, or one in the folders of `BIDUI_BENCHMARKS`. A package offers
a benchmark as an entry point of the group `bidui.benchmarks`: its name, and the package whose folder is the project. A
name goes before a path: `./zhoblimp` is always a path.

A benchmark that comes with bidui is a folder here with a `project.yaml`. Beside the project it may have `human.tsv`
(judgements of people on the published pairs), `review.tsv` (a blind review of ours) and `published/` (tables printed in
papers). Nothing outside a folder knows a benchmark by name: a new one is found by its files.
"""

import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import Json, check_new_folder, read_bytes, tool_version, write_new_folder
from bidui.pairs import (
    AnyPairs,
    Format,
    Pair,
    Pairs,
    StoredPairs,
    Written,
    as_pairs,
    open_stored,
    plan_folder,
    write_folder,
)
from bidui.people.agreement import HUMAN_FILE, judgement_counts
from bidui.scale.storage import fetched, is_remote, open_folder
from bidui.scale.workers import LOCAL, AnyOn, On, open_workers, parse_on

if TYPE_CHECKING:  # scoring pairs from a file needs no grammar, so it is imported where it is used
    from bidui.grammar.check import Stage
    from bidui.grammar.classic import ClassicExport
    from bidui.grammar.count import Count
    from bidui.grammar.generate import Drawing, Source
    from bidui.grammar.project import Project
    from bidui.people.design import Design
    from bidui.people.study import Study
    from bidui.words import Language


HOME = Path(__file__).parent
GROUP = "bidui.benchmarks"  # of entry points
FOLDERS = "BIDUI_BENCHMARKS"  # the environment variable
SETTINGS = "project.yaml"
SHARE = 4  # paradigms that a worker generates at a time


@dataclass(frozen=True, slots=True)
class Entry:
    """A benchmark that can be opened by name: its folder or zip, who brings it, and the version of a package."""

    name: str
    path: Path
    provider: str
    version: str = ""


def shipped() -> dict[str, Path]:
    """Return the folder of each shipped benchmark, by name."""
    return {file.parent.name: file.parent for file in sorted(HOME.glob(f"*/{SETTINGS}"))}


def entries() -> dict[str, list[Entry]]:
    """Return every benchmark that has a name; where two have the same one, opening it is an error."""
    by_name: dict[str, list[Entry]] = {}
    for name, folder in shipped().items():
        by_name.setdefault(name, []).append(Entry(name, folder, "bidui", tool_version()))
    for entry in (*_packaged(), *_collected()):
        by_name.setdefault(entry.name, []).append(entry)
    return by_name


def find_entry(name: str) -> Entry | None:
    """Return the benchmark of that name, if there is one; a name that means two things is an error."""
    claims = entries().get(name, [])
    if not claims:
        return None
    entry = claims[0]
    if len(claims) > 1:
        providers = [claim.provider for claim in claims]
        raise fail("benchmark-claimed", Place(), {"name": name, "providers": providers})
    if not (is_project_zip(entry.path) or (entry.path / SETTINGS).is_file()):
        raise fail("benchmark-broken", Place(), {"name": name, "provider": entry.provider, "path": str(entry.path)})
    here = Path(name)
    if (here / SETTINGS).is_file() and not here.samefile(entry.path):
        raise fail("benchmark-or-folder", Place(), {"name": name, "provider": entry.provider})
    return entry


def is_project(name_or_path: str | Path) -> bool:
    """Return whether this is a benchmark or a project; if not, it may be pairs."""
    if isinstance(name_or_path, str) and find_entry(name_or_path):
        return True
    path = Path(name_or_path)
    return (path / SETTINGS).is_file() or is_project_zip(path)


@contextmanager
def project_folder(name_or_path: str | Path) -> Iterator[tuple[Path, str]]:
    """Open the folder of a benchmark or project to read it; yield it with the version of its package, if it has one.

    A zip is unpacked for the time being, under its own name, since that is the name of a project without another.
    """
    entry = find_entry(name_or_path) if isinstance(name_or_path, str) else None
    path, version = (entry.path, entry.version) if entry else (Path(name_or_path), "")
    if not path.exists():
        raise fail("project-missing", Place(), {"path": str(name_or_path), "known": sorted(entries())})
    if path.is_dir():
        yield path, version
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield _unpack(path, Path(folder) / path.stem), version


def is_project_zip(path: Path) -> bool:
    """Return whether a file is a zip with a project at its top, or in its one folder."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.rpartition("/")[2] == SETTINGS and name.count("/") < 2 for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def _packaged() -> Iterator[Entry]:
    """Yield what installed packages offer; their code is not run."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    for point in entry_points(group=GROUP):
        try:
            spec = find_spec(point.module)
        except (ImportError, ValueError):
            spec = None
        folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
        folder = next((each for each in folders if (each / SETTINGS).is_file()), Path(point.module))
        distribution = point.dist
        provider, version = (distribution.name, distribution.version) if distribution else (point.module, "")
        yield Entry(point.name, folder, provider, version)


def _collected() -> Iterator[Entry]:
    """Yield the folders and zips with projects in the folders that the environment names."""
    for folder in filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)):
        for path in sorted(Path(folder).glob("*")):
            if (path / SETTINGS).is_file():
                yield Entry(path.name, path, str(path))
            elif is_project_zip(path):
                yield Entry(path.stem, path, str(path))


def _unpack(path: Path, folder: Path) -> Path:
    """Unpack the project in a zip into a folder; a zip that plays tricks is refused, and so is any other file."""
    from bidui.grammar.archives import read_project_zip

    if path.suffix.lower() != ".zip":
        raise fail("not-a-project", Place(str(path)))
    try:
        with path.open("rb") as file:
            files = read_project_zip(file)
    except OSError as error:
        raise fail("file-unreadable", Place(str(path)), {"reason": error.strerror or str(error)}) from None
    except InputError as error:  # its places are names in the zip
        places = [str(path / problem.place.file) if problem.place.file else str(path) for problem in error.problems]
        moved = [replace(problem, place=Place(place)) for problem, place in zip(error.problems, places, strict=True)]
        raise InputError(moved) from None
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


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
            known = {file.stem for file in (folder / "paradigms").rglob("*.yaml")}  # a file is named by its uid
            paradigms = load_project(folder).paradigms if wanted and wanted <= known else ()
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


def open_pairs(
    source: "AnyPairs | Project | StoredPairs",
    *,
    n: int = 300,
    seed: int = 0,
    good: str | None = None,
    bad: str | None = None,
    paradigm: str | None = None,
    phenomenon: str | None = None,
) -> Pairs | StoredPairs:
    """Return the pairs that a source names, as `find_pairs` does; a large folder of pairs is read as it is needed.

    A folder may also be a URL such as `s3://bucket/pairs`.
    """
    if isinstance(source, StoredPairs):
        return source
    if isinstance(source, str | Path):
        source = fetched(source) if is_remote(source) else source
        if not (good or bad or paradigm or phenomenon or is_project(source)) and Path(source).is_dir():
            stored = open_stored(Path(source))
            if stored is not None:
                return stored
    return find_pairs(source, n=n, seed=seed, good=good, bad=bad, paradigm=paradigm, phenomenon=phenomenon)


def new_study(
    source: "AnyPairs | Project",
    *,
    out: str | Path | None = None,
    design: "Design | str" = "bidui",
    name: str = "",
    only: str | Sequence[str] = (),
    phenomena: str | Sequence[str] = (),
    texts: "Mapping[str, Mapping[Language, str]] | None" = None,
    catch: AnyPairs = (),
    practice: AnyPairs = (),
    fillers: AnyPairs = (),
    follows: str | Path | None = None,
    fit: bool = False,
) -> "Study":
    """Draw a study from a benchmark, a project or pairs, and write it to a new folder, with its pairs pinned.

    `design` is a design or the name of a preset. Presets are made for benchmarks: one that is given by name, and a
    design with `fit`, gets fewer, longer lists where there are too few paradigms for it. Without `only` (globs of uids)
    and `phenomena`, all paradigms with the status `included` are asked about; an excluded one that was edited is named
    by `only`. Pairs for catch trials, practice and fillers may be given; `texts` replace those that participants read;
    `follows` is the folder of an earlier study of the same paradigms, whose figures are kept beside. Without `out`,
    nothing is written.
    """
    from bidui.grammar.project import Project
    from bidui.people.agreement import folder_counts
    from bidui.people.design import preset
    from bidui.people.lists import fitted
    from bidui.people.study import draw_study, pinned_version, read_study, write_study

    if out is not None:
        check_new_folder(out)
    chosen = preset(design) if isinstance(design, str) else design
    made = isinstance(source, str | Path) and is_project(source)
    opened: AnyPairs | Project = open_project(source) if made else source  # type: ignore[arg-type]
    hashes: dict[str, str] = {}
    # More than are needed: all variants should be among them, and catch trials are made of what is left.
    n = max(3 * chosen.per_paradigm, 20)
    if isinstance(opened, Project):
        hashes = {each.uid: pinned_version(each) for each in opened.paradigms}
        chosen = replace(chosen, language=chosen.language or opened.settings.lang)
        paradigms = [(each.uid, each.phenomenon, each.status == "included") for each in opened.paradigms]
        pool = generate(opened, n=n, seed=chosen.seed, only=_asked(paradigms, only, phenomena))
    else:
        every = find_pairs(opened)
        asked = set(_asked([(pair.uid, pair.phenomenon, True) for pair in every], only, phenomena))
        pool = Pairs(tuple(pair for pair in every if pair.uid in asked))
    if fit or isinstance(design, str):
        chosen = fitted(chosen, paradigms=len(pool.by_uid()))
    study = draw_study(
        pool,
        chosen,
        name=name or (Path(out).resolve().name if out else "study"),
        texts=texts,
        catch=as_pairs(catch),
        practice=as_pairs(practice),
        fillers=as_pairs(fillers),
        source=opened.settings.name if isinstance(opened, Project) else "",
        paradigms=hashes,
        follows=read_study(follows) if follows else None,
        before=folder_counts(follows) if follows else None,
    )
    if out is not None:
        write_study(study, out)
    return study


def _asked(
    paradigms: Sequence[tuple[str, str, bool]], only: str | Sequence[str], phenomena: str | Sequence[str]
) -> tuple[str, ...]:
    """Return the uids of the paradigms to ask about: those named, those of the phenomena, or all that are included."""
    from bidui.grammar.project import chosen_uids

    phenomena = (phenomena,) if isinstance(phenomena, str) else phenomena
    included = {uid: there for uid, _, there in paradigms}
    known = {phenomenon for _, phenomenon, _ in paradigms}
    if unknown := [name for name in phenomena if name not in known]:
        raise fail("phenomenon-unknown", Place(), {"names": unknown, "known": sorted(known)})
    named = chosen_uids(included, only=only) if only or not phenomena else ()
    within = {uid for uid, phenomenon, there in paradigms if there and phenomenon in phenomena}
    return tuple(uid for uid in included if uid in within or uid in named)


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
    on: AnyOn = LOCAL,
    force: bool = False,
    on_paradigm: Callable[[int, int], None] = lambda done, total: None,
) -> Written:
    """Generate pairs into a folder, one file per paradigm and a manifest, holding one paradigm in memory at a time.

    A folder that already holds these pairs is left as it is; one that holds others is refused unless `force`.
    `on_paradigm` is called with the number of paradigms done and of all. `on` is `local`, `processes:N` or
    `ray[:ADDRESS]`, and does not change the bytes. `out` may be a URL such as `s3://bucket/pairs`.
    """
    from bidui.grammar.generate import origin_of
    from bidui.grammar.project import chosen_uids

    place = parse_on(on) if on != "local" else LOCAL  # first: a large project takes a while to open
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
    home = open_folder(out) if ":/" in str(out) else None  # a URL, or else a path that is used as it is
    if home is not None:
        home.pull()
    plan = plan_folder(
        home.path if home is not None else out,
        asked=settings,
        inputs=opened.inputs,
        benchmarks=[origin_of(opened)],
        format=format,
        force=force,
    )

    def counted() -> Iterator[Pairs]:
        paradigms = _each_paradigm(source, opened, uids, n=n, seed=seed, draw=draw, on=place)
        for done, pairs in enumerate(paradigms, start=1):
            yield pairs
            on_paradigm(done, len(uids))

    written = write_folder(plan, counted())
    if home is not None:
        home.push()
    return written


def _each_paradigm(
    source: "str | Path | Project | Source",
    opened: "Source",
    uids: Sequence[str],
    *,
    n: int,
    seed: int,
    draw: "Drawing",
    on: On,
) -> Iterator[Pairs]:
    if on.kind == "local" or len(uids) < 2:
        yield from opened.pairs(uids, n=n, seed=seed, draw=draw)
        return
    # A worker opens a benchmark by its name, which is on every machine; anything else is sent to it.
    named = isinstance(source, str) and find_entry(source) is not None
    start = partial(open_source, source if named else opened)
    with open_workers(start, on=on, most=len(uids)) as workers:
        shares = [uids[at : at + SHARE] for at in range(0, len(uids), SHARE)]
        for share in workers.map(partial(_share, n=n, seed=seed, draw=draw), shares):
            yield from share


def _share(source: "Source", uids: Sequence[str], *, n: int, seed: int, draw: "Drawing") -> list[Pairs]:
    """Generate some paradigms in a worker."""
    return list(source.pairs(uids, n=n, seed=seed, draw=draw))
