"""`bidui suite` as a user types it."""

import csv
import json
import sys
from functools import partial
from io import StringIO
from itertools import permutations
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from bidui.cli.suite import _Screen
from bidui.scale.tasks import Outcome, Status, Task
from bidui.training import suite
from bidui.training import suite_runs as suites
from bidui.training.build import build_corpus
from bidui.training.tokenizers import train_char
from tests.cli.typed import Bidui

ROOT = Path(__file__).parent.parent.parent
TEXT = "甲乙丙丁戊己庚辛壬癸"
SUITE = """format: 1
tokenizers: {char: {kind: char, least: 1}}
runs: [{sizes: [14m], tokens: [640], seeds: [0]}]
train: {batch: 4, context: 16, milestones: last}
"""


@pytest.fixture
def suite_of(bidui: Bidui, monkeypatch: pytest.MonkeyPatch) -> Bidui:
    """`bidui suite`; what it starts finds these sources."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return partial(bidui, "suite")


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """640 tokens of ten characters."""
    (tmp_path / "a.txt").write_text("\n".join([TEXT[:9]] * 64), encoding="utf-8")
    tokenizer = train_char([TEXT + "\n"], least=1)
    return build_corpus(tmp_path / "a.txt", tokenizer, out=tmp_path / "shards", bos="none", validation=0).folder


def test_the_plan_has_a_row_for_each_of_the_22_models(suite_of: Bidui) -> None:
    """Nothing is cut off, however narrow the terminal."""
    shown = suite_of("zh-pythia")
    assert shown.code == 0, shown.err
    head, *rows = [line.split() for line in shown.out.splitlines()]
    assert head[:4] == ["size", "tokenizer", "tokens", "seeds"]
    models = [row for row in rows if row[0] in suite.SIZES]
    assert len(models) == 22
    assert ["1.4b", "cllama", "3B", "0", "1", "2", "1,413,210,112", "1,208.6M", "183,105", "18,311", "48"] in [
        row[:11] for row in models
    ]
    assert "66 runs: 4,861,425 steps" in shown.out  # 15 x (610 + 6,103 + 61,035 + 183,105) and 6 x 183,105
    assert "…" not in shown.out


def test_a_part_is_chosen_and_slower_machines_take_longer(suite_of: Bidui) -> None:
    """2.999B of 3B tokens at a million a second are 0.833 hours; at half of that, twice as much.

    At 48 checkpoints, 32,768 held-out tokens are read in a third of the time.
    """
    part = ("zh-pythia", "--size", "14m", "--tokens", "3B", "--seed", 5)
    one = json.loads(suite_of(*part, "--json", "--speed", "14m=1M").out)
    assert [run["name"] for run in one["runs"]] == ["14m-3B-cllama-5"]
    assert one["runs"][0]["hours"] == pytest.approx((183_105 * 16_384 + 16 * 32_768) / 1e6 / 3600)
    assert (one["runs"][0]["tokens"], one["runs"][0]["tokens_in_steps"]) == (3_000_000_000, 183_105 * 16_384)
    half = json.loads(suite_of(*part, "--json", "--speed", "14m=1M", "--speed", "0.5x").out)
    assert half["totals"]["hours"] == pytest.approx(2 * one["totals"]["hours"])


def test_the_plan_of_ones_own_corpus_has_its_vocabulary(suite_of: Bidui, shards: Path) -> None:
    """Ten characters, the line end, and four special tokens: 15; two matrices of 15 x 768 beside the body."""
    shown = suite_of("zh-pythia", "--tokenizer", "char", "--corpus", f"char={shards}", "--json")
    assert {run["parameters"] for run in json.loads(shown.out)["runs"]} == {85_056_000 + 2 * 15 * 768}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (("pythia",), "there is no suite pythia; give a .yaml file, or one of: zh-pythia, small"),
        (("none.yaml",), "none.yaml: "),
        (("small", "--run"), "some runs use the tokenizer char, but there is no corpus for it"),
        (("small", "--run", "--text", "nowhere"), "nowhere: "),
        (("small", "--run", "--text", "a.txt", "--score", "nothing"), "nothing"),
        (("zh-pythia", "--corpus", "cllama=shards"), "a vocabulary of 15, but the tokenizer cllama has 49953 entries"),
        (("zh-pythia", "--corpus", "word=shards"), "no tokens of several Chinese characters, but word is of the kind"),
        (("zh-pythia", "--size", "3b"), "no run of the suite has 3b"),
        (("zh-pythia", "--tokens", "many"), "many is not a number of tokens"),
        (("zh-pythia", "--speed", "fast"), "--speed: fast is not a speed"),
        (("zh-pythia", "--speed", "14m=0"), "--speed: 14m=0 is not a speed"),
        (("zh-pythia", "--speed", "14m"), "--speed: 14m is not a speed"),
        (("zh-pythia", "--speed", "0x"), "14m=0 is not a speed"),
        (("zh-pythia", "--corpus", "shards"), "--corpus: shards does not say which tokenizer the corpus is for"),
        (("zh-pythia", "--corpus", "bpe=shards"), "with one of the tokenizers cllama, word, char"),
        (("zh-pythia", "--corpus", "char=nowhere"), "nowhere: contains no corpus"),
        (("zh-pythia", "--run"), "some runs use the tokenizer word, but there is no corpus for it"),
        (("zh-pythia", "--run", "--tokenizer", "char", "--corpus", "char=shards"), "3000000000 tokens were requested"),
        (("zh-pythia", "--run", "14m"), "14m cannot be passed to `bidui train`"),
        (("zh-pythia", "--run", "--", "-oelsewhere"), "-oelsewhere cannot be passed to `bidui train`"),
        (("zh-pythia", "--run", "--", "--seed=3"), "--seed=3 cannot be passed to `bidui train`"),
    ],
)
def test_mistakes_are_messages_before_anything_starts(
    suite_of: Bidui, shards: Path, tmp_path: Path, typed: tuple[str, ...], message: str
) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    ended = suite_of(*typed)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_suite_trains_and_does_not_train_again(
    suite_of: Bidui, shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real thing, small: 10 steps of 4 rows of 16 tokens."""
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    typed = ("suite.yaml", "--run", "--corpus", f"char={shards}", "--seed", 1)
    more = ("--", "--recipe", "pythia")
    ended = suite_of(*typed, *more)
    assert ended.code == 0, ended.err
    assert "14m-640-char-1: done, 1 of 1" in ended.err and "runs: 1 done, 0 already there, 0 failed" in ended.err
    trained = tmp_path / "runs" / "14m-640-char-1"
    assert (trained / "step-000010" / "model.safetensors").is_file()
    recipe = json.loads((trained / "recipe.json").read_text())
    assert (recipe["seed"], recipe["tokens"], recipe["batch"]) == (1, 640, 4)
    again = suite_of(*typed, *more)
    assert again.code == 0, again.err
    assert "14m-640-char-1: already there, 1 of 1" in again.err
    other = suite_of(*typed)
    assert other.code == 2 and "a run with different settings: optimizer (pythia, now hf)" in other.err


def test_a_suite_of_a_file_makes_what_it_needs_from_text(
    suite_of: Bidui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten characters, the line end and four special tokens; 720 documents of three characters and a BOS."""
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "a.txt").write_text("\n\n".join(map("".join, permutations(TEXT, 3))), encoding="utf-8")
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"sentence_good": "甲乙", "sentence_bad": "乙甲", "UID": "u"}))
    suite = SUITE.replace("last}", "last, keep: last}") + "score: pairs.jsonl\n"
    (tmp_path / "suite.yaml").write_text(suite, encoding="utf-8")
    planned = json.loads(suite_of("suite.yaml", "--json").out)
    assert [(run["name"], run["steps"]) for run in planned["runs"]] == [("14m-640-char-0", 10)]
    typed = ("suite.yaml", "--text", "books", "--run")
    ended = suite_of(*typed)
    assert ended.code == 0, ended.err
    assert "runs: 1 done, 0 already there, 0 failed" in ended.err
    assert (tmp_path / "runs" / "14m-640-char-0" / "accuracy.tsv").is_file()
    assert [path.name for path in (tmp_path / "runs" / "14m-640-char-0").glob("step-*")] == ["step-000010"]
    known = json.loads(suite_of("suite.yaml", "--json").out)
    assert known["runs"][0]["vocabulary"] == 15
    again = suite_of(*typed)
    assert again.code == 0 and "runs: 0 done, 1 already there, 0 failed" in again.err
    (tmp_path / "books" / "b.txt").write_text("甲", encoding="utf-8")
    changed = suite_of(*typed)
    assert changed.code == 2 and "a corpus made with different settings: b.txt" in changed.err


def test_a_corpus_that_cannot_be_made_is_reported_before_any_run(suite_of: Bidui, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    ended = suite_of("suite.yaml", "--text", "a.txt", "--run")
    assert ended.code == 1
    assert "runs: 0 done, 0 already there, 1 failed" in ended.err
    assert "char-tokenizer-char-1, see runs/.tasks/char-tokenizer-char-1.log" in ended.err
    assert "no text" in ended.err


def test_a_run_that_fails_stops_no_other_and_is_reported_at_the_end(
    suite_of: Bidui, shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the place of `bidui train` is a script that finishes every run but that of seed 1."""
    script = """import pathlib, sys
name = sys.argv[sys.argv.index("--name") + 1]
if name.endswith("-1"):
    sys.exit("the loss of step 3 is nan")
(pathlib.Path("runs") / name).mkdir(parents=True)
(pathlib.Path("runs") / name / "finished.json").touch()
"""
    (tmp_path / "suite.yaml").write_text(SUITE.replace("seeds: [0]", "seeds: [0, 1, 2]"))
    monkeypatch.setattr(suites, "BIDUI", (sys.executable, "-c", script))
    typed = ("suite.yaml", "--run", "--corpus", f"char={shards}", "--on", "processes:2", "--json")
    ended = suite_of(*typed)
    assert ended.code == 1
    found = {run["name"]: run for run in json.loads(ended.out)["runs"]}
    assert {name: run["state"] for name, run in found.items()} == {
        "14m-640-char-0": "done",
        "14m-640-char-1": "failed",
        "14m-640-char-2": "done",
    }
    assert found["14m-640-char-1"]["told"] == "the loss of step 3 is nan\nexit code 1"
    assert ended.err.splitlines()[-4:] == [
        "runs: 2 done, 0 already there, 1 failed",
        "14m-640-char-1, see runs/.tasks/14m-640-char-1.log",
        "    the loss of step 3 is nan",
        "    exit code 1",
    ]
    again = suite_of(*typed)
    assert again.code == 1 and "runs: 0 done, 2 already there, 1 failed" in again.err


def test_the_plan_is_written_for_machines_and_papers(suite_of: Bidui) -> None:
    """CSV has one row per run, unrounded; LaTeX the rows of the table, one for all seeds."""
    part = ("zh-pythia", "--size", "14m", "--tokens", "3B")
    rows = list(csv.DictReader(suite_of(*part, "--format", "csv").out.splitlines()))
    assert [row["name"] for row in rows] == [f"14m-3B-cllama-{seed}" for seed in range(3)]
    assert (rows[0]["steps"], rows[0]["tokens_in_steps"]) == ("183105", str(183_105 * 16_384))
    paper = suite_of(*part, "--format", "latex").out
    assert r"\begin{tabular}" in paper and "14m & cllama & 3B & 0 1 2 &" in paper
    assert suite_of(*part, "--format", "json").out == suite_of(*part, "--json").out
    assert suite_of(*part, "--format", "csv", "--json").code == 2


def task(name: str) -> Task:
    return Task(name, (), lambda: False)


def test_each_run_has_its_state_speed_time_left_and_machine(tmp_path: Path) -> None:
    """Of 1,000 steps of 64 tokens, 250 are done at 96 tokens per second: 750 x 64 / 96 = 500 s are left, 8 minutes."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "run.json").write_text(json.dumps({"steps": 1000, "tokens_per_step": 64}))
    (tmp_path / "a" / "log.jsonl").write_text('{"step": 250, "tokens_per_second": 96.0}\n')
    console = Console(file=StringIO(), width=200)
    progress = Progress(console=console)
    screen = _Screen(str(tmp_path), progress, progress.add_task("runs", total=4, state=""))
    ended = (Outcome(task("c"), "done", tmp_path), Outcome(task("d"), "failed", tmp_path, "exit code 1"))
    running = (task("a"), task("b"))
    screen.show(Status(running, (), ended[:1], {"a": "node7"}))
    screen.show(Status(running, (), ended, {"a": "node7"}))
    rows = {bar.description: (bar.completed, bar.total, bar.fields["state"]) for bar in progress.tasks}
    assert rows == {
        "runs": (2, 4, "2 running, 0 waiting"),
        "a": (250, 1000, "96 tokens/s, 8 min left, on node7"),
        "b": (0, None, "starting"),
    }
    assert console.file.getvalue().splitlines() == ["c: done, 1 of 3", "d: failed, 2 of 4"]  # type: ignore[attr-defined]
    screen.show(Status((), (task("b"),), ended))
    assert [bar.description for bar in progress.tasks] == ["runs"]
    assert progress.tasks[0].fields["state"] == "0 running, 1 waiting"
