"""Tests for the reasons that are given where a paradigm has too few pairs."""

import os
import subprocess
import sys
from pathlib import Path

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
