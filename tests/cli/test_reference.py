"""The reference of the command line is made from the commands, and is the one in the docs."""

from bidui.cli.reference import reference

from ..snippets import ROOT


def test_the_page_in_the_docs_is_current() -> None:
    """After a change of a command: `make docs`."""
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference()


def test_every_command_is_on_the_page() -> None:
    """By hand, so that a command lost from the program is missed here too."""
    commands = [
        *("check", "compare", "corpus", "corpus build", "corpus show", "diversity", "export-classic"),
        *("export-lm-eval", "export-scores", "generate", "import-classic", "new", "ngram", "report", "score", "serve"),
        *("suite", "tokenizer", "tokenizer show", "tokenizer train", "train"),
    ]
    titles = [line for line in reference().splitlines() if line.startswith("## ")]
    assert titles == [f"## bidui {command}" for command in commands]
