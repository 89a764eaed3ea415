"""Every example in the docs is run, and shows what really comes out."""

import re
from pathlib import Path

import pytest

from .snippets import BLOCK, ROOT, performed

PAGES = sorted((ROOT / "docs").glob("*.md"))
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_show_what_comes_out(page: Path, tmp_path: Path) -> None:
    """After a change that is meant: `python tests/snippets.py docs/*.md README*.md`, and read the difference."""
    text = page.read_text(encoding="utf-8")
    assert performed(text, tmp_path) == text


@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("README*.md")], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, section in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        other = (page.parent / target) if target else page
        assert other.exists(), f"{target} is linked and does not exist"
        if section:
            assert section in sections(other), f"{other.name} has no section #{section}"


def sections(page: Path) -> set[str]:
    """The names under which the headings of a page can be linked, as the common renderers make them."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.name != "index.md" and f"({page.name})" not in index] == []


@pytest.mark.parametrize(
    ("page", "true"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "```console\n$ echo one\none\n```\n"),
        ("```console\n$ exit 3\n?\n```\n", "```console\n$ exit 3\n[exit code 3]\n```\n"),
        (
            "```python\nprint(6 * 7)\n```\n\n```output\n41\n```\n",
            "```python\nprint(6 * 7)\n```\n\n```output\n42\n```\n",
        ),
        (
            "```text file=a/b\nx\n```\n```console\n$ cat a/b\ny\n```\n",
            "```text file=a/b\nx\n```\n```console\n$ cat a/b\nx\n```\n",
        ),
    ],
)
def test_the_test_can_fail(page: str, true: str, tmp_path: Path) -> None:
    """A runner that believes what a page shows would keep every mistake."""
    assert performed(page, tmp_path) == true


@pytest.mark.parametrize("page", ["```console\n$ exit 3\n```\n", "```output\n1\n```\n", "```console\necho\n```\n"])
def test_what_fails_without_being_shown_is_a_failure(page: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        performed(page, tmp_path)
