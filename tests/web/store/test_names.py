"""Names are ids: nothing that a client sends as one leads out of its project."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.grammar.names import file_path, kind_of, named_tables, paradigm_file
from bidui.web.store.disk import open_store
from bidui.web.store.workspace import entry

from .small import write_small

TRICKS = [
    "..",
    "../small",
    "small/../small",
    "/etc",
    "C:",
    "C:\\small",
    "..\\small",
    ".bidui",
    ".",
    "",
    "small ",
    "small.",
    "sm\x00all",
    "sm\nall",
    "con",
    "NUL.yaml",
    "\ud800",
    "~root/x:y",
    "e\u0301",  # é as two characters: another name that looks the same
    "a" * 300,
]


@pytest.mark.parametrize("name", TRICKS)
def test_a_name_with_a_trick_in_it_is_no_project(tmp_path: Path, name: str) -> None:
    write_small(tmp_path / "small")
    store = open_store(tmp_path)
    with pytest.raises(InputError):
        entry(store, name)
    store.close()


@pytest.mark.parametrize("part", TRICKS)
def test_a_trick_in_any_part_of_a_files_name_is_refused(tmp_path: Path, part: str) -> None:
    for name in (part, f"paradigms/{part}/x.yaml", f"paradigms/x/{part}.yaml/..", f"relations/{part}"):
        assert kind_of(name) is None
        with pytest.raises(InputError, match="not a project file"):
            file_path(tmp_path, name)
    with pytest.raises(InputError, match="cannot be the name"):
        paradigm_file(part, "x")


@given(st.text())
def test_whatever_is_taken_for_a_file_lies_in_the_project(name: str) -> None:
    """The folder need not be there: names alone decide."""
    if kind_of(name):
        inside = Path("/p").joinpath(name)
        assert inside.parts[:2] == ("/", "p")
        assert ".." not in inside.parts and not any(part.startswith(".") for part in inside.parts[2:])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("project.yaml", "settings"),
        ("lexicon.tsv", "lexicon"),
        ("lexicon/名词.tsv", "lexicon"),
        ("features.tsv", "features"),
        ("phrases.yaml", "phrases"),
        ("relations/gives.tsv", "relation"),
        ("tables/gives.tsv", "relation"),
        ("paradigms/把字句/把_1.yaml", "paradigm"),
        ("paradigms/x.yml", "paradigm"),
        ("card.md", "notes"),
        ("phrases.yml", None),
        ("other.yaml", None),
        ("paradigms/x.tsv", None),
        ("paradigms/a/b/c/d/e/f.yaml", None),
        ("pairs/x.jsonl", None),
    ],
)
def test_the_place_of_a_file_says_what_it_is(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


def test_tables_that_the_settings_name_outside_the_project_are_none() -> None:
    text = "relations:\n  a: fills.tsv\n  b: ../x.tsv\n  c: /etc/x.tsv\n  d: [x.tsv]\n  e: .bidui/x.tsv\n"
    assert named_tables(text) == ("fills.tsv",)
    assert named_tables("relations: x.tsv") == named_tables("[") == named_tables("") == ()
