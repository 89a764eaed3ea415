"""Checkpoints go from one version of transformers to the other, and give the same numbers there."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import transformers

from bidui.models.specs import SHIPPED
from bidui.training.recipe import Recipe
from bidui.training.run import train
from bidui.training.tokenizers import train_tokenizer
from tests.snippets import ROOT
from tests.training.version_probe import probe

OTHER = os.environ.get("BIDUI_TRANSFORMERS")
pytestmark = pytest.mark.skipif(
    not OTHER, reason="BIDUI_TRANSFORMERS names no Python with another version of transformers; see `make matrix`"
)
TEXT = "\n".join(f"第{number % 7}天{'猫狗牛鸟'[number % 4]}吃{'鱼肉草虫'[number % 4]}。\n" for number in range(200))
SENTENCES = ["第1天猫吃鱼。", "狗吃牛吃草", "他吃了"]


def other(*arguments: str, cwd: Path = ROOT, python: str = OTHER or "") -> str:
    """What the other Python prints; it finds these sources."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "HF_HUB_OFFLINE": "1"}
    command = [python, *arguments]
    ended = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def both(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    here = probe(str(folder), SENTENCES)
    there = json.loads(other("-m", "tests.training.version_probe", str(folder), *SENTENCES))
    assert here.pop("version") != there.pop("version")
    return here, there


def same(folder: Path) -> None:
    """The same tokens, and the same log-probabilities by transformers and by bidui, in both versions."""
    here, there = both(folder)
    assert here["ids"] == there["ids"]
    for name in ("logprobs", "bidui"):
        for one, two, three in zip(here[name], there[name], here["logprobs"], strict=True):
            assert one == pytest.approx(two, abs=2e-5) and one == pytest.approx(three, abs=2e-5)


def test_the_other_version_is_another() -> None:
    version = other("-c", "import transformers; print(transformers.__version__)").strip()
    assert version.partition(".")[0] != transformers.__version__.partition(".")[0]


def test_the_shipped_model_is_the_same_in_both() -> None:
    same(SHIPPED / "zh-14m-char")


@pytest.mark.parametrize("kind", ["char", "word"])
def test_what_this_version_trains_the_other_loads(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    train_tokenizer(kind, tmp_path / "a.txt", out=tmp_path / "tok", least=1)  # type: ignore[arg-type]
    recipe = Recipe("14m", tokens=128, batch=2, context=32, milestones="last")
    run = train(recipe, corpus=tmp_path / "a.txt", tokenizer=str(tmp_path / "tok"), out=tmp_path / "runs")
    same(run.checkpoints[-1])


@pytest.mark.parametrize("kind", ["char", "word"])
def test_what_the_other_version_trains_this_one_loads(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    bidui = ("-m", "bidui")
    other(*bidui, "tokenizer", "train", kind, "--corpus", "a.txt", "-o", "tok", "--least", "1", cwd=tmp_path)
    other(*bidui, "corpus", "build", "a.txt", "--tokenizer", "tok", "-o", "shards", cwd=tmp_path)
    run = ("--corpus", "shards", "--tokens", "128", "--batch", "2", "--context", "32", "--milestones", "last")
    other(*bidui, "train", "14m", *run, "-o", "runs", "--name", "run", cwd=tmp_path)
    *_, last = sorted((tmp_path / "runs" / "run").glob("step-*"))
    same(last)


LSTM = """
import json, sys
from bidui.models.specs import load_model
print(json.dumps([scores.logprobs.tolist() for scores in load_model(sys.argv[1]).score(sys.argv[2:])]))
"""


@pytest.mark.parametrize("python", [OTHER or "", sys.executable])
def test_an_lstm_goes_both_ways(tmp_path: Path, python: str) -> None:
    """It has no model of transformers, but a tokenizer."""
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    train = ("-m", "bidui", "tokenizer", "train", "jieba", "--corpus", "a.txt", "-o", "tok", "--least", "1")
    other(*train, cwd=tmp_path, python=python)
    run = ("--tokenizer", "tok", "--tokens", "64", "--batch", "2", "--context", "16", "--milestones", "last")
    other("-m", "bidui", "train", "lstm", "--corpus", "a.txt", *run, "--name", "run", cwd=tmp_path, python=python)
    *_, last = sorted((tmp_path / "runs" / "run").glob("step-*"))
    here, there = (
        json.loads(other("-c", LSTM, str(last), *SENTENCES, python=p)) for p in (sys.executable, OTHER or "")
    )
    for one, two in zip(here, there, strict=True):
        assert one == pytest.approx(two, abs=2e-5)
