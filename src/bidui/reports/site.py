"""Contents: the sections that a set of results gives, in the order of the page."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.files import Json, Manifest, check_new_folder, file_hash, new_folder, tool_version, write_file, write_json
from bidui.reports.results import Results, standings
from bidui.reports.section import Absent, Asked, Item, Picture, Section, sentence
from bidui.reports.sections.accuracy import accuracy_section
from bidui.reports.sections.comparisons import comparisons
from bidui.reports.sections.frequencies import frequencies_section
from bidui.reports.sections.learning import learning_section, scaling_section
from bidui.reports.sections.length_bias import length_section
from bidui.reports.sections.overview import overview
from bidui.reports.sections.people import people_section, ratings_section
from bidui.reports.sections.published import published_section
from bidui.reports.sections.regions import regions_section
from bidui.reports.sections.sling import sling_section
from bidui.reports.tables import SENTENCE, Table, Value, csv_text, latex, markdown, shown
from bidui.words import Language, Say, texts

OnSection = Callable[[str, int], None]  # the title of the section that is being made, and how many there are in all


def contents(results: Results, asked: Asked, *, on_section: OnSection = lambda title, count: None) -> Iterator[Section]:
    """One section after another, each made when it is asked for."""
    chosen = standings(results, asked.links, usual=asked.usual)
    makers: dict[str, Callable[[], Section]] = {
        "overview": lambda: overview(results, asked),
        "accuracy": lambda: accuracy_section(chosen, asked),
        "compared": lambda: comparisons(results, asked),
        "length": lambda: length_section(results, chosen, asked),
        "regions": lambda: regions_section(results, asked),
        "people": lambda: people_section(chosen, asked),
        "ratings": lambda: ratings_section(chosen, asked),
        "sling": lambda: sling_section(results.models, asked),
        "frequencies": lambda: frequencies_section(asked),
        "published": lambda: published_section(chosen, asked),
        "scaling": lambda: scaling_section(results, asked),
        "learning": lambda: learning_section(results, asked),
    }
    for title, make in makers.items():
        on_section(asked.say(title), len(makers))
        yield make()


# The page: every table and figure of a report, and why others are not there, in one file that opens offline.

OPEN_ROWS = 32  # a longer table is folded
WIDE = 600  # pixels, beyond which a small screen shows a figure by parts
PIXELS = 135  # a printed inch, so that the small type of papers can be read on a screen
TABLE_FORMATS = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
FIGURE_FORMATS = {"svg": "SVG", "pdf": "PDF", "png": "PNG", "csv": "CSV"}
LANGUAGES: dict[Language, str] = {"en": "en", "zh": "zh-Hans"}


def page(sections: Sequence[Section], *, title: str, footer: str, language: Language, say: Say) -> str:
    """The HTML of a report; links go to `tables/` and `figures/` beside it."""
    template = Template((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
    links = "\n".join(f'<li><a href="#{escape(s.name)}">{escape(s.title)}</a></li>' for s in sections)
    return template.substitute(
        language=LANGUAGES[language],
        title=escape(title),
        contents=escape(say("contents")),
        skip=escape(say("skip")),
        links=links,
        sections="\n".join(_section(section, language, say) for section in sections),
        footer=escape(footer),
    )


def _section(section: Section, language: Language, say: Say) -> str:
    parts = [f'<section id="{escape(section.name)}">', f"<h2>{escape(section.title)}</h2>"]
    if section.about:
        parts.append(f'<p class="about">{escape(section.about)}</p>')
    parts += [_item(item, language, say) for item in _merged(section.items)]
    if section.files:
        rows = [
            f"<li>{escape(table.title)}: {_links('tables', table.name, TABLE_FORMATS)}</li>" for table in section.files
        ]
        parts.append(f'<h3>{escape(say("further"))}</h3><ul class="further">{"".join(rows)}</ul>')
    return "\n".join([*parts, "</section>"])


def _merged(items: Sequence[Item]) -> list[Item]:
    """Things that are absent for the same reason, one after the other, become one."""
    found: list[Item] = []
    for item in items:
        last = found[-1] if found else None
        if isinstance(item, Absent) and isinstance(last, Absent) and item.problems == last.problems:
            found[-1] = Absent(f"{last.title} · {item.title}", last.problems)
        else:
            found.append(item)
    return found


def _item(item: Item, language: Language, say: Say) -> str:
    if isinstance(item, Table):
        return _table(item, say)
    return _picture(item) if isinstance(item, Picture) else _absent(item, language)


def _table(table: Table, say: Say) -> str:
    heads = "".join(f'<th scope="col"{_side(column.unit)}>{escape(column.head)}</th>' for column in table.columns)
    rows = "\n".join(_row(table, row) for row in table.rows)
    kind = ' class="whole"' if table.whole else ""
    inner = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f"<table{kind}><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )
    if len(table.rows) > OPEN_ROWS:
        summary = say("rows").format(count=len(table.rows))
        inner = f"<details><summary>{escape(summary)}</summary>{inner}</details>"
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    files = f'<p class="files">{_links("tables", table.name, TABLE_FORMATS)}</p>'
    return f'<article id="{escape(table.name)}"><h3>{escape(table.title)}</h3>{inner}{note}{files}</article>'


def _row(table: Table, row: tuple[Value, ...]) -> str:
    cells = []
    for number, (value, column) in enumerate(zip(row, table.columns, strict=True)):
        found = shown(value, column.unit)
        interval = f' <span class="interval">{escape(found.interval)}</span>' if found.interval else ""
        side = ' class="sentence"' if len(found.text) > SENTENCE else _side(column.unit)
        opening, closing = ('<th scope="row">', "</th>") if number == 0 else (f"<td{side}>", "</td>")
        cells.append(f"{opening}{escape(found.text)}{interval}{closing}")
    return f"<tr>{''.join(cells)}</tr>"


def _side(unit: str) -> str:
    return "" if unit == "text" else ' class="number"'


def _picture(picture: Picture) -> str:
    width, height = picture.drawing.figure.get_size_inches() * PIXELS
    kind = ' class="wide"' if width > WIDE else ""
    image = (
        f'<div class="plate" tabindex="0"><img{kind} src="figures/{escape(picture.name)}.svg"'
        f' alt="{escape(picture.title)}" width="{width:.0f}" height="{height:.0f}" loading="lazy"></div>'
    )
    note = f'<p class="note">{escape(picture.note)}</p>' if picture.note else ""
    files = f'<p class="files">{_links("figures", picture.name, FIGURE_FORMATS)}</p>'
    return (
        f'<article id="figure-{escape(picture.name)}"><h3>{escape(picture.title)}</h3>'
        f"<figure>{image}<figcaption>{note}{files}</figcaption></figure></article>"
    )


def _absent(item: Absent, language: Language) -> str:
    texts = []
    for problem in item.problems:
        place = f"<code>{escape(str(problem.place))}</code>: " if str(problem.place) else ""
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(sentence(problem, language)))
        texts.append(f"<p>{place}{text}</p>")
    return f'<article class="absent"><h3>{escape(item.title)}</h3>{"".join(texts)}</article>'


def _links(folder: str, name: str, formats: dict[str, str]) -> str:
    return " · ".join(f'<a href="{folder}/{escape(name)}.{end}">{shown}</a>' for end, shown in formats.items())


# Writing a report: a folder that is there whole or not at all, and that replaces only what an earlier report wrote.

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
        report = Manifest(files=dict(json.loads(file.read_text(encoding="utf-8"))["files"]))
        names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file() and path != file}
        changed = report.changed(out)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise fail("report-manifest", Place(str(file)), {"reason": str(error)}) from error
    if foreign := sorted(names - report.files.keys()):
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
    with new_folder(out, replace=True) as new:
        problems = _write_all(sections, new, title=title, language=language, on_file=on_file)
        paths = sorted(path for path in new.rglob("*") if path.is_file())
        hashes = {path.relative_to(new).as_posix(): file_hash(path) for path in paths}
        value = {"version": tool_version(), "asked": dict(asked or {}), "inputs": dict(inputs or {}), "files": hashes}
        write_json(new / MANIFEST, value, sort=True)
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
        from bidui.reports.figures import save_figure  # matplotlib, only where there are figures

        on_file(picture.name, len(names))
        problems += save_figure(*picture.drawing, folder=folder / "figures", name=picture.name).problems
    say = texts("report", language).__getitem__
    footer = say("footer").format(version=tool_version())
    html = page(sections, title=title, footer=footer, language=language, say=say)
    write_file(folder / INDEX, html.encode())
    return tuple(problems)
