"""The benchmarks that come with bidui: found by name before paths are, and described by the files in their folders.

A benchmark is a folder here with a `project.yaml`. Beside the project it may have `human.tsv` (judgements of people on
the published pairs), `review.tsv` (a blind review of ours) and `published/` (tables printed in papers). Nothing outside
a folder knows a benchmark by name: a new one is found by its files.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bidui.errors import Place, fail
from bidui.grammar.generate import Drawing, Source, generate_from
from bidui.grammar.project import Project, load_project
from bidui.pairs import Pair, Pairs, read_pairs
from bidui.people.agreement import HUMAN_FILE, judgement_counts

HOME = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark whose pairs people judged: by uid, the kind of each paradigm and the judgements."""

    name: str
    kinds: Mapping[str, str]  # included or excluded
    people: Mapping[str, tuple[int, int]]  # correct judgements, of how many


def shipped() -> dict[str, Path]:
    """Return the folder of each shipped benchmark, by name."""
    return {file.parent.name: file.parent for file in sorted(HOME.glob("*/project.yaml"))}


def judged_benchmarks(uids: Iterable[str] = ()) -> tuple[Benchmark, ...]:
    """Return the shipped benchmarks that have human figures.

    Opening a project takes seconds, so the kinds of paradigms are read only of benchmarks with all these uids.
    """
    wanted, benchmarks = set(uids), []
    for name, folder in shipped().items():
        if (folder / HUMAN_FILE).is_file():
            people = judgement_counts(folder)
            paradigms = load_project(folder).paradigms if wanted and wanted <= people.keys() else ()
            benchmarks.append(Benchmark(name, {paradigm.uid: paradigm.status for paradigm in paradigms}, people))
    return tuple(benchmarks)


def project_folder(name_or_path: str | Path) -> Path:
    """Return the folder of a benchmark or project; `./zhoblimp` is always a path."""
    known = shipped()
    if isinstance(name_or_path, str) and name_or_path in known:
        return known[name_or_path]
    path = Path(name_or_path)
    if not path.exists():
        raise fail("project-missing", Place(), {"path": name_or_path, "known": list(known)})
    return path


def open_project(name_or_path: str | Path) -> Project:
    """Open a shipped benchmark by name, or the project in a folder; raises `InputError` with every error found."""
    return load_project(project_folder(name_or_path))


def generate(
    source: str | Path | Project | Source,
    *,
    n: int = 300,
    seed: int = 0,
    draw: Drawing = "even",
    only: Sequence[str] = (),
    include_excluded: bool = False,
) -> Pairs:
    """Return `n` distinct pairs of every paradigm; `.short` lists the paradigms that have fewer, and why.

    The source is a shipped benchmark by name, a project folder, a project, or anything else that makes pairs.
    """
    opened = open_project(source) if isinstance(source, str | Path) else source
    return generate_from(opened, n=n, seed=seed, draw=draw, only=only, include_excluded=include_excluded)


def find_pairs(source: str | Path | Pairs | Sequence[Pair], *, n: int = 300, seed: int = 0) -> Pairs:
    """Return the pairs that a source names.

    `n` pairs per paradigm are generated from a shipped benchmark or a project; a file or folder of pairs is read; pairs
    are returned as they are.
    """
    if isinstance(source, Pairs):
        return source
    if not isinstance(source, str | Path):
        return Pairs(tuple(source))
    if source in shipped() or (Path(source) / "project.yaml").is_file():
        return generate(source, n=n, seed=seed)
    return read_pairs(source)
