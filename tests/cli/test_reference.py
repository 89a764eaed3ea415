"""The references of the commands and of the API are made from the code, and are the ones in the docs."""

import pytest

import bidui
from bidui.cli.reference import api_reference, cli_reference

from ..snippets import ROOT


def test_the_page_in_the_docs_is_current() -> None:
    """After a change of a command: `make docs`."""
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == cli_reference()


def test_every_command_is_on_the_page() -> None:
    """By hand, so that a command lost from the program is missed here too."""
    commands = [
        *("check", "compare", "corpus", "corpus build", "corpus show", "diversity", "export-classic"),
        *("export-lm-eval", "export-scores", "generate", "import-classic", "new", "ngram", "push", "report", "score"),
        *("serve", "show", "study", "study decide", "study export", "study fetch", "study import", "study list"),
        *("study lists", "study new", "study progress", "study results", "study send", "study state", "study withdraw"),
        *("suite", "tokenizer", "tokenizer show", "tokenizer train", "train", "trees", "trees extract", "trees search"),
    ]
    titles = [line for line in cli_reference().splitlines() if line.startswith("## ")]
    assert titles == [f"## bidui {command}" for command in commands]


@pytest.fixture(scope="module")
def api() -> str:
    return api_reference()


def test_the_page_of_the_api_is_current(api: str) -> None:
    """After a change of a public name, its signature or its docstring: `make docs`."""
    assert (ROOT / "docs" / "api.md").read_text(encoding="utf-8") == api


def test_every_public_name_is_described_once_and_has_a_step(api: str) -> None:
    lines = api.splitlines()
    assert sorted(line[4:] for line in lines if line.startswith("### ")) == sorted(bidui.__all__)
    assert [line[3:] for line in lines if line.startswith("## ")] == [
        *("Write", "Generate", "Score", "Link", "Train", "Ask", "Analyse", "Report", "Errors")
    ]


def test_a_signature_is_shown_as_written(api: str) -> None:
    """By hand: with its annotations, its defaults, and the star before the keywords."""
    assert "count(project: str | Path | Project, uid: str) -> Count" in api
    assert "slln_lp(alpha: float = 0.5) -> Link" in api
    assert "choose(" in api and "    *,\n" in api
