"""The README and its Chinese twin: their snippets run, and they keep in step."""

import re
from pathlib import Path

import pytest

import bidui
from bidui.grammar.project import new_project

from .snippets import BLOCK, ROOT, performed

README, TWIN = ROOT / "README.md", ROOT / "README.zh.md"


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(block["info"], block["body"]) for block in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def headings(page: Path) -> list[int]:
    """The levels of the headings in their order: what two languages can have in common."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]


@pytest.mark.slow
def test_the_snippets_show_what_comes_out(tmp_path: Path) -> None:
    """After a change that is meant: `python tests/snippets.py README*.md`. The next test is for the twin.

    Its Python generates, scores a file of one's own beside the generated pairs, compares, and draws.
    """
    text = README.read_text(encoding="utf-8")
    assert performed(text, tmp_path) == text
    assert (tmp_path / "accuracy.png").read_bytes().startswith(b"\x89PNG")
    (code,) = (body for info, body in blocks(README) if info == "python")
    assert len(code.strip().splitlines()) <= 10
    assert all(call in code for call in ("generate(", '"own.csv"', "score(", "compare(", "savefig("))


def test_the_twins_have_the_same_sections_and_the_same_code() -> None:
    """A reader of either learns the same; the prose between is the translator's."""
    assert headings(README) == headings(TWIN)
    assert len(headings(README)) > 5
    assert blocks(README) == blocks(TWIN)


def test_the_opening_example_makes_the_pairs_beside_it(tmp_path: Path) -> None:
    """The first paradigm that anyone sees of bidui must be a true one."""
    paradigm, pairs = (next(block for block in blocks(README) if block[0] == info) for info in ("yaml", "text"))
    project = tmp_path / "project"
    new_project(project, lang="zh")
    uid = "classifier_noun_agreement"
    (project / "paradigms" / "classifier" / f"{uid}.yaml").write_text(paradigm[1], encoding="utf-8")
    # The paradigm has over a million pairs: the words that are shown are enough.
    lexicon = project / "lexicon.tsv"
    header, *rows = lexicon.read_text(encoding="utf-8").splitlines()
    kept = [row for row in rows if row.split("\t")[0] in pairs[1] or row.split("\t")[1] == "PN"]
    lexicon.write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")
    shown_pairs = {tuple(line.split()) for line in pairs[1].splitlines()}
    made = {(pair.good, pair.bad) for pair in bidui.enumerate_all(bidui.open_project(project), uid)}
    assert len(shown_pairs) == 3
    assert shown_pairs - made == set()


def test_both_open_with_the_two_commands_and_ones_own_file() -> None:
    """What a reader sees on the first screen: the commands, scoring a file, taking it elsewhere, and a picture."""
    for page in (README, TWIN):
        opening = page.read_text(encoding="utf-8").split("\n## ")[0]
        screen = "\n".join(opening.splitlines()[:45])
        for part in ("make demo", "make test", "bidui score own.csv", "bidui export-lm-eval own.csv", "![", "minicons"):
            assert part in screen
