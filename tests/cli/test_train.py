"""`bidui train`, end to end: text, tokenizer, shards, training, milestones, scores, curve."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from bidui.cli import train
from bidui.errors import InputError
from bidui.scores.milestones import Milestone, read_milestones
from bidui.scores.table import read_scores
from bidui.training.recipe import token_count
from tests.cli.typed import Bidui, write_lines

ROOT = Path(__file__).parent.parent.parent
EATS = {"猫": "鱼", "狗": "肉", "牛": "草", "鸟": "虫"}


def text(documents: int = 150) -> str:
    """A small language in which it is fixed who eats what, in another order of sentences in each document."""
    found = []
    for number in range(documents):
        for part in range(8):
            who = list(EATS)[(number // 4**part + part) % 4]
            found.append(f"第{number % 97}天{'早午晚'[(number + part) % 3]}上{who}吃{EATS[who]}。")
        found.append("")
    return "\n".join(found)


def pairs() -> list[dict[str, object]]:
    """The right food against another animal's, which only a model that has learned the language tells apart."""
    found: list[dict[str, object]] = []
    for who, food in EATS.items():
        for other in EATS.values():
            if other != food:
                good, bad = f"早上{who}吃{food}。", f"早上{who}吃{other}。"
                number = str(len(found))
                found.append({"sentence_good": good, "sentence_bad": bad, "UID": "food", "pairID": number})
    return found


@pytest.fixture
def books(tmp_path: Path) -> Path:
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "a.txt").write_text(text(), encoding="utf-8")
    write_lines(tmp_path / "pairs.jsonl", pairs())
    return folder


SMALL = ("--batch", 16, "--context", 32, "--peak", 3e-3, "--seed", 1)


def accuracy(milestones: list[Milestone], step: int) -> float:
    return next(m.right["lp"] / m.pairs for m in milestones if m.step == step)


def test_from_text_to_a_curve(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    """Before training the pairs are a matter of chance; afterwards the model knows who eats what."""
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    assert bidui("corpus", "build", books, "--tokenizer", "tok", "-o", "shards", "--validation", 0.1).code == 0
    ended = bidui("train", "14m", "--corpus", "shards", *SMALL, "--epochs", 6, "--score", "pairs.jsonl")
    assert "14m-all-1: scoring step 10\n" in ended.err  # nobody sees a bar in a file, and scoring takes long
    assert ended.code == 0, ended.err
    run = tmp_path / "runs" / "14m-all-1"
    log = [json.loads(line) for line in (run / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    validation = [line["validation_per_character"] for line in log if "validation" in line]
    assert validation[-1] < 0.5 * validation[0]
    found = read_milestones(run)
    steps = sorted({milestone.step for milestone in found})
    assert steps[:11] == list(range(11))
    assert accuracy(found, steps[-1]) > 0.9
    assert accuracy(found, 0) < 0.9
    assert set(found[-1].right) == {"lp", "mean_lp", "pen_lp", "slln:0.5", "slor"}
    stored = read_scores(run / "scores" / f"step-{steps[-1]:06d}")
    manifest, table = stored.manifest, stored.table
    assert manifest.model == f"14m-all-1@step-{steps[-1]:06d}"
    assert len(table.frame) == 2 * len(pairs())
    # `bidui score` gives the same of the kept checkpoint, under the same name, but for the rounding of another program:
    # while a model is trained, transformers runs it
    assert bidui("score", "pairs.jsonl", "--model", f"runs/14m-all-1/step-{steps[-1]:06d}").code == 0
    stored = read_scores(tmp_path / "results" / manifest.model)
    again, afterwards = stored.manifest, stored.table
    assert again.declared == manifest.declared
    assert afterwards.frame.drop("logprobs").equals(table.frame.drop("logprobs"))
    logprobs = [np.concatenate(frame["logprobs"].to_list()) for frame in (afterwards.frame, table.frame)]
    np.testing.assert_allclose(*logprobs, rtol=0, atol=1e-4)


def test_scoring_later_gives_the_table_that_scoring_at_once_gives(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    common = ("train", "14m", "--corpus", books, "--tokenizer", "tok", "--tokens", "5K", *SMALL)
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    assert bidui(*common, "--name", "once", "--score", "pairs.jsonl").code == 0
    ended = bidui(*common, "--name", "later")
    assert "bidui score zhoblimp --model 'runs/later/step-*'" in ended.err
    assert bidui(*common, "--name", "later", "--score", "pairs.jsonl").code == 0
    assert read_milestones(tmp_path / "runs" / "later") == read_milestones(tmp_path / "runs" / "once")


def test_what_cannot_be_trained_is_said_before_anything_is_written(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    assert bidui("corpus", "build", books, "--tokenizer", "tok", "-o", "shards").code == 0
    for arguments, said in [
        (("14m", "--corpus", "shards", "--tokens", "ten"), "ten is not a number of tokens"),
        (("14m", "--corpus", "shards", "--tokens", "3B"), "3000000000"),
        (("14m", "--corpus", "shards", "--tokens", "10K"), "too few for one step of 16384"),
        (("15m", "--corpus", "shards"), "no size 15m"),
        (("14m", "--corpus", "shards", "--device", "cuda:7"), "cuda:7 cannot be used"),
        (("14m", "--corpus", books), "give --tokenizer"),
        (("14m", "--corpus", "nowhere"), "nowhere"),
        (("14m", "--corpus", "shards", "--batch", 16, "--milestones", "often"), "no milestone rule often"),
    ]:
        ended = bidui("train", *arguments)
        assert ended.code == 2, ended.err
        assert said in ended.err.replace("\n", " "), ended.err
        assert not (tmp_path / "runs").exists()


def test_what_does_not_fit_is_refused_and_not_passed_over(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    """A tokenizer or a rule that the shards were not made with, and a size that is none before text is encoded."""
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 300, "-o", "other").code == 0
    assert bidui("corpus", "build", books, "--tokenizer", "tok", "-o", "shards").code == 0
    for arguments, said in [
        (("14m", "--corpus", "shards", "--tokenizer", "other"), "other: is not the tokenizer that shards was"),
        (("14m", "--corpus", "shards", "--bos", "row"), "shards: was built with --bos line, not row"),
        (("15m", "--corpus", books, "--tokenizer", "tok"), "no size 15m"),
        (("14m", "--corpus", "shards", "--micro-batch", 0), "micro-batch"),
    ]:
        ended = bidui("train", *arguments)
        assert ended.code == 2, ended.err
        assert said in ended.err.replace("\n", " "), ended.err
        assert not (tmp_path / "runs").exists()


def test_a_run_is_scored_on_one_set_of_pairs(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    """And what was left out of training is said; without checkpoints the table is still there to be read."""
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    assert bidui("corpus", "build", books, "--tokenizer", "tok", "-o", "shards", "--validation", 0).code == 0
    common = ("train", "14m", "--corpus", "shards", *SMALL, "--milestones", "last")
    ended = bidui(*common, "--tokens", "1.1k", "--score", "pairs.jsonl")  # 34 rows of 32: two steps of 16
    assert ended.code == 0, ended.err
    assert "2 of 34 rows are left out of every epoch" in ended.err
    assert "no row of text is held out" in ended.err
    run = tmp_path / "runs" / "14m-1100-1"
    before = (run / "accuracy.tsv").read_bytes()
    write_lines(tmp_path / "fewer.jsonl", pairs()[:5])
    refused = bidui(*common, "--tokens", 1100, "--score", "fewer.jsonl")  # the same run, written otherwise
    assert refused.code == 2 and "the accuracies of 1 paradigm (food" in refused.err
    for folder in run.glob("step-*"):
        shutil.rmtree(folder)
    again = bidui(*common, "--tokens", "1.1K", "--score", "pairs.jsonl")
    assert again.code == 0, again.err
    assert "already trained" in again.err and "after step 2, accuracy by slln:0.5 is" in again.err
    assert (run / "accuracy.tsv").read_bytes() == before
    shutil.rmtree(run / "scores")
    (run / "accuracy.tsv").unlink()
    nothing = bidui(*common, "--tokens", 1100, "--score", "pairs.jsonl")
    assert nothing.code == 2 and "no checkpoint is left to score" in nothing.err


def test_a_small_corpus_has_a_validation_loss(bidui: Bidui, tmp_path: Path) -> None:
    """The first run of the documentation: 0.5% of 24 documents is none. Each has 8 lines of 10 or 11 tokens."""
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "a.txt").write_text(text(24), encoding="utf-8")
    assert bidui("tokenizer", "train", "char", "--corpus", "books", "--least", 1, "-o", "tok").code == 0
    built = bidui("corpus", "build", "books", "--tokenizer", "tok", "-o", "shards")
    assert "validation: " in built.err and " in 3 documents" in built.err
    ended = bidui("train", "14m", "--corpus", "shards", "--batch", 4, "--context", 32, "--milestones", "geometric:4")
    assert ended.code == 0, ended.err
    assert ", 4 checkpoints, float32" in ended.err
    log = [json.loads(line) for line in (tmp_path / "runs/14m-all-0/log.jsonl").read_text().splitlines()]
    losses = [line["validation"] for line in log if "validation" in line]
    assert len(losses) == 4 and all(loss > 0 for loss in losses)


def test_the_plan_says_what_validation_costs(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    """4 held-out rows at 2 checkpoints, against 2 steps of 16 rows, forward and backward: 8 / (3 x 32) = 8.3%."""
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    assert bidui("corpus", "build", books, "--tokenizer", "tok", "-o", "shards", "--validation", 0.2).code == 0
    common = ("--batch", 16, "--context", 32, "--tokens", 1024, "--milestones", "last")
    ended = bidui("train", "14m", "--corpus", "shards", *common, "--validation-tokens", 128)
    assert ended.code == 0, ended.err
    assert "the validation loss is measured on 4 of " in ended.err
    assert "at every checkpoint, which adds 8.3% to the computation of training" in ended.err


def test_the_advice_after_a_bad_learning_rate_works_as_it_is_written(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    """The folder keeps the run that failed, and refuses another learning rate: the advice must name another folder."""
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    assert bidui("corpus", "build", books, "--tokenizer", "tok", "-o", "shards").code == 0
    command = ("train", "14m", "--corpus", "shards", "--tokens", "5K", *SMALL, "--milestones", "last", "--peak", 9e37)
    for name in ("14m-5000-1-2", "14m-5000-1-3"):
        failed = bidui(*command)
        assert failed.code == 2, failed.err
        advice = re.search(r"add ((?:--\w+ \S+ )+)", failed.err.replace("\n", " "))
        assert advice is not None and "--name" in advice[1], failed.err
        ended = bidui(*command, *advice[1].split())
        assert ended.code == 0, ended.err
        assert (tmp_path / "runs" / name / "finished.json").is_file()


def process(folder: Path, *arguments: object) -> "subprocess.Popen[str]":
    """A command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
    command = [sys.executable, "-P", "-m", "bidui", *map(str, arguments)]
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def test_a_signal_stops_the_run_with_its_own_exit_code(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    """A cluster that ends a job must not take that for a mistake of the user, which is 2."""
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    assert bidui("corpus", "build", books, "--tokenizer", "tok", "-o", "shards").code == 0
    command = ("train", "14m", "--corpus", "shards", *SMALL, "--epochs", 4, "--milestones", "geometric:3")
    running = process(tmp_path, *command)
    run = tmp_path / "runs" / "14m-all-1"
    while not (run / "step-000001" / "training.json").exists():
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate()
    assert running.returncode == 128 + signal.SIGTERM, said
    stopped = re.search(r"stopped after step (\d+) of (\d+); everything is saved", said)
    assert stopped is not None, said
    assert (run / "state.pt").is_file() and "Traceback" not in said
    ended = bidui(*command)
    assert ended.code == 0, ended.err
    assert f"14m-all-1: resumes after step {stopped[1]} of {stopped[2]}\n" in ended.err


def test_two_runs_started_together_on_one_text_share_a_whole_corpus(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    """They used to remove each other's files, and the corpus that was left had a part of the documents."""
    (books / "b.txt").write_text("\n\n".join(f"{number}号楼有人。" * 3 for number in range(20_000)), encoding="utf-8")
    assert bidui("tokenizer", "train", "char", "--corpus", books, "--least", 1, "-o", "tok").code == 0
    command = (
        "train",
        "14m",
        "--corpus",
        books,
        "--tokenizer",
        "tok",
        "--tokens",
        "5K",
        *SMALL,
        "--milestones",
        "last",
    )
    running = [process(tmp_path, *command, "--name", name) for name in ("one", "two")]
    said = [one.communicate()[1] for one in running]
    assert [one.returncode for one in running] == [0, 0], said
    shown = bidui("corpus", "show", "runs/corpus-books-tok-line", "--verify")
    assert shown.code == 0 and "all shards are intact and complete" in shown.out
    documents = {line for file in books.iterdir() for line in file.read_text(encoding="utf-8").split("\n\n") if line}
    counts = [int(count.replace(",", "")) for count in re.findall(r" in ([\d,]+) documents", shown.out)]
    assert sum(counts) == len(documents)


@pytest.mark.parametrize(
    ("text", "number"), [("500000", 500_000), ("10M", 10**7), ("1.5B", 1_500_000_000), ("2k", 2000)]
)
def test_numbers_of_tokens_are_written_as_people_write_them(text: str, number: int) -> None:
    assert token_count(text) == number


@pytest.mark.parametrize("text", ["", "M", "-1", "0", "1e30", "nan"])
def test_other_numbers_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        token_count(text)


def test_a_line_about_progress_says_how_much_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resumed after step 10, two steps took 60 seconds, so the remaining 88 take 2,640, which is 44 minutes."""
    clock = iter([100.0, 160.0, 160.0, 160.0])
    monkeypatch.setattr(train, "monotonic", lambda: next(clock))
    console = Console(file=StringIO(), width=200)
    screen = train._Screen(console, "run", steps=100, bar=Progress(console=console), last=0.0)
    assert screen.bar is not None
    screen.task = screen.bar.add_task("run", total=100, shown="")
    for step in (10, 12):
        screen.step(step)
    assert console.file.getvalue().splitlines()[-1] == "run: step 12 of 100, 0:44:00 left"  # type: ignore[attr-defined]
