"""Tests for generation: the sources of pairs, and the reasons given where a paradigm has too few."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bidui.benchmarks import generate, generate_folder
from bidui.errors import InputError
from bidui.grammar.generate import ProjectSource, Source, generate_from
from bidui.grammar.project import load_project, new_project
from bidui.pairs import Pair, Pairs, Short

SHORTAGE = """
from tests.grammar.small import drawn, project_of

project = project_of("expression pos classifier\\n书 NN 本\\n鱼 NN 条\\n本 M 本\\n条 M 条")
text = "slots:\\n  m: pos:M mPos:n mPro:classifier\\n  n: pos:NN\\ngood: 一 m n\\nbad: 一 n m\\n"
(short,) = drawn(project, text, 3).short
print(short.given)
print(short.reason)
"""


def _reason(*options: str) -> str:
    root = Path(__file__).parents[2]
    paths = os.pathsep.join((str(root / "src"), str(root), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, *options, "-c", SHORTAGE]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", env={**os.environ, "PYTHONPATH": paths})
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_reason_for_a_shortage_is_the_same_without_assertions() -> None:
    """Keys were numbered inside an `assert`: `python -O` said that no two words went together, while two pairs did."""
    reason = _reason("-O")
    assert reason.startswith("2\n")
    assert "no word here shares a value" not in reason
    assert reason == _reason()


@dataclass(frozen=True)
class Trees:
    """A source of pairs that is no project: for each uid, numbered sentences."""

    uids: Mapping[str, bool] = field(default_factory=lambda: {"b": True, "a": True, "old": False})
    name: str = "trees"
    inputs: Mapping[str, str] = field(default_factory=dict)

    def pairs(self, uids: Sequence[str], *, n: int, seed: int, draw: str) -> Iterator[Pairs]:
        for uid in uids:
            given = tuple(Pair(f"{uid}{seed} {number}", f"*{number}", uid, "p", number) for number in range(min(n, 2)))
            yield Pairs(given, () if n <= 2 else (Short(asked=n, given=2, uid=uid, reason="no more trees"),))


def test_anything_that_makes_pairs_is_a_source() -> None:
    """SLING's paradigms are made from trees, not from a lexicon; the boundary is the same."""
    pairs = generate(Trees(), n=1, seed=7)
    assert [pair.good for pair in pairs] == ["b7 0", "a7 0"]
    assert [short.uid for short in generate(Trees(), n=3).short] == ["b", "a"]


def test_the_paradigms_of_a_source_are_chosen_like_those_of_a_project() -> None:
    done: list[str] = []
    pairs = generate_from(Trees(), n=1, only=["o*", "a"], on_paradigm=done.append)
    assert [pair.uid for pair in pairs] == done == ["a", "old"]
    assert [pair.uid for pair in generate_from(Trees(), n=1, include_excluded=True)] == ["b", "a", "old"]
    with pytest.raises(InputError, match=r"there is no paradigm tree\*"):
        generate_from(Trees(), only=["tree*"])


def test_a_project_is_a_source(tmp_path: Path) -> None:
    new_project(tmp_path / "p", lang="zh")
    project = load_project(tmp_path / "p")
    source: Source = ProjectSource(project)
    assert source.name == project.settings.name and source.inputs == project.inputs
    uids = [uid for uid, included in source.uids.items() if included]
    drawn = [pair for pairs in source.pairs(uids, n=3, seed=1, draw="even") for pair in pairs]
    assert tuple(drawn) == tuple(generate(project, n=3, seed=1)) == tuple(generate(tmp_path / "p", n=3, seed=1))


def test_pairs_of_any_source_are_written_to_a_folder_by_any_number_of_workers(tmp_path: Path) -> None:
    for on in ("local", "processes:2"):
        written = generate_folder(Trees(), out=tmp_path / on.partition(":")[0], n=2, seed=5, on=on)
        assert {uid: file.pairs for uid, file in written.manifest.files.items()} == {"b.jsonl": 2, "a.jsonl": 2}
    alone, shared = (tmp_path / on / "a.jsonl" for on in ("local", "processes"))
    assert alone.read_bytes() == shared.read_bytes()
