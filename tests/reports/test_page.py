"""The page: whole HTML, safe, in both languages, and without anything from elsewhere."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest
from matplotlib.figure import Figure

from bidui.analysis.estimate import Estimate
from bidui.errors import Problem
from bidui.reports.figures import Drawing, Rows
from bidui.reports.section import Absent, Item, Picture, Section
from bidui.reports.site import page
from bidui.reports.tables import Column, Table
from bidui.words import Language

VOID = {"meta", "img", "br", "link", "hr", "input"}
EVIL = '<script>alert(1)</script> & "it\'s"'
TABLE = Table(
    "t", "A table", (Column("a", EVIL), Column("b", "b", "percent")), ((EVIL, Estimate(0.5, 0.4, 0.6)),), note=EVIL
)


@dataclass
class Reader(HTMLParser):
    """Follows the tags of a page: those still open, all links and sources, ids, and the text."""

    open: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.targets += [str(found[name]) for name in ("href", "src") if name in found]
        self.ids += [str(found["id"])] if "id" in found else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def made(*items: Item, language: Language = "en", files: tuple[Table, ...] = ()) -> tuple[str, Reader]:
    section = Section("one", "One", "About it.", items, files)
    html = page([section], title=EVIL, footer="made by hand", language=language)
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return html, reader


def picture(name: str = "f") -> Picture:
    return Picture(name, "A figure", Drawing(Figure(figsize=(6.9, 3)), Rows(("a",), ((1,),))), "How to read it.")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_is_whole_html_without_anything_from_elsewhere(language: Language) -> None:
    """It is opened from a disk, on a train, and by a screen reader."""
    html, reader = made(TABLE, picture(), Absent("gone", (Problem("report-no-runs"),)), language=language)
    assert html.startswith("<!DOCTYPE html>")
    assert f'<html lang="{"zh-Hans" if language == "zh" else "en"}">' in html
    assert not re.search(r"https?:|//[a-z]|@import|url\(", html)
    assert "script" not in reader.tags
    assert {"h1", "h2", "h3", "main", "nav", "footer"} <= set(reader.tags)
    assert len(reader.ids) == len(set(reader.ids))
    assert {target[1:] for target in reader.targets if target.startswith("#")} <= set(reader.ids)


def test_what_a_user_named_cannot_become_a_tag() -> None:
    """Names of models come from folders and files of others."""
    _, reader = made(TABLE)
    assert "script" not in reader.tags
    assert reader.text.count(EVIL) == 5  # the title twice, head, cell, note


def test_links_go_to_the_files_of_every_table_and_figure() -> None:
    """By hand: three formats of two tables, four of the figure, and the figure itself as SVG."""
    _, reader = made(TABLE, picture("g"), files=(Table("u", "U", (), ()),))
    files = [target for target in reader.targets if not target.startswith("#")]
    assert sorted(files) == sorted(
        [f"tables/{name}.{end}" for name in "tu" for end in ("csv", "md", "tex")]
        + [f"figures/g.{end}" for end in ("svg", "svg", "pdf", "png", "csv")]
    )


def test_what_is_absent_is_named_with_the_reason_in_the_language_of_the_page() -> None:
    """It must not vanish; and three things with one reason are said once."""
    gone = tuple(Absent(title, (Problem("report-no-unigrams"),)) for title in ("A", "B"))
    _, english = made(*gone)
    assert "A · B" in english.text and english.text.count("which MORCELA needs") == 1
    _, chinese = made(*gone, language="zh")
    assert "一元频率" in chinese.text


def test_a_reason_begins_with_a_capital_but_an_option_or_a_name_stays_as_it_is() -> None:
    """A style of the page once made --Pairs of --pairs, which nobody can type."""
    reasons = (Problem("report-no-given", values={"option": "--pairs"}), Problem("report-no-runs"))
    text, found = made(Absent("A", reasons))
    assert "--pairs was not given" in found.text and "There are no training runs" in found.text
    assert "first-letter" not in text


def test_a_long_table_is_folded_and_a_short_one_is_not() -> None:
    """118 paradigms would push everything else away."""
    assert "details" not in made(TABLE)[1].tags
    long = Table("long", "L", (Column("a", "a"),), tuple((str(n),) for n in range(118)))
    _, reader = made(long)
    assert "details" in reader.tags and "118" in reader.text


def test_values_are_as_in_the_other_formats() -> None:
    """50.00 [40.00, 60.00] here and in Markdown and LaTeX."""
    html, _ = made(TABLE)
    assert '<td class="number">50.00 <span class="interval">[40.00, 60.00]</span></td>' in html
