"""Machines that only train and run models have torch, transformers, tokenizers, numpy, safetensors, and no more."""

import subprocess
import sys

import pytest

from ..snippets import ROOT

ABSENT = ["polars", "typer", "rich", "scipy", "jieba", "matplotlib", "fastapi", "sqlalchemy", "kenlm", "jinja2"]
CODE = """
import importlib, pathlib, sys
for name in {absent}:
    sys.modules[name] = None  # so that importing it fails
for room in ("models", "training"):
    for path in sorted(pathlib.Path({source!r}, "bidui", room).glob("*.py")):
        importlib.import_module(f"bidui.{{room}}.{{path.stem}}".removesuffix(".__init__"))
for name in ("Recipe", "Model", "TokenScores", "build_corpus", "given", "load_model", "train", "train_ngram"):
    getattr(importlib.import_module("bidui"), name)
"""


def test_models_and_training_need_no_other_package() -> None:
    source = str(ROOT / "src")
    code = CODE.format(absent=ABSENT, source=source)
    environment = {"PYTHONPATH": source, "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["polars", "typer"])
def test_the_test_can_fail(name: str) -> None:
    """A blocked package cannot be imported, or the test above would pass whatever it needs."""
    code = f"import sys; sys.modules[{name!r}] = None; import {name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert done.returncode == 1 and "ModuleNotFoundError" in done.stderr
