"""The runs of a suite as tasks: what is asked of `bidui train`, and what is refused before it is called."""

import json
from pathlib import Path

import pytest
import torch

from bidui.errors import InputError, OutputRefused
from bidui.scale.suites import open_corpora, run_progress, suite_tasks, suite_workers
from bidui.training.build import build_corpus
from bidui.training.corpus import Bos, Corpus
from bidui.training.suite import SuiteRun
from bidui.training.tokenizers import train_char

TEXT = "甲乙丙丁戊己庚辛壬癸"
RUN = SuiteRun("14m", "char", 640, 3)


def corpus_of(folder: Path, *, tokens: int = 640, bos: Bos = "none") -> Corpus:
    """So many tokens: lines of nine characters and the line end, one document."""
    (folder / "a.txt").write_text("\n".join([TEXT[:9]] * (tokens // 10)), encoding="utf-8")
    return build_corpus(
        folder / "a.txt", train_char([TEXT + "\n"], least=1), out=folder / "shards", bos=bos, validation=0
    )


def test_each_run_is_one_call_of_train(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path)
    options = ["--batch", "4"]
    (task,) = suite_tasks([RUN], {"char": corpus}, out=tmp_path / "runs", device="mps", options=options)
    assert task.name == "14m-640-char-3"
    asked = task.command[task.command.index("train") :]
    assert asked[:2] == ("train", "14m")
    assert dict(zip(asked[2::2], asked[3::2], strict=True)) == {
        "--corpus": str(tmp_path / "shards"),
        "--tokens": "640",
        "--seed": "3",
        "--score": "later",
        "--out": str(tmp_path / "runs"),
        "--name": "14m-640-char-3",
        "--device": "mps",
        "--batch": "4",
    }


def test_a_run_is_done_when_it_is_finished_and_scored_if_asked(tmp_path: Path) -> None:
    """Trained first and scored later is as good as both at once."""
    corpora = {"char": corpus_of(tmp_path)}
    (plain,) = suite_tasks([RUN], corpora, out=tmp_path)
    (scored,) = suite_tasks([RUN], corpora, out=tmp_path, score="pairs")
    folder = tmp_path / RUN.name
    (folder / "step-000010").mkdir(parents=True)
    (folder / "step-000010" / "training.json").write_text("{}")
    assert (plain.done(), scored.done()) == (False, False)
    (folder / "finished.json").write_text("{}")
    assert (plain.done(), scored.done()) == (True, False)
    (folder / "accuracy.tsv").write_text("step\tuid\tphenomenon\tpairs\tlp\n10\tx\ty\t2\t1\n")
    assert (plain.done(), scored.done()) == (True, True)
    (folder / "accuracy.tsv").write_text("no table")
    assert (plain.done(), scored.done()) == (True, False)


def test_all_that_lacks_is_reported_together(tmp_path: Path) -> None:
    """66 runs that fail one by one, the last after days, are what this is against."""
    corpus_of(tmp_path)
    runs = [SuiteRun("14m", name, tokens, 0) for name in ("cllama", "word", "char") for tokens in (640, 641)]
    with pytest.raises(InputError) as raised:
        open_corpora(runs, {"char": tmp_path / "shards", "word": tmp_path})
    assert str(raised.value).splitlines() == [
        "some runs use the tokenizer cllama, but there is no corpus for it; give `--corpus cllama=FOLDER`,"
        " or choose other tokenizers with --tokenizer",
        f"{tmp_path}: contains no corpus; build one with bidui corpus build",
        f"{tmp_path / 'shards'}: 641 tokens were requested, but train has only 640; request fewer,"
        " or build the corpus from more text",
    ]


def test_a_corpus_with_enough_is_opened(tmp_path: Path) -> None:
    """With a BOS in every row of 64, 640 tokens of text make ten rows, and ten more of BOS."""
    made = corpus_of(tmp_path, bos="row")
    assert open_corpora([RUN], {"char": tmp_path / "shards"}) == {"char": made}


def test_the_run_of_another_corpus_is_refused_though_it_is_finished(tmp_path: Path) -> None:
    """Else it would be taken for done, and the table would show the accuracies of another text."""
    corpus = corpus_of(tmp_path)
    folder = tmp_path / "runs" / RUN.name
    folder.mkdir(parents=True)
    there = {"size": "14m", "tokens": 640, "seed": 3, "corpus": corpus.hash}
    (folder / "recipe.json").write_text(json.dumps(there))
    assert len(suite_tasks([RUN], {"char": corpus}, out=tmp_path / "runs")) == 1
    (folder / "recipe.json").write_text(json.dumps({**there, "corpus": "old"}))
    with pytest.raises(OutputRefused, match=rf"different settings: corpus \(old, now {corpus.hash[:12]}\)"):
        suite_tasks([RUN], {"char": corpus}, out=tmp_path / "runs")


def test_progress_is_read_from_what_a_run_writes(tmp_path: Path) -> None:
    assert run_progress(tmp_path) == (0, None)
    (tmp_path / "run.json").write_text('{"steps": 610}')
    assert run_progress(tmp_path) == (0, 610)
    (tmp_path / "log.jsonl").write_text('{"step": 10, "loss": 5.0}\n{"step": 20, "loss": 4.0}\n{"step": 3')
    assert run_progress(tmp_path) == (20, 610)


def test_processes_take_turns_at_the_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models do not fill a GPU, so there may be more processes than GPUs."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert suite_workers("cpu", processes=2) == [{}, {}]
    assert suite_workers("cuda:1", processes=1) == [{}]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    gpus = [worker["CUDA_VISIBLE_DEVICES"] for worker in suite_workers("cuda", processes=3)]
    assert gpus == ["0", "1", "0"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3, GPU-8a")
    gpus = [worker["CUDA_VISIBLE_DEVICES"] for worker in suite_workers("cuda", processes=3)]
    assert gpus == ["3", "GPU-8a", "3"]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(InputError, match="torch finds no GPU"):
        suite_workers("cuda", processes=1)
