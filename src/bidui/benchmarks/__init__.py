"""The benchmarks that come with bidui, found by name before paths are."""

from collections.abc import Sequence
from pathlib import Path

from bidui.errors import Place, fail
from bidui.grammar.generate import Drawing, generate_project
from bidui.grammar.project import Project, load_project
from bidui.pairs import Pair, Pairs, read_pairs


def shipped() -> dict[str, Path]:
    """The folder of each shipped benchmark, by name."""
    home = Path(__file__).parent
    return {folder.parent.name: folder.parent for folder in sorted(home.glob("*/project.yaml"))}


def project_folder(name_or_path: str | Path) -> Path:
    """Where a benchmark or project lies; `./zhoblimp` is always a path."""
    known = shipped()
    if isinstance(name_or_path, str) and name_or_path in known:
        return known[name_or_path]
    path = Path(name_or_path)
    if not path.exists():
        raise fail("project-missing", Place(), {"path": name_or_path, "known": list(known)})
    return path


def open_project(name_or_path: str | Path) -> Project:
    """A shipped benchmark by name, or the project in a folder; raises `InputError` with every error in its files."""
    return load_project(project_folder(name_or_path))


def generate(
    project: str | Path | Project,
    *,
    n: int = 300,
    seed: int = 0,
    draw: Drawing = "even",
    only: Sequence[str] = (),
    include_excluded: bool = False,
) -> Pairs:
    """`n` distinct pairs of every paradigm; `.short` says what fell short and why."""
    opened = project if isinstance(project, Project) else open_project(project)
    return generate_project(opened, n=n, seed=seed, draw=draw, only=only, include_excluded=include_excluded)


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
