"""`bidui export-scores` and `bidui export-lm-eval` as a user types them, and what the harness makes of them."""

import json
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bidui.grammar.project import new_project
from bidui.scores.choices import choose
from bidui.scores.links import lp
from bidui.scores.table import read_scores
from tests.models.small import CHARACTERS, saved

from ..snippets import command

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    environment = command(tmp_path_factory.mktemp("bin"))

    def typed(*arguments: object) -> subprocess.CompletedProcess[str]:
        texts = ["bidui", *map(str, arguments)]
        return subprocess.run(texts, cwd=tmp_path, env=environment, capture_output=True, check=False, text=True)

    return typed


def write_lines(file: Path, lines: list[dict[str, object]]) -> None:
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def results(run: Run, tmp_path: Path) -> Path:
    """甲乙 at -3 against 乙甲 at -3, a tie; 甲乙 against 丙 at -2, wrong."""
    bad = ("乙甲", "丙")
    pairs = [{"sentence_good": "甲乙", "sentence_bad": text, "UID": "u", "phenomenon": "p"} for text in bad]
    write_lines(tmp_path / "pairs.jsonl", list(pairs))
    given: list[tuple[str, list[float]]] = [("甲乙", [-1, -2]), ("乙甲", [-2, -1]), ("丙", [-2])]
    write_lines(tmp_path / "m.jsonl", [{"sentence": s, "tokens": list(s), "logprobs": n} for s, n in given])
    assert run("score", "pairs.jsonl", "--model", "given:m.jsonl").returncode == 0
    return tmp_path / "results"


def test_scores_are_exported_a_file_a_model(run: Run, results: Path, tmp_path: Path) -> None:
    done = run("export-scores", "results", "-o", "out")
    assert (done.returncode, done.stderr) == (0, "out: scores of 1 model by lp\n")
    lines = [json.loads(line) for line in (tmp_path / "out/m.jsonl").read_text("utf-8").splitlines()]
    assert [(line["score_good"], line["score_bad"], line["correct"]) for line in lines] == [(-3, -3, 0.5), (-3, -2, 0)]
    again = run("export-scores", "results", "-o", "out")
    assert (again.returncode, again.stderr) == (
        2,
        "out: the folder is not empty: m.jsonl; give another folder, or empty this one\n",
    )
    assert run("export-scores", results / "m", "-o", "one", "--link", "mean_lp").returncode == 0
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
    run: Run, results: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run("export-scores", *arguments, "-o", "out")
    assert (done.returncode, message in done.stderr, (tmp_path / "out").exists()) == (2, True, False)


def test_a_project_is_exported_as_tasks(run: Run, tmp_path: Path) -> None:
    new_project(tmp_path / "project", lang="zh")
    done = run("export-lm-eval", "project", "-o", "tasks", "-n", "3")
    assert (done.returncode, done.stderr) == (0, "tasks: 15 pairs in 5 paradigms; see its README.md\n")
    assert len(list((tmp_path / "tasks/tasks").glob("bidui_project_*.yaml"))) == 5
    assert 'group: "bidui_project"\n' in (tmp_path / "tasks/group.yaml").read_text("utf-8")
    assert run("export-lm-eval", "project", "-o", "tasks").returncode == 2
    assert run("export-lm-eval", "none.jsonl", "-o", "other").returncode == 2
    assert not (tmp_path / "other").exists()


def write_random_pairs(file: Path) -> None:
    """Sentences of random characters, with one more on the bad side or in another order; none are the same."""
    draw = random.Random(0)
    lines: list[dict[str, object]] = []
    for uid, phenomenon, count in (("a b", "p/q", 12), ("c", "p/q", 8), ("d", "", 6), ("p", "p", 4)):
        for number in range(count):
            good = draw.sample(CHARACTERS, draw.randint(3, 9))
            bad = [*good[1:], good[0]] if number % 2 else [*good, draw.choice(CHARACTERS)]
            sides = {"sentence_good": "".join(good), "sentence_bad": "".join(bad)}
            lines.append({**sides, "UID": uid, "phenomenon": phenomenon, "pairID": str(number)})
    write_lines(file, lines)


def test_the_harness_finds_the_same_accuracy(run: Run, tmp_path: Path) -> None:
    """Others can check our numbers with their own tool; only ties are worth more there, as the README says."""
    harness = os.environ.get("BIDUI_LM_EVAL")
    if not harness:
        pytest.skip("BIDUI_LM_EVAL does not name a Python with lm-evaluation-harness, so its tasks were not run")
    saved(tmp_path / "gpt2", "gpt2")
    write_random_pairs(tmp_path / "pairs.jsonl")
    write_lines(tmp_path / "same.jsonl", [{"sentence_good": "我看书", "sentence_bad": "我看书"}])
    for name in ("pairs", "same"):
        assert run("export-lm-eval", f"{name}.jsonl", "-o", f"exported/{name}").returncode == 0
    (tmp_path / "elsewhere").mkdir()
    arguments = ["--model", "hf", "--model_args", f"pretrained={tmp_path / 'gpt2'},dtype=float32", "--device", "cpu"]
    arguments += ["--include_path", "../exported", "--tasks", "bidui_pairs,bidui_same", "--batch_size", "16"]
    subprocess.run(
        [harness, "-m", "lm_eval", *arguments, "--output_path", "found"],
        cwd=tmp_path / "elsewhere",
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"},
        capture_output=True,
        check=True,
    )
    [file] = (tmp_path / "elsewhere/found").rglob("results_*.json")
    found = json.loads(file.read_text("utf-8"))["results"]
    assert run("score", "pairs.jsonl", "--model", "hf:gpt2").returncode == 0
    choices = choose(read_scores(tmp_path / "results/gpt2").table, lp())
    assert (choices.ties, choices.near_ties) == (0, 0)
    shown = run("compare", "results", "--link", "lp").stdout.splitlines()[1].split()
    assert shown[3] == f"{100 * found['bidui_pairs']['acc,none']:.2f}"
    tasks = {"a b": "bidui_pairs_a_b", "c": "bidui_pairs_c", "d": "bidui_pairs_d", "p": "bidui_pairs_p"}
    for uid, task in tasks.items():
        assert found[task]["acc,none"] == pytest.approx(choices.worth[choices.uids == uid].mean())
    both = choices.worth[(choices.uids == "a b") | (choices.uids == "c")]
    assert found["bidui_pairs_group_p_q"]["acc,none"] == pytest.approx(both.mean())
    assert found["bidui_same"]["acc,none"] == 1.0  # to bidui one half
