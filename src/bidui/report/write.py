"""Writing a report: a folder that is there whole or not at all, and that replaces only what an earlier report wrote."""

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.pairs import Json, check_new_folder, sha256, write_file
from bidui.pairs.atomic import TEMPORARY
from bidui.pairs.manifest import tool_version
from bidui.report.latex import latex
from bidui.report.page import page
from bidui.report.section import Picture, Section
from bidui.report.tables import Table, csv_text, markdown
from bidui.words import Language, texts

MANIFEST, INDEX = "report.json", "index.html"


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """The page, how many files there are with it, and what readers of figures will miss."""

    index: Path
    files: int
    problems: tuple[Problem, ...]


def check_place(out: Path) -> None:
    """Refuse a folder that holds anything but an earlier report, as it was written; to be asked before long work."""
    file = out / MANIFEST
    if not file.is_file():
        check_new_folder(out)
        return
    try:
        known = json.loads(file.read_text(encoding="utf-8"))["files"]
        there = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file() and path != file}
        changed = [name for name, path in there.items() if name in known and sha256(path.read_bytes()) != known[name]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise fail("report-manifest", Place(str(file)), {"reason": str(error)}) from error
    if foreign := sorted(there.keys() - known.keys()):
        raise OutputRefused(str(Problem("report-foreign", Place(str(out)), {"files": foreign})))
    if changed:
        raise OutputRefused(str(Problem("report-changed", Place(str(out)), {"files": sorted(changed)})))


def write_report(
    sections: Sequence[Section],
    *,
    out: Path,
    title: str,
    language: Language = "en",
    asked: Mapping[str, Json] | None = None,
    inputs: Mapping[str, str] | None = None,
    on_file: Callable[[str, int], None] = lambda name, count: None,
) -> WrittenReport:
    """Put a report into `out`; `asked` and `inputs` are for its manifest."""
    check_place(out)
    whole = out.resolve()
    new, old = (whole.with_name(f".{whole.name[:80]}.{os.urandom(4).hex()}{TEMPORARY}") for _ in range(2))
    try:
        problems = _write_all(sections, new, title=title, language=language, on_file=on_file)
        hashes = {path.relative_to(new).as_posix(): sha256(path.read_bytes()) for path in _files(new)}
        _write_manifest(new, asked or {}, inputs or {}, hashes)
        if whole.is_dir():
            whole.rename(old)
        new.rename(whole)
    except OSError as error:
        raise fail("write-failed", Place(str(out)), {"reason": error.strerror or str(error)}) from error
    finally:
        if old.is_dir() and not whole.is_dir():
            old.rename(whole)
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)
    return WrittenReport(out / INDEX, len(hashes), problems)


def _write_all(
    sections: Sequence[Section], folder: Path, *, title: str, language: Language, on_file: Callable[[str, int], None]
) -> tuple[Problem, ...]:
    tables = [item for section in sections for item in (*section.items, *section.files) if isinstance(item, Table)]
    pictures = [item for section in sections for item in section.items if isinstance(item, Picture)]
    names = [f"tables/{table.name}" for table in tables] + [f"figures/{picture.name}" for picture in pictures]
    assert len(set(names)) == len(names), "two would have the same files"
    problems: list[Problem] = []
    for table in tables:
        on_file(table.name, len(names))
        for end, text in (("csv", csv_text(table)), ("md", markdown(table)), ("tex", latex(table))):
            write_file(folder / "tables" / f"{table.name}.{end}", text.encode())
    for picture in pictures:
        from bidui.report.figures import save_figure  # matplotlib, only where there are figures

        on_file(picture.name, len(names))
        problems += save_figure(*picture.drawing, folder=folder / "figures", name=picture.name).problems
    say = texts("report", language).__getitem__
    footer = say("footer").format(version=tool_version())
    html = page(sections, title=title, footer=footer, language=language, say=say)
    write_file(folder / INDEX, html.encode())
    return tuple(problems)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _write_manifest(
    folder: Path, asked: Mapping[str, Json], inputs: Mapping[str, str], hashes: Mapping[str, str]
) -> None:
    """Without time, host or absolute path, so that equal runs give equal bytes."""
    found = {"version": tool_version(), "asked": dict(asked), "inputs": dict(inputs), "files": dict(hashes)}
    write_file(folder / MANIFEST, (json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode())
