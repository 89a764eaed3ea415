"""`bidui score`, `bidui compare` and `bidui export-scores` as a user types them."""

import contextlib
import csv
import json
import os
import re
import subprocess
import sys
import termios
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bidui.grammar.project import new_project
from bidui.models.specs import KINDS
from bidui.pairs import Pairs, read_pairs
from bidui.scores.run import run_scoring
from bidui.scores.table import read_scores
from bidui.scores.unigrams import Unigrams, write_unigrams
from tests.cli.typed import Bidui, Ended, write_lines
from tests.models.small import saved
from tests.scores.small import Counting, pair

from ..snippets import command

# Each pair good and bad, as tokens with their log-probabilities.
#        LP         mean LP
# 0   -3   -4    -1.5  -2      D=
# 1   -4   -4    -2    -2      D=, a tie
# 2   -3   -4    -3    -4/3    D<
# 3   -4   -3    -1    -3      D>
# 4   -5   -12   -5    -6      D<
Tokens = list[tuple[str, float]]
PAIRS: list[tuple[Tokens, Tokens]] = [
    ([("甲", -1), ("乙", -2)], [("乙", -2), ("甲", -2)]),
    ([("甲", -2), ("丙", -2)], [("丙", -1), ("甲", -3)]),
    ([("甲", -3)], [("甲", -1), ("甲", -1), ("甲", -2)]),
    ([("乙", -1), ("乙", -1), ("乙", -1), ("乙", -1)], [("乙", -3)]),
    ([("丙", -5)], [("丙", -6), ("丙", -6)]),
]

ARPA = """\\data\\
ngram 1=5
ngram 2=1

\\1-grams:
-1\t<unk>
-99\t<s>
-1\t</s>
-0.5\t甲
-0.75\t乙

\\2-grams:
-0.1\t甲 乙

\\end\\
"""


def spelt(tokens: Tokens) -> str:
    return "".join(token for token, _ in tokens)


def write_pairs(folder: Path, pairs: list[tuple[Tokens, Tokens]] = PAIRS, *, uid: str = "u") -> None:
    """pairs.jsonl, in BLiMP's layout, and given.jsonl with the scores of all sentences.

    One sentence may be in several pairs, so 甲 stands for itself with the scores that were given last.
    """
    lines = [
        {"sentence_good": spelt(good), "sentence_bad": spelt(bad), "UID": uid, "pairID": str(number)}
        for number, (good, bad) in enumerate(pairs)
    ]
    scores = [
        {"sentence": spelt(tokens), "tokens": [t for t, _ in tokens], "logprobs": [n for _, n in tokens]}
        for pair in pairs
        for tokens in pair
    ]
    write_lines(folder / "pairs.jsonl", lines)
    write_lines(folder / "given.jsonl", scores)


def rows(ended: Ended) -> dict[str, list[str]]:
    """The numbers after each linking function: pairs, accuracy, D=, D<, D>, delta, ties."""
    assert ended.code == 0, ended.err
    header, *lines = ended.out.splitlines()
    assert header.split() == ["model", "link", "pairs", "accuracy", "D=", "D<", "D>", "delta", "ties", "near", "ties"]
    return {line.split()[1]: line.split()[2:-1] for line in lines}


def test_given_scores_are_compared_as_by_hand(bidui: Bidui, tmp_path: Path) -> None:
    """The choices are, in the order of the pairs,

    lp        1, ½, 1, 0, 1   70 %; D= 75, D< 100, D> 0; delta (25 + 75) / 2
    mean_lp   1, ½, 0, 1, 1   70 %; D= 75, D< 50, D> 100; delta (25 + 25) / 2
    slln:0.5  -3 against -4/√3 = -2.3; -4/2 against -3; -5 against -12/√2 = -8.5: as mean_lp
    pen_lp    (8/6)^0.8 < 8/6, so the bad side of 2 is below -3: right; (9/6)^0.8 = e^0.32 > 4/3 = e^0.29, so the good
              side of 3 is above -3: right. 1, ½, 1, 1, 1   90 %; D= 75, D< 100, D> 100; delta 25
    log_norm  -3/log 2 = -4.3 against -4/log 4 = -2.9; -4/log 5 = -2.5 against -4.3: as mean_lp
    """
    write_pairs(tmp_path)
    scored = bidui("score", "pairs.jsonl", "--model", "given:given.jsonl")
    assert scored.code == 0
    assert "results/given: 5 pairs in 1 paradigm; 5 pairs scored now, 0 already there" in scored.err
    as_mean = ["5", "70.00", "75.00", "50.00", "100.00", "25.00", "1"]
    assert rows(bidui("compare", "results")) == {
        "lp": ["5", "70.00", "75.00", "100.00", "0.00", "50.00", "1"],
        "mean_lp": as_mean,
        "pen_lp": ["5", "90.00", "75.00", "100.00", "100.00", "25.00", "1"],
        "slln:0.5": as_mean,
        "log_norm": as_mean,
    }


def test_accuracy_is_shown_by_paradigm_and_phenomenon(bidui: Bidui, tmp_path: Path) -> None:
    write_pairs(tmp_path)
    bidui("score", "pairs.jsonl", "--model", "given.jsonl")
    for by in ("paradigm", "phenomenon"):
        shown = bidui("compare", "results", "--by", by, "--link", "lp")
        assert shown.code == 0
        lines = [line.split() for line in shown.out.splitlines()]
        assert lines[0] == [by, "pairs", "given"]  # no published figures for these paradigms
        assert lines[-2][:3] == ["all", "5", "70.00"]
        assert lines[1][1:3] == ["5", "70.00"]  # all pairs are of one paradigm
        assert all(line[3].startswith("[") and line[4].endswith("]") for line in lines[1:-1])  # the intervals


def test_links_and_units_are_chosen(bidui: Bidui, tmp_path: Path) -> None:
    """甲乙 is one token at -3, 丙丁戊 three at -4.5: by tokens -3 < -1.5, by characters and by bytes a tie."""
    write_pairs(tmp_path, [([("甲乙", -3)], [("丙", -1.5), ("丁", -1.5), ("戊", -1.5)])])
    bidui("score", "pairs.jsonl", "--model", "given.jsonl")
    shown = rows(bidui("compare", "results", "--link", "slln:0", "--link", "mean_lp"))
    assert shown == {
        "slln:0": ["1", "100.00", "–", "100.00", "–", "–", "0"],
        "mean_lp": ["1", "0.00", "–", "0.00", "–", "–", "0"],
    }
    for unit in ("characters", "bytes"):
        ended = bidui("compare", "results/given", "--link", "mean_lp", "--unit", unit)
        assert ended.out.splitlines()[1].split()[1:] == ["mean_lp", "1", "–", "–", "–", "–", "–", "1", "0"]
        assert "no pair is decided by mean_lp: all 1 are ties" in ended.out


def test_groups_of_length_are_made_by_tokens_or_as_asked(bidui: Bidui, tmp_path: Path) -> None:
    """甲乙 is one token, 丙丁 two: D< by tokens; both have two characters and six bytes: D=."""
    write_pairs(tmp_path, [([("甲乙", -3)], [("丙", -2), ("丁", -2)])])
    bidui("score", "pairs.jsonl", "--model", "given.jsonl")
    shown = rows(bidui("compare", "results", "--link", "lp"))
    assert shown == {"lp": ["1", "100.00", "–", "100.00", "–", "–", "0"]}
    for unit in ("characters", "bytes"):
        shown = rows(bidui("compare", "results", "--link", "lp", "--groups", unit))
        assert shown == {"lp": ["1", "100.00", "100.00", "–", "–", "–", "0"]}


def write_scores(folder: Path, sides: list[tuple[str, str]]) -> None:
    """Scores by `Counting`, 甲 -1, 乙 -2 and so on, with unigrams under which every token is as frequent."""
    pairs = [pair("uv"[number % 2], number, good, bad) for number, (good, bad) in enumerate(sides)]
    run_scoring(Pairs(tuple(pairs)), Counting(folder.name, {"tokenizer": "t"}), out=folder)
    (folder / "unigrams.json").write_bytes(write_unigrams(Unigrams(np.ones(6, np.int64), "t")))


def test_slor_and_morcela_join_the_usual_functions_where_unigrams_are_beside_the_scores(
    bidui: Bidui, tmp_path: Path
) -> None:
    """All lengths are equal, so everything chooses as LP does: 3 of 4 right."""
    sides = [("甲甲", "乙乙")] * 60 + [("乙乙", "甲甲")] * 20
    write_scores(tmp_path / "results/one", sides)
    ended = bidui("compare", "results")
    *table, note = ended.out.splitlines()
    shown = rows(Ended(ended.code, "\n".join(table), ended.err))
    assert list(shown) == ["lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm", "slor", "morcela*"]
    assert {numbers[1] for numbers in shown.values()} == {"75.00"}
    assert note == "* beta and gamma were fitted on some paradigms and applied to the others, in folds"
    chosen = rows(bidui("compare", "results", "--link", "morcela:0.6,18"))
    assert chosen == {"morcela:0.6,18": shown["lp"]}
    by = bidui("compare", "results", "--link", "slor", "--by", "paradigm").out.splitlines()
    assert by[1].split()[:3] == ["u", "40", "75.00"]


def test_a_model_that_morcela_cannot_be_fitted_to_is_told_and_the_others_are_shown(
    bidui: Bidui, tmp_path: Path
) -> None:
    """A checkpoint that has learnt nothing yet must not keep the table from being printed."""
    write_scores(tmp_path / "results/bad", [("乙乙", "甲甲")] * 20)
    write_scores(tmp_path / "results/good", [("甲甲", "乙乙")] * 20)
    lines = bidui("compare", "results").out.splitlines()
    assert [line.split()[1] for line in lines if "morcela" in line] == ["good"]  # after the set of its pairs
    assert [line.split()[1] for line in lines if "slor" in line] == ["bad", "good"]
    assert [line[:36] for line in (lines[-3], lines[-1])] == [
        "bad: no beta and gamma can be fitted",
        "* beta and gamma were fitted on some",
    ]


def test_a_second_run_says_that_all_was_there_and_a_broken_file_is_named(bidui: Bidui, tmp_path: Path) -> None:
    write_pairs(tmp_path)
    arguments = ("score", "pairs.jsonl", "--model", "given.jsonl", "-o", "here")
    bidui(*arguments)
    assert "0 pairs scored now, 5 already there" in bidui(*arguments).err
    (tmp_path / "here/given/u.parquet").write_bytes(b"broken")
    compared = bidui("compare", "here")
    assert compared.code == 2
    assert "u.parquet: is missing, or was changed after it was written; run bidui score again" in compared.err
    again = bidui(*arguments)
    assert "5 pairs scored now, 0 already there" in again.err
    assert "scored again because the files were damaged: u" in again.err
    assert bidui("compare", "here").code == 0


def test_given_scores_that_changed_are_not_taken_for_the_old(bidui: Bidui, tmp_path: Path) -> None:
    """The file is the model: with other numbers, or another file of its name, it is another one."""
    write_pairs(tmp_path)
    arguments = ("score", "pairs.jsonl", "--model", "given.jsonl")
    bidui(*arguments)
    write_pairs(tmp_path, [*PAIRS[:4], ([("丙", -13)], PAIRS[4][1])])
    refused = bidui(*arguments)
    assert refused.code == 2
    assert "different settings: weights (" in refused.err
    assert "). Choose another folder, or use --force" in refused.err
    assert bidui(*arguments, "--force").code == 0
    assert rows(bidui("compare", "results", "--link", "lp"))["lp"][1] == "50.00"  # 1, ½, 1, 0, 0


def test_a_project_is_scored_by_an_ngram_model(bidui: Bidui, tmp_path: Path) -> None:
    """All characters but 甲 and 乙 are unknown at 10^-1 each, so LP is the length times -log 10."""
    new_project(tmp_path / "project", lang="zh")
    (tmp_path / "small.arpa").write_text(ARPA, encoding="utf-8")
    scored = bidui("score", "project", "--model", "small.arpa", "-n", "4", "--seed", "1")
    assert scored.code == 0, scored.err
    assert "results/small: 20 pairs in 5 paradigms; 20 pairs scored now" in scored.err
    stored = read_scores(tmp_path / "results/small")
    manifest, table = stored.manifest, stored.table
    totals = table.totals()
    assert totals.logprob == pytest.approx(-2.302585 * totals.length, rel=1e-5)
    assert f"{int(totals.length.sum())} tokens are unknown to the model" in scored.err
    assert manifest.declared["kind"] == "ngram"
    # Shorter is better, and characters of equal number tie: D= 50, D< 100, D> 0.
    shown = rows(bidui("compare", "results", "--link", "lp"))["lp"]
    for number, expected in zip(shown[2:5], ("50.00", "100.00", "0.00"), strict=True):
        assert number in (expected, "–")  # where no pair of the starter is of that kind


def test_pairs_that_look_the_same_to_the_model_are_told(bidui: Bidui, tmp_path: Path) -> None:
    pairs = [{"sentence_good": "甲 乙", "sentence_bad": "甲乙", "UID": "u"}]
    write_lines(tmp_path / "pairs.jsonl", [*pairs, {"sentence_good": "甲乙", "sentence_bad": "乙甲", "UID": "u"}])
    (tmp_path / "small.arpa").write_text(ARPA, encoding="utf-8")
    scored = bidui("score", "pairs.jsonl", "--model", "small.arpa")
    assert "1 pair has the same tokens on both sides" in scored.err
    assert "unknown to the model" not in scored.err


def test_checkpoints_of_transformers_are_scored_and_slor_needs_their_own_unigrams(bidui: Bidui, tmp_path: Path) -> None:
    """With the same count for every token U is |x| times a constant, so SLOR chooses as mean LP does."""
    lines: list[dict[str, object]] = [
        {"sentence_good": "妈妈把书看完了。", "sentence_bad": "妈妈把书看了完。", "UID": "u"},
        {"sentence_good": "我喝茶。", "sentence_bad": "我喝了茶。", "UID": "u"},
        {"sentence_good": "他吃饭。", "sentence_bad": "他饭。", "UID": "u"},
    ]
    write_lines(tmp_path / "pairs.jsonl", lines)
    for step in (9, 10):
        saved(tmp_path / f"runs/step-{step}", "gpt2", seed=step)
    scored = bidui("score", "pairs.jsonl", "--model", "hf:runs/step-*")
    assert scored.code == 0, scored.err
    assert scored.err.index("results/step-9: 3 pairs") < scored.err.index("results/step-10: 3 pairs")
    manifest = read_scores(tmp_path / "results/step-9").manifest
    file = tmp_path / "unigrams.json"
    file.write_text(json.dumps({"tokenizer": manifest.declared["tokenizer"], "counts": [1] * 100}))
    shown = rows(bidui("compare", "results/step-9", "--link", "mean_lp", "--link", "slor", "--unigrams", file))
    assert shown["slor"] == shown["mean_lp"]
    file.rename(tmp_path / "runs/step-9/unigrams.json")
    beside = bidui("score", "pairs.jsonl", "--model", "hf:runs/step-9")
    assert "results/step-9: copied the model's unigram counts" in beside.err
    assert rows(bidui("compare", "results/step-9", "--link", "mean_lp", "--link", "slor")) == shown
    (tmp_path / "results/step-9/unigrams.json").unlink()
    (tmp_path / "runs/step-9/unigrams.json").write_text(json.dumps({"tokenizer": "another", "counts": [1] * 100}))
    misfit = bidui("score", "pairs.jsonl", "--model", "hf:runs/step-9")
    assert (misfit.code, "step-9: copied the model's unigram counts" in misfit.err) == (0, False)
    assert (
        "unigram counts were not copied: runs/step-9/unigrams.json: these unigrams were counted with another tokenizer"
        in misfit.err
    )
    without = bidui("compare", "results", "--link", "slor")
    assert (without.code, without.err) == (2, "this linking function needs unigram counts; give them with --unigrams\n")
    file.write_text(json.dumps({"tokenizer": "another", "counts": [1] * 100}))
    refused = bidui("compare", "results", "--unigrams", file)
    assert refused.code == 2
    assert "unigrams.json: these unigrams were counted with another tokenizer (another; the model has" in refused.err
    other = bidui("score", "pairs.jsonl", "--model", "runs/step-9", "--bos", "none")
    assert other.code == 2
    assert "contains scores made with different settings" in other.err
    nowhere = bidui("score", "pairs.jsonl", "--model", "runs/step-9", "--device", "abacus")
    assert nowhere.code == 2
    assert "abacus cannot be used" in nowhere.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "say what to score"),
        (("--model", "given.jsonl"), "say what to score"),
        (("pairs.jsonl", "--model", "bidui:zh-1t"), "bidui does not ship a model zh-1t; available: zh-14m-char"),
        (("none.jsonl", "--model", "given.jsonl"), "none.jsonl"),
        (("pairs.txt", "--model", "given.jsonl"), "pairs.txt"),
        (("pairs.jsonl", "--model", "none.jsonl"), "none.jsonl"),
        (("pairs.jsonl", "--model", "given:half.jsonl"), "half.jsonl: there is no line for 甲乙"),
        (("pairs.jsonl", "--model", "given:number.jsonl"), "number.jsonl:1: a line must be"),
        (("pairs.jsonl", "--model", "ngram:none.arpa"), "none.arpa: there is no such file"),
        (("pairs.jsonl", "--model", "ngram:a?unit=bit"), "bit is not allowed; use one of: char, word, jieba, lexicon"),
        (("pairs.jsonl", "--model", "hf:"), "hf: does not name a model; see bidui score --list-models"),
        (("pairs.jsonl", "--model", "hf:a?knd=causal"), "no option `knd`; available: kind, pll"),
        (("pairs.jsonl", "--model", "hf:runs/*"), "no model matches hf:runs/*"),
        (("pairs.jsonl", "--model", "api:http://x"), "must name the model"),
        (("pairs.jsonl", "--model", "api:http://x?model=m&per_second=fast"), "fast is not allowed"),
        (("pairs.jsonl", "--model", "api:http://x?model=m&per_second=0"), "0 is not allowed"),
        (("pairs.jsonl", "--model", "given.jsonl", "-n", "0"), "-n"),
    ],
)
def test_what_cannot_be_scored_is_a_message_and_exit_code_2(
    bidui: Bidui, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    write_pairs(tmp_path)
    (tmp_path / "pairs.txt").write_text("甲\n", encoding="utf-8")
    write_lines(tmp_path / "half.jsonl", [{"sentence": "甲", "tokens": ["甲"], "logprobs": [-1]}])
    write_lines(tmp_path / "number.jsonl", [{"sentence": 1, "tokens": ["1"], "logprobs": [-1]}])
    ended = bidui("score", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("results", "--link", "ppl"), "ppl is not a linking function; available: lp, mean_lp"),
        (("results", "--link", "slln:x"), "slln:x takes at most 1 number"),
        (("results", "--link", "slor"), "needs unigram counts"),
        (("results", "--unigrams", "none.json"), "none.json: cannot be read as unigram counts"),
        (("none",), "none: there are no scores here; make some with bidui score"),
        (("results", "--unit", "words"), "words"),
        ((), "Missing argument"),
    ],
)
def test_what_cannot_be_compared_is_a_message_and_exit_code_2(
    bidui: Bidui, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    write_pairs(tmp_path)
    bidui("score", "pairs.jsonl", "--model", "given.jsonl")
    ended = bidui("compare", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_every_kind_of_model_is_explained(bidui: Bidui) -> None:
    listed = bidui("score", "--list-models")
    assert listed.code == 0
    kinds = ["bidui", "hf", "ngram", "lstm", "given", "api"]
    assert [line.partition(":")[0] for line in listed.out.splitlines()] == list(KINDS) == kinds


def test_without_a_model_the_one_that_comes_with_bidui_is_taken(bidui: Bidui, tmp_path: Path) -> None:
    write_pairs(tmp_path)
    ended = bidui("score", "pairs.jsonl")
    assert ended.code == 0, ended.err
    manifest = read_scores(tmp_path / "results" / "zh-14m-char").manifest
    assert manifest.model == "zh-14m-char"
    assert (tmp_path / "results" / "zh-14m-char" / "unigrams.json").is_file()


def test_names_of_models_are_shown_as_they_are(bidui: Bidui, tmp_path: Path) -> None:
    """Brackets are markup to the library that prints; and checkpoints may differ at the end of a long name only."""
    write_pairs(tmp_path)
    name = "a-model-with[red]brackets-and-a-name-longer-than-there-is-room-for-in-a-line-of-the-table-step-1000"
    (tmp_path / "given.jsonl").rename(tmp_path / f"{name}.jsonl")
    scored = bidui("score", "pairs.jsonl", "--model", f"given:{name}.jsonl")
    assert f"{name}: kind given" in scored.err
    shown = bidui("compare", "results", "--link", "lp").out.splitlines()
    assert "".join(line.split()[0] for line in shown[1:]) == name


def test_the_installed_command_does_the_same(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    write_pairs(tmp_path)
    environment = command(tmp_path / "bin")

    def typed(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bidui", *arguments], cwd=tmp_path, env=environment, capture_output=True, check=False, text=True
        )

    assert typed("score", "pairs.jsonl", "--model", "given.jsonl").returncode == 0
    shown = typed("compare", "results", "--link", "lp").stdout.splitlines()[1]
    assert shown.split() == ["given", "lp", "5", "70.00", "75.00", "100.00", "0.00", "50.00", "1", "0"]
    refused = typed("score", "pairs.jsonl", "--model", "hf:")
    assert (refused.returncode, refused.stderr) == (2, "hf: does not name a model; see bidui score --list-models\n")


@pytest.mark.parametrize("by", ["overall", "phenomenon"])
def test_names_are_never_broken_over_two_lines(
    bidui: Bidui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """A name in two pieces cannot be copied or searched for; two checkpoints may differ only at the end of theirs."""
    monkeypatch.setenv("COLUMNS", "80")
    names = ["zh-14m-char", "zh-14m-char-with-a-long-name-step-009000"]
    write_pairs(tmp_path, PAIRS * 240)  # 1,200 pairs: numbers as wide as those of a benchmark
    for name in names:
        (tmp_path / "given.jsonl").rename(tmp_path / f"{name}.jsonl")
        assert bidui("score", "pairs.jsonl", "--model", f"given:{name}.jsonl", "-o", name).code == 0
        (tmp_path / f"{name}.jsonl").rename(tmp_path / "given.jsonl")
    for name in names:
        assert f" {name} " in f" {bidui('compare', name, '--by', by).out} ".replace("\n", " ")
    fits = bidui("compare", names[0])
    assert max(map(len, fits.out.splitlines())) <= 80


def at_terminal(folder: Path, columns: int, *arguments: str) -> list[str]:
    """The lines that a command prints at a real terminal of so many columns."""
    reader, writer = os.openpty()
    termios.tcsetwinsize(writer, (50, columns))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    environment |= {"NO_COLOR": "1", "TERM": "xterm"}
    command = [sys.executable, "-m", "bidui", *arguments]
    with subprocess.Popen(command, stdout=writer, stderr=subprocess.STDOUT, cwd=folder, env=environment) as process:
        os.close(writer)
        text = b""
        with contextlib.suppress(OSError):  # what Linux says at the end of a terminal
            while part := os.read(reader, 4096):
                text += part
    os.close(reader)
    assert process.returncode == 0, text
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).splitlines()]


UIDS = [f"a_paradigm_with_a_rather_long_name_number_{number}" for number in (1, 2, 10)]


@pytest.fixture
def five(tmp_path: Path) -> list[str]:
    """Five models with long names, scored on three paradigms: right, a tie, wrong by LP."""
    models = [f"zh-{size}m-char-on-a-large-corpus" for size in (14, 70, 160, 410, 1400)]
    sides = [("甲", "乙"), ("甲乙", "乙甲"), ("乙", "甲")]
    pairs = Pairs(tuple(pair(uid, 0, *both) for uid, both in zip(UIDS, sides, strict=True)))
    for name in models:
        run_scoring(pairs, Counting(name), out=tmp_path / "results" / name)
    return models


def test_names_are_whole_in_pipes(bidui: Bidui, five: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With five models at 80 columns, 113 of 118 names of paradigms were cut; scripts look for them."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = bidui("compare", "results", "--by", "paradigm", "--link", "lp").out.splitlines()
    assert lines[0].split() == ["paradigm", "pairs", *five]
    assert [re.sub(r"\[.*?\]", "", line).split() for line in lines[1:5]] == [
        [UIDS[0], "1", *["100.00"] * 5],
        [UIDS[1], "1", *["50.00"] * 5],
        [UIDS[2], "1", *["0.00"] * 5],
        ["all", "3", *["50.00"] * 5],
    ]
    assert all(line.count("[") == 5 for line in lines[1:5])
    overall = bidui("compare", "results", "--link", "lp").out.splitlines()
    assert [line.split()[0] for line in overall[1:]] == five


def test_a_narrow_terminal_numbers_the_models(five: list[str], tmp_path: Path) -> None:
    """A row stays one line, so that models can be compared, and the numbers are explained above, without intervals."""
    lines = at_terminal(tmp_path, 86, "compare", "results", "--by", "paradigm", "--link", "lp")
    assert lines[:5] == [f"[{number}] {name}" for number, name in enumerate(five, start=1)]
    assert lines[5].split() == ["paradigm", "pairs", "[1]", "[2]", "[3]", "[4]", "[5]"]
    assert lines[6].split() == [UIDS[0], "1", *["100.00"] * 5]
    assert max(map(len, lines)) <= 86
    assert "the terminal is too narrow for intervals; --format csv has them" in lines


def test_a_very_narrow_terminal_divides_the_columns(five: list[str], tmp_path: Path) -> None:
    lines = at_terminal(tmp_path, 66, "compare", "results", "--by", "paradigm", "--link", "lp")
    heads = [line.split()[2:] for line in lines if line.startswith("paradigm")]
    assert heads == [["[1]", "[2]"], ["[3]", "[4]"], ["[5]"]]
    assert sum(line.startswith(UIDS[2]) for line in lines) == 3
    assert max(len(line) for line in lines if not line.startswith("accuracy in %")) <= 66


def test_a_narrow_terminal_has_models_as_headings(five: list[str], tmp_path: Path) -> None:
    lines = at_terminal(tmp_path, 80, "compare", "results", "--link", "lp", "--link", "mean_lp")
    assert [line for line in lines if line in five] == five
    at = lines.index(five[1])
    assert lines[at + 1].split()[:3] == ["link", "pairs", "accuracy"]
    assert lines[at + 2].split()[:3] == ["lp", "3", "50.00"]
    assert max(map(len, lines)) <= 80
    wide = at_terminal(tmp_path, 140, "compare", "results", "--link", "lp")
    assert [line.split()[0] for line in wide[1:6]] == five


def test_tables_are_printed_as_csv_and_json(bidui: Bidui, tmp_path: Path) -> None:
    """Notes must not get into the table, so they go to stderr, or into the JSON."""
    write_pairs(tmp_path)
    bidui("score", "pairs.jsonl", "--model", "given.jsonl")
    write_pairs(tmp_path, PAIRS[:2])
    (tmp_path / "given.jsonl").rename(tmp_path / "other.jsonl")
    bidui("score", "pairs.jsonl", "--model", "other.jsonl")
    for arguments in (("--csv",), ("--format", "csv")):
        shown = bidui("compare", "results", "--link", "lp", *arguments)
        row = list(csv.reader(shown.out.splitlines()))[1]
        assert row == ["#1", "given", "lp", "5", "70", "75", "100", "0", "50", "1", "0"]
        assert "the models were scored on different pairs" in shown.err
    for arguments in (("--json",), ("--format", "json")):
        shown = bidui("compare", "results", "--link", "lp", "--by", "paradigm", *arguments)
        value = json.loads(shown.out)
        row = value["rows"][0]
        assert (row["set"], row["paradigm"], row["pairs"], row["given"], row["other"]) == ("#1", "u", 5, 70, None)
        assert row["given_low"] < 70 < row["given_high"]
        assert "the models were scored on different pairs" in value["notes"][0]
    assert r"\toprule" in bidui("compare", "results", "--format", "latex").out
    both = bidui("compare", "results", "--csv", "--json")
    assert (both.code, "choose one of --format, --csv and --json" in both.err) == (2, True)


def test_released_layouts_are_scored_and_said(bidui: Bidui, tmp_path: Path) -> None:
    """An archive in another layout, and a table whose columns are named."""
    write_pairs(tmp_path)
    with zipfile.ZipFile(tmp_path / "release.zip", "w") as archive:
        archive.writestr("eng/data.tsv", "sen\twrong_sen\tphenomenon\n甲乙\t乙甲\tSV-#\n\t乙甲\tSV-#\n")
    scored = bidui("score", "release.zip", "--model", "given.jsonl")
    assert scored.code == 0, scored.err
    assert "in the layout of MultiBLiMP: `sen` is read as the good sentence" in scored.err
    assert "1 row was left out, because one of the sentences is empty; line: 3" in scored.err
    assert bidui("compare", "results", "--by", "paradigm").out.splitlines()[1].split()[0] == "eng_SV-#"
    (tmp_path / "own.tsv").write_text("ok\tstar\n甲乙\t乙甲\n", encoding="utf-8")
    for arguments in (("score", "own.tsv", "--model", "given.jsonl", "-o", "own"), ("diversity", "own.tsv")):
        refused = bidui(*arguments)
        assert (
            refused.code,
            "own.tsv:1: there is no field sentence_good; the fields are: ok, star" in refused.err,
        ) == (
            2,
            True,
        )
        assert bidui(*arguments, "--good", "ok", "--bad", "star").code == 0
    project = bidui("score", "zhoblimp", "--model", "given.jsonl", "--paradigm", "type")
    assert (project.code, "the column type can be named only for a file" in project.err) == (2, True)


def test_published_unigrams_are_used_with_what_is_missing_said(bidui: Bidui, tmp_path: Path) -> None:
    """甲 has the id 1 and 乙 the id 2; the file lacks the second."""
    pairs = Pairs((pair("u", 0, "甲甲甲乙", "甲甲"),))
    run_scoring(pairs, Counting(declared={"tokenizer": "t"}), out=tmp_path / "results")
    (tmp_path / "u.json").write_text('{"1": 1.0}', encoding="utf-8")
    arguments = ("compare", "results", "--link", "slor", "--unigrams", "u.json")
    refused = bidui(*arguments)
    assert refused.code == 2
    assert "u.json: lacks the probabilities of 1 type of tokens (1 of 6 scored tokens; ids 2)" in refused.err
    shown = bidui(*arguments, "--unseen", "0.001")
    assert shown.code == 0, shown.err
    assert (
        "counting: u.json: 1 type of tokens (1 of 6 scored tokens) are not in the file and were given 0.001"
        in shown.out
    )
    assert bidui("export-scores", "results", "--link", "slor", "--unigrams", "u.json", "-o", "out").code == 2
    exported = bidui(
        "export-scores", "results", "--link", "slor", "--unigrams", "u.json", "--unseen", "0.001", "-o", "out"
    )
    assert exported.code == 0
    [line] = (tmp_path / "out/results.jsonl").read_text(encoding="utf-8").splitlines()
    # (LP - U) / |x|: (-5 - log 0.001) / 4 and -2 / 2
    assert json.loads(line)["score_good"] == pytest.approx((-5 + 6.907755) / 4)
    assert json.loads(line)["score_bad"] == -1


# export-scores


@pytest.fixture
def results(bidui: Bidui, tmp_path: Path) -> Path:
    """甲乙 at -3 against 乙甲 at -3, a tie; 甲乙 against 丙 at -2, wrong."""
    bad = ("乙甲", "丙")
    pairs = [{"sentence_good": "甲乙", "sentence_bad": text, "UID": "u", "phenomenon": "p"} for text in bad]
    write_lines(tmp_path / "pairs.jsonl", list(pairs))
    given: list[tuple[str, list[float]]] = [("甲乙", [-1, -2]), ("乙甲", [-2, -1]), ("丙", [-2])]
    write_lines(tmp_path / "m.jsonl", [{"sentence": s, "tokens": list(s), "logprobs": n} for s, n in given])
    assert bidui("score", "pairs.jsonl", "--model", "given:m.jsonl").code == 0
    return tmp_path / "results"


def test_scores_are_exported_a_file_a_model(bidui: Bidui, results: Path, tmp_path: Path) -> None:
    done = bidui("export-scores", "results", "-o", "out")
    assert (done.code, done.err) == (0, "out: scores of 1 model by lp\n")
    lines = [json.loads(line) for line in (tmp_path / "out/m.jsonl").read_text("utf-8").splitlines()]
    assert [(line["score_good"], line["score_bad"], line["correct"]) for line in lines] == [(-3, -3, 0.5), (-3, -2, 0)]
    again = bidui("export-scores", "results", "-o", "out")
    assert (again.code, again.err) == (
        2,
        "out: the folder is not empty: m.jsonl; give another folder, or empty this one\n",
    )
    assert bidui("export-scores", results / "m", "-o", "one", "--link", "mean_lp").code == 0
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["m.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none",), "none: there are no scores here; make some with bidui score"),
        (("results", "--link", "ppl"), "ppl is not a linking function"),
        (("results", "--link", "slor"), "needs unigram counts"),
    ],
)
def test_what_cannot_be_exported_leaves_nothing(
    bidui: Bidui, results: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = bidui("export-scores", *arguments, "-o", "out")
    assert (done.code, message in done.err, (tmp_path / "out").exists()) == (2, True, False)


# Conditions: a 2 × 2 design, from the grammar or from a table of one's own, to every place where accuracies are shown

VARIANTS = {"sg_near": "甲 n", "sg_far": "甲 丁 n", "pl_near": "乙 n", "pl_far": "乙 丁 n"}


def write_chars(file: Path, sentences: set[str]) -> None:
    """Log-probabilities by hand: -1 a character; 丙 is -3, but only -0.5 after 丁."""
    values = {s: [-1 if c != "丙" else -0.5 if "丁" in s else -3 for c in s] for s in sorted(sentences)}
    write_lines(file, [{"sentence": s, "tokens": [*s], "logprobs": own} for s, own in values.items()])


def test_a_design_of_two_by_two_goes_from_the_grammar_to_the_report(bidui: Bidui, tmp_path: Path) -> None:
    """The bad sentence has 丙 (-3) for 戊 (-1), so near pairs are right. After 丁 it has -0.5, so far pairs are wrong.

    The variants were generated and then lost: neither scores nor `compare` nor exports nor the report had them.
    """
    new_project(tmp_path / "project", lang="zh")
    for file in (tmp_path / "project/paradigms").rglob("*.yaml"):
        file.unlink()
    lines = ["format: 1", "uid: two", "phenomenon: p", "edit: substitution", "slots: {n: 戊, x: 丙}", "variants:"]
    for name, words in VARIANTS.items():
        lines += [f"  - name: {name}", f"    good: {words} 。", f"    bad: {words[:-1]}x 。"]
    (tmp_path / "project/paradigms/p").mkdir()
    (tmp_path / "project/paradigms/p/two.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert bidui("generate", "project", "-n", "4").code == 0
    pairs = read_pairs(tmp_path / "pairs")
    assert sorted(pair.variant for pair in pairs) == sorted(VARIANTS)
    write_chars(tmp_path / "given.jsonl", {side for pair in pairs for side in (pair.good, pair.bad)})
    assert bidui("score", "pairs", "--model", "given.jsonl").code == 0
    shown = bidui("compare", "results", "--by", "variant", "--link", "lp", "--format", "csv").out.splitlines()
    assert shown[0] == "variant,pairs,given,given_low,given_high"
    values = [line.rsplit(",", 2)[0] for line in shown[1:]]
    assert values == ["pl_far,1,0", "pl_near,1,100", "sg_far,1,0", "sg_near,1,100", "all,4,50"]
    assert bidui("export-scores", "results", "-o", "lines").code == 0
    exported = [json.loads(line) for line in (tmp_path / "lines/given.jsonl").read_text().splitlines()]
    assert {line["variant"]: line["correct"] for line in exported} == dict.fromkeys(VARIANTS, 0) | {
        "sg_near": 1,
        "pl_near": 1,
    }
    assert bidui("report", "results", "-o", "site", "--link", "lp").code == 0
    table = (tmp_path / "site/tables/accuracy-column-variant-lp.csv").read_text(encoding="utf-8").splitlines()
    assert {row["variant"]: row["given"] for row in csv.DictReader(table)}["pl_far"] == "0"


def test_the_columns_of_a_table_of_ones_own_are_conditions(bidui: Bidui, tmp_path: Path) -> None:
    """As above, with two factors in columns of their own: near is right, far is wrong, whatever the number."""
    lines = ["good,bad,number,distance"]
    for number, word in (("sg", "甲"), ("pl", "乙")):
        lines += [f"{word}戊,{word}丙,{number},near", f"{word}丁戊,{word}丁丙,{number},far"]
    (tmp_path / "own.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_chars(tmp_path / "given.jsonl", {cell for line in lines[1:] for cell in line.split(",")[:2]})
    named = ("--good", "good", "--bad", "bad")
    assert bidui("score", "own.csv", *named, "--model", "given.jsonl").code == 0
    crossed = bidui("compare", "results", "--by", "number", "--by", "distance", "--link", "lp")
    assert [re.sub(r"\[.*?\]", "", line).split() for line in crossed.out.splitlines()[:-1]] == [
        ["number", "distance", "pairs", "given"],
        ["pl", "far", "1", "0.00"],
        ["pl", "near", "1", "100.00"],
        ["sg", "far", "1", "0.00"],
        ["sg", "near", "1", "100.00"],
        ["all", "–", "4", "50.00"],
    ]
    wrong = bidui("compare", "results", "--by", "dist")
    assert (
        wrong.code == 2 and "no column dist; the scored pairs have: phenomenon, paradigm, number, distance" in wrong.err
    )
    assert bidui("export-lm-eval", "own.csv", *named, "-o", "tasks").code == 0
    task = json.loads((tmp_path / "tasks/data/bidui_own_own.jsonl").read_text().splitlines()[0])
    assert (task["number"], task["distance"]) == ("sg", "near")


def test_a_linking_function_of_ones_own_is_taken_by_every_command(bidui: Bidui, tmp_path: Path) -> None:
    """LP + 2 |x| prefers longer sentences: the choices of LP -3, -4, … change for the third and fourth pair.

    By hand: 1 against 0; 0, 0; -1 against 2; 4 against -1; -3 against -8: right, a tie, wrong, right, right.
    """
    write_pairs(tmp_path)
    bidui("score", "pairs.jsonl", "--model", "given.jsonl")
    (tmp_path / "mine.py").write_text("def longer(x):\n    return x.logprob + 2 * x.length\n", encoding="utf-8")
    own = ("--link", "mine.py:longer")
    assert rows(bidui("compare", "results", *own)) == {
        "mine:longer": ["5", "70.00", "75.00", "50.00", "100.00", "25.00", "1"]
    }
    assert bidui("export-scores", "results", "-o", "lines", *own).err.endswith("by mine:longer\n")
    assert json.loads((tmp_path / "lines/given.jsonl").read_text().splitlines()[0])["score_good"] == 1
    assert bidui("report", "results", "-o", "site", *own, "--link", "lp").code == 0
    made = json.loads((tmp_path / "site/report.json").read_text(encoding="utf-8"))
    assert made["asked"]["links"] == ["mine:longer", "lp"] and "--link mine:longer" in made["inputs"]
    wrong = bidui("compare", "results", "--link", "mine.py:shorter")
    assert wrong.code == 2 and "mine.py: there is no function shorter; available here: longer" in wrong.err
    assert "Traceback" not in wrong.err


# Labels: what scores are called in folders and tables


def accuracies(bidui: Bidui) -> dict[str, float]:
    rows = json.loads(bidui("compare", "results", "--link", "lp", "--json").out)["rows"]
    return {row["model"]: row["accuracy"] for row in rows}


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two models of one name, a/final.jsonl and b/final.jsonl; only the second gets the first pair wrong."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        changed = PAIRS if name == "a" else [([("甲", -1), ("乙", -9)], PAIRS[0][1]), *PAIRS[1:]]
        write_pairs(tmp_path, changed)
        (tmp_path / "given.jsonl").rename(tmp_path / name / "final.jsonl")
    return tmp_path


def test_two_models_of_one_name_are_labelled_by_their_paths(bidui: Bidui, two: Path) -> None:
    """Together they are called alike; one after the other, the second takes more of its path, and says so."""
    both = bidui("score", "pairs.jsonl", "--model", "a/final.jsonl", "--model", "b/final.jsonl", "-o", "together")
    assert both.code == 0 and sorted(path.name for path in (two / "together").iterdir()) == ["a--final", "b--final"]
    first = bidui("score", "pairs.jsonl", "--model", "a/final.jsonl")
    assert "results/final: 5 pairs" in first.err
    for _ in range(2):  # and again: neither is taken for the other
        second = bidui("score", "pairs.jsonl", "--model", "b/final.jsonl", "--force")
        assert second.code == 0 and "b--final: kind given" in second.err
        assert "results: another model here is called final, so these scores are called b--final" in second.err
    assert "0 pairs scored now, 5 already there" in second.err
    assert "5 already there" in bidui("score", "pairs.jsonl", "--model", "a/final.jsonl").err
    assert accuracies(bidui) == {"b--final": 50, "final": 70}


def test_force_never_overwrites_another_model(bidui: Bidui, two: Path) -> None:
    """A label that is taken is refused; the same file with other contents is the same model, and is replaced."""
    assert bidui("score", "pairs.jsonl", "--model", "a/final.jsonl", "--as", "mine").code == 0
    before = {path.name: path.read_bytes() for path in (two / "results/mine").iterdir()}
    refused = bidui("score", "pairs.jsonl", "--model", "b/final.jsonl", "--as", "mine", "--force")
    assert refused.code == 2 and "scores of another model called mine, which are never overwritten" in refused.err
    assert {path.name: path.read_bytes() for path in (two / "results/mine").iterdir()} == before
    (two / "a/final.jsonl").write_bytes((two / "b/final.jsonl").read_bytes())
    assert "use --force" in bidui("score", "pairs.jsonl", "--model", "a/final.jsonl", "--as", "mine").err
    assert bidui("score", "pairs.jsonl", "--model", "a/final.jsonl", "--as", "mine", "--force").code == 0
    assert accuracies(bidui) == {"mine": 50}


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["x"], "1 label for 2 models; give one --as for each --model"),
        (["x", "x"], "the label x is given twice"),
        (["x", "a/b"], "'a/b' cannot be a label"),
        (["x", "API"], "'API' cannot be a label"),
    ],
)
def test_labels_that_cannot_be_are_refused(bidui: Bidui, two: Path, labels: list[str], told: str) -> None:
    given = [option for label in labels for option in ("--as", label)]
    refused = bidui("score", "pairs.jsonl", "--model", "a/final.jsonl", "--model", "b/final.jsonl", *given)
    assert refused.code == 2 and told in refused.err


def test_a_pair_is_shown_with_its_surprisals(bidui: Bidui, tmp_path: Path) -> None:
    """1 nat is 1.44 bits; in nats, the surprisals are the log-probabilities with their signs changed."""
    write_pairs(tmp_path)
    bidui("score", "pairs.jsonl", "--model", "given.jsonl")
    shown = bidui("show", "results", "u/0")
    assert shown.out.splitlines() == [
        "u/0",
        "given",
        "  good  甲 1.44 | 乙 2.89  = 4.33 bits",
        "  bad   乙 2.89 | 甲 2.89  = 5.77 bits",
        "  good preferred by: lp, mean_lp, pen_lp, slln:0.5, log_norm",
    ]
    named = bidui("show", "results", "u:0", "--link", "lp").out.splitlines()
    assert named[-1] == "  good preferred by: lp"
    as_json = json.loads(bidui("show", "results", "0", "--unit", "nats", "--format", "json").out)
    assert as_json["models"][0]["bad"]["surprisals"] == [2.0, 2.0]
    wrong = bidui("show", "results", "u/9")
    assert wrong.code == 2 and "u has no pair 9; it has: 0, 1, 2, 3, 4" in wrong.err


def test_diversity_is_written_for_machines_and_papers(bidui: Bidui, tmp_path: Path) -> None:
    """Five pairs of 甲, 乙 and 丙: two of equal length, two with the good sentence shorter, one longer."""
    write_pairs(tmp_path)
    row = next(csv.DictReader(bidui("diversity", "pairs.jsonl", "--format", "csv").out.splitlines()))
    assert (row["pairs"], row["equal"], row["good_shorter"], row["good_longer"]) == ("5", "2", "2", "1")
    value = json.loads(bidui("diversity", "pairs.jsonl", "--format", "json").out)
    assert (value["pairs"], value["1-grams"]) == (5, 3)
    in_latex = bidui("diversity", "pairs.jsonl", "--format", "latex").out
    assert r"D= (equal length) & 2 (40\%) \\" in in_latex


def test_diversity_of_several_sets_is_compared_at_the_same_size(bidui: Bidui, tmp_path: Path) -> None:
    """Ten sentences against two: 甲 and 乙, which have two 1-gram types."""
    write_pairs(tmp_path)
    (tmp_path / "small.csv").write_text("sentence_good,sentence_bad\n甲,乙\n", encoding="utf-8")
    rows = list(csv.DictReader(bidui("diversity", "pairs.jsonl", "small.csv", "--format", "csv").out.splitlines()))
    assert list(rows[0]) == ["measure", "pairs (2 of 10)", "SD of pairs (2 of 10)", "pairs (10)", "small (2)"]
    assert (rows[1]["measure"], rows[1]["pairs (10)"], rows[1]["small (2)"]) == ("1-gram types", "3", "2")
    assert "small (2)" in bidui("diversity", "pairs.jsonl", "small.csv").out
    written = bidui("diversity", "pairs.jsonl", "small.csv", "-o", "table6")
    assert written.err == "table6: diversity.csv, diversity.md, diversity.tex\n" and written.out == ""
    assert "| 1-gram types |" in (tmp_path / "table6" / "diversity.md").read_text(encoding="utf-8")
