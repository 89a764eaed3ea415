"""Suite files: what they mean, and that every mistake in one is reported with its place."""

from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.training.suite import SuiteRun, SuiteTokenizer, plan_suite, suite_totals, zh_pythia
from bidui.training.suite_file import read_suite, suite_names

WHOLE = """format: 1
description: Small and smaller.
text: books
tokenizers:
  char: {kind: char, least: 3}
  bpe: {kind: word, size: 500}
  mine: {source: tok, vocabulary: 12, corpus: shards/mine}
runs:
- sizes: [14m, 70m]
  tokens: [1M, 2500000]
  seeds: [3, 4]
  tokenizers: [char]
- {sizes: [14m], tokens: [1M], tokenizers: [bpe, mine]}
train: {recipe: pythia, batch: 32, context: 16, epochs: 2, peak: 1e-3, warmup: 0.2, milestones: last, keep: last}
score: pairs
n: 20
speed: {14m: 5000}
"""
RUNS = "runs: [{sizes: [14m], tokens: [1M]}]"


def written(folder: Path, text: str) -> Path:
    (folder / "suite.yaml").write_text(text, encoding="utf-8")
    return folder / "suite.yaml"


def test_a_file_gives_all_combinations_of_each_group(tmp_path: Path) -> None:
    """2 sizes x 2 amounts x 2 seeds, then 2 tokenizers with the seed 0; paths are relative to the file."""
    (tmp_path / "tok").mkdir()
    suite = read_suite(written(tmp_path, WHOLE))
    assert [run.name for run in suite.runs] == [
        *("14m-1M-char-3", "14m-1M-char-4", "14m-2500000-char-3", "14m-2500000-char-4"),
        *("70m-1M-char-3", "70m-1M-char-4", "70m-2500000-char-3", "70m-2500000-char-4"),
        *("14m-1M-bpe-0", "14m-1M-mine-0"),
    ]
    assert suite.tokenizers == {
        "char": SuiteTokenizer("char", least=3),
        "bpe": SuiteTokenizer("word", size=500),
        "mine": SuiteTokenizer(source=str(tmp_path / "tok"), vocabulary=12, corpus=tmp_path / "shards/mine"),
    }
    numbers = {"batch": 32, "context": 16, "epochs": 2, "peak": 0.001, "warmup": 0.2}
    assert suite.settings == {"optimizer": "pythia", **numbers, "milestones": "last"}
    assert (suite.keep, suite.score, suite.n, suite.text) == ("last", "pairs", 20, tmp_path / "books")
    assert (suite.speed, suite.description) == ({"14m": 5000}, "Small and smaller.")


def test_what_is_left_out_is_as_in_the_paper(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, "format: 1\ntokenizers: {a: {source: gpt2}, b: {kind: char}}\n" + RUNS))
    assert suite.runs == (SuiteRun("14m", "a", 10**6, 0), SuiteRun("14m", "b", 10**6, 0))
    assert suite.tokenizers["a"].source == "gpt2"  # no folder of that name, so one of the hub
    assert (suite.settings, suite.keep, suite.score, suite.n, suite.text) == ({}, "all", None, 300, None)


def test_seeds_that_are_given_replace_those_of_all_runs(tmp_path: Path) -> None:
    """Two runs that differed in the seed only are one then, not the same folder twice."""
    runs = read_suite(written(tmp_path, WHOLE), seeds=[7]).runs
    assert len(runs) == 6 and {run.seed for run in runs} == {7}


def test_the_suite_of_the_paper_has_a_name() -> None:
    assert read_suite("zh-pythia").runs == zh_pythia()
    assert read_suite("zh-pythia", seeds=[5]).runs == zh_pythia(seeds=[5])
    assert suite_names() == ["zh-pythia", "small"]


def test_the_small_suite_takes_minutes_on_a_laptop() -> None:
    """100K + 200K + 400K tokens twice, and 200K: 1.6M tokens in steps of 32 x 64, at 5,000 tokens per second."""
    totals = suite_totals(plan_suite(read_suite("small")))
    assert totals.runs == 7
    assert totals.steps == 2 * (100_000 // 2048 + 200_000 // 2048 + 400_000 // 2048) + 200_000 // 2048
    seen = totals.steps * 2048 + totals.validation / 3  # reading takes a third of learning
    assert totals.hours == pytest.approx(seen / 5000 / 3600) and totals.hours < 0.15


def test_a_plan_has_the_steps_and_the_disk_of_the_settings(tmp_path: Path) -> None:
    """1M tokens are 62,500 rows of 16 and 1,953 steps of 32, twice; only the last checkpoint is kept.

    14m has 1,189,888 parameters and two matrices of 128 columns; `least` says nothing about the number of characters,
    so the paper's 12,142 is taken, 500 for words, and what is stated for the other.
    """
    (tmp_path / "tok").mkdir()
    planned = {row.run.name: row for row in plan_suite(read_suite(written(tmp_path, WHOLE)))}
    row = planned["14m-1M-bpe-0"]
    assert (row.steps, row.tokens, row.milestones) == (3906, 3906 * 512, 2)
    assert row.hours == pytest.approx((3906 * 512 + row.validation / 3) / 5000 / 3600)
    assert row.weights == 4 * (1_189_888 + 2 * 500 * 128)
    assert [planned[name].vocabulary for name in ("14m-1M-char-3", "14m-1M-mine-0")] == [12_142, 12]


def test_all_mistakes_of_a_file_are_reported_with_their_places(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """format: 1
tokenizer: {}
tokenizers:
  char: {kind: chars}
  a/b: {kind: char}
  both: {kind: char, source: tok}
  none: {least: 3}
  size: {kind: char, size: 90}
runs:
- {sizes: [15m], tokens: [many, 100], seeds: [-1, 4294967296], tokenizers: [word]}
- {tokens: [], seeds: [1]}
- 14m
train: {batch: 0, peak: high, recipe: adam, milestones: sometimes, keep: some, bach: 3}
n: 0
speed: {14m: fast, 15m: 3}
""",
    )
    with pytest.raises(InputError) as refused:
        read_suite(file)
    messages = [line.removeprefix(str(file)) for line in str(refused.value).splitlines()]
    assert [message.partition(": ")[0] for message in messages] == [
        *(":2:1", ":4:16", ":5:3", ":6:9", ":7:9", ":7:17", ":8:28"),
        *(":10:12", ":10:27", ":10:33", ":10:47", ":10:51", ":10:77", ":11:3", ":11:12", ":12:3"),
        *(":13:16", ":13:25", ":13:39", ":13:57", ":13:74", ":13:80", ":14:4", ":15:14", ":15:20"),
    ]
    told = "\n".join(messages)
    for text in (
        "0 is too small; use at least 1",
        "`peak` must be a number above 0, not high",
        "there is no optimizer recipe adam",
        "there is no milestone rule sometimes",
        "`kind` cannot be chars; use one of: char, word",
        "a/b cannot be the name of a tokenizer",
        "a tokenizer needs either `kind`",
        "`size` has no effect on this tokenizer",
        "`sizes` cannot be 15m; use one of: 14m, 70m",
        "many is not a number of tokens",
        "100 tokens are too few for one step of 16384",
        "the seed must be from 0 to 4294967295, not -1",
        "`tokenizers` cannot be word; use one of: char, a/b",
        "the key `sizes` is missing",
        "`tokens` must be a list with at least one item",
        "runs must consist of keys and values",
        "`keep` cannot be some",
        "`n` must be a number above 0, not 0",
        "there is no key `bach` here; did you mean batch",
        "there is no key `tokenizer` here; did you mean tokenizers",
    ):
        assert text in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format: 2\ntokenizers: {a: {kind: char}}\n" + RUNS, ":1:9: this version of bidui"),
        ("format: 1\n" + RUNS, "the key `tokenizers` is missing"),
        ("format: 1\ntokenizers: {a: {kind: char}}", "the key `runs` is missing"),
        ("format: 1\ntokenizers: {a: {kind: char}}\nruns: []", ":3:7: `runs` must be a list"),
        ("format: 1\ntokenizers: [char]\n" + RUNS, ":2:13: tokenizers must consist of keys"),
        ("runs: {", "suite.yaml"),
        ("- 14m", "the file must consist of keys and values"),
        (
            "format: 1\ntokenizers: {a: {kind: char}}\nruns:\n- {sizes: [14m], tokens: [1M]}\n"
            "- {sizes: [14m, 70m], tokens: [1M]}",
            ":5:3: the run 14m-1M-a-0 is already in the group in line 4",
        ),
    ],
)
def test_a_file_that_is_no_suite_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        read_suite(written(tmp_path, text))
    assert message in str(refused.value)


@pytest.mark.parametrize("name", ["pythia", "no/such/file"])
def test_an_unknown_suite_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(InputError, match=f"there is no suite {name}; give a .yaml file, or one of: zh-pythia, small"):
        read_suite(name)


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"suite\.yaml: .*No such file"):
        read_suite(tmp_path / "suite.yaml")
