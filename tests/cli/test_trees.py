"""`bidui trees`: matches on stdout, what was broken on stderr."""

import json
from pathlib import Path

from typer.testing import CliRunner

from bidui.cli.main import app
from tests.treebank.small import GARDENER, TEACHER

PATTERN = "VP[... verb:VV AS? object:NP-OBJ]"


def test_matches_are_shown_with_their_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(GARDENER + TEACHER, encoding="utf-8")
    shown = CliRunner().invoke(app, ["trees", "search", PATTERN, str(path)])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[:2] == [
        f"{path}:1: 修剪了两排灌木  verb=修剪  object=两排灌木",
        "    昨天园丁修剪了两排灌木，又喷洒肥料。",
    ]
    assert shown.stderr == "3 matches in 2 of 2 trees\n"


def test_programs_get_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(TEACHER, encoding="utf-8")
    tsv = CliRunner().invoke(app, ["trees", "search", PATTERN, str(path), "--format", "tsv"])
    assert tsv.stdout == (
        f"file\tline\tmatch\tverb\tobject\tsentence\n{path}\t1\t批改作业\t批改\t作业\t这位钢琴老师批改作业。\n"
    )
    jsonl = CliRunner().invoke(app, ["trees", "search", "M", str(path), "--format", "jsonl"])
    assert json.loads(jsonl.stdout) == {
        **{"file": str(path), "line": 1, "match": "位"},
        "sentence": "这位钢琴老师批改作业。",
    }


def test_broken_trees_are_listed_and_change_the_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text("(IP (VP (VV 走 路)))\n" + TEACHER, encoding="utf-8")
    shown = CliRunner().invoke(app, ["trees", "search", "M", str(path)])
    assert shown.exit_code == 1
    assert "位" in shown.stdout
    assert f"{path}:1: (VV …) has the word 走" in shown.stderr and "1 tree could not be read" in shown.stderr


def test_the_first_matches_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(TEACHER * 9, encoding="utf-8")
    shown = CliRunner().invoke(app, ["trees", "search", "M", str(path), "-n", "2"])
    assert shown.stdout.count("位\n") == 2 and "stopped after 2 matches" in shown.stderr
