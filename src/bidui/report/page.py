"""The page: every table and figure of a report, and why others are not there, in one file that opens offline."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from bidui.report.section import Absent, Item, Picture, Section, sentence
from bidui.report.tables import SENTENCE, Table, Value, shown
from bidui.words import Language, Say

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
