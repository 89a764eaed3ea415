"""`bidui generate`, `bidui diversity` and `bidui export-lm-eval` as a user types them."""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from bidui import read_pairs
from bidui.grammar.project import new_project
from bidui.scores.choices import choose
from bidui.scores.links import lp
from bidui.scores.table import read_scores
from tests.cli.typed import UIDS, Bidui, Run, change, copy_of, write_lines
from tests.models.small import CHARACTERS, saved

pytestmark = pytest.mark.slow


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_generate_stops_at_broken_input_before_it_writes(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    broken = copy_of(project, tmp_path)
    change(broken / "paradigms/BA/BA_inversion.yaml", "kind:container", "kind:contaner")
    done = bidui("generate", broken, "-o", "pairs")
    assert done.code == 2
    assert "Traceback" not in done.err and "BA_inversion.yaml:14" in done.err


def test_a_second_run_has_nothing_to_do(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    first = bidui("generate", project, "-n", 20)
    before = contents(tmp_path / "pairs")
    times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "pairs").iterdir()}
    second = bidui("generate", project, "-n", 20)
    assert (first.code, second.code) == (0, 0)
    assert "nothing to do" in second.err and "nothing to do" not in first.err
    assert contents(tmp_path / "pairs") == before
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "pairs").iterdir()} == times


def test_another_run_does_not_write_over_the_pairs_without_force(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    """Pairs that people have been asked about must not change under their feet."""
    bidui("generate", project, "-n", 20)
    before = contents(tmp_path / "pairs")
    refused = bidui("generate", project, "-n", 20, "--seed", 1)
    assert refused.code == 2 and "seed (0, now 1)" in refused.err
    assert contents(tmp_path / "pairs") == before
    assert bidui("generate", project, "-n", 20, "--seed", 1, "--force").code == 0
    assert contents(tmp_path / "pairs") != before


def test_pairs_that_someone_changed_are_not_written_over(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    bidui("generate", project, "-n", 5, "--only", "BA_inversion")
    file = tmp_path / "pairs" / "BA_inversion.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("move", "moved"), encoding="utf-8")
    done = bidui("generate", project, "-n", 5, "--only", "BA_inversion")
    assert done.code == 2 and "BA_inversion.jsonl" in done.err


def test_too_few_pairs_are_written_with_the_reason(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    """Half a result that looks like a whole one is what the published generators give."""
    done = bidui("generate", project, "-n", 100000, "--only", "anaphor_gender_agreement", "--only", "BA_inversion")
    assert done.code == 1
    # by hand: 16 names, 2 x 16 relatives, 2 x 8 jobs; 7 x 3 + 7 x 4 + 3 x 3 ways to blame oneself
    assert "anaphor_gender_agreement: 3712 of 100000 pairs" in done.err
    assert "without `mPos:verb mPro:kind=adverb`, there would be" in done.err
    assert len(lines(tmp_path / "pairs" / "anaphor_gender_agreement.jsonl")) == (16 + 32 + 16) * (21 + 28 + 9) == 3712
    manifest = json.loads((tmp_path / "pairs" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["finished"] is True
    assert manifest["short"]["anaphor_gender_agreement"]["given"] == 3712
    again = bidui("generate", project, "-n", 100000, "--only", "anaphor_gender_agreement", "--only", "BA_inversion")
    assert again.code == 1 and "nothing to do" in again.err


def test_only_takes_names_and_globs(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    bidui("generate", project, "-n", 2, "--only", "BA_*", "--only", "question_A_not_A_ma")
    names = [path.stem for path in sorted((tmp_path / "pairs").glob("*.jsonl"))]
    assert names == ["BA_bare_verb", "BA_inversion", "question_A_not_A_ma"]
    missing = bidui("generate", project, "-n", 2, "--only", "BEI_*", "-o", "other")
    assert missing.code == 2 and "BEI_*" in missing.err


def test_excluded_paradigms_come_only_when_asked_for(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    """What "overall" means must not depend on who runs it."""
    other = copy_of(project, tmp_path)
    change(other / "paradigms/BA/BA_inversion.yaml", "edit:", "status: excluded\nreason: people do not agree\nedit:")
    bidui("generate", other, "-n", 2, "-o", "without")
    bidui("generate", other, "-n", 2, "-o", "with", "--include-excluded")
    bidui("generate", other, "-n", 2, "-o", "named", "--only", "BA_inversion")
    assert [path.stem for path in sorted((tmp_path / "without").glob("*.jsonl"))] == [
        u for u in UIDS if u != "BA_inversion"
    ]
    assert [path.stem for path in sorted((tmp_path / "with").glob("*.jsonl"))] == UIDS
    assert [path.stem for path in sorted((tmp_path / "named").glob("*.jsonl"))] == ["BA_inversion"]


@pytest.mark.parametrize("draw", ["even", "uniform"])
def test_the_same_seed_gives_the_same_bytes(run: Run, bidui: Bidui, project: Path, tmp_path: Path, draw: str) -> None:
    """Any hash seed (this process draws its own), any number of processes, alone or among others."""
    ask = ("generate", project, "-n", 100, "--seed", 5, "--draw", draw)
    assert run(*ask, "-o", "one", PYTHONHASHSEED="1").returncode == 0
    assert bidui(*ask, "-o", "two").code == 0
    assert bidui(*ask, "-o", "workers", "--on", "processes:2").code == 0
    assert bidui(*ask, "-o", "alone", "--only", "classifier_noun_agreement").code == 0
    expected = contents(tmp_path / "one")
    assert sorted(expected) == sorted(["manifest.json", *(f"{uid}.jsonl" for uid in UIDS)])
    assert contents(tmp_path / "two") == expected
    assert contents(tmp_path / "workers") == expected
    alone = contents(tmp_path / "alone")
    assert alone["classifier_noun_agreement.jsonl"] == expected["classifier_noun_agreement.jsonl"]


@pytest.mark.parametrize("draw", ["even", "uniform"])
def test_fewer_pairs_are_the_first_of_more(bidui: Bidui, project: Path, tmp_path: Path, draw: str) -> None:
    """Somebody who starts with 100 and asks for 300 later keeps what was already judged."""
    bidui("generate", project, "-n", 100, "--draw", draw, "-o", "few")
    bidui("generate", project, "-n", 300, "--draw", draw, "-o", "many")
    for uid in UIDS:
        few, many = lines(tmp_path / "few" / f"{uid}.jsonl"), lines(tmp_path / "many" / f"{uid}.jsonl")
        assert (len(few), len(many)) == (100, 300)
        assert many[:100] == few
        assert len({json.loads(line)["sentence_good"] + json.loads(line)["sentence_bad"] for line in many}) == 300


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_other_formats_hold_the_same_pairs(bidui: Bidui, project: Path, tmp_path: Path, format: str) -> None:
    bidui("generate", project, "-n", 10, "-o", "jsonl")
    assert bidui("generate", project, "-n", 10, "-o", format, "--format", format).code == 0
    assert read_pairs(tmp_path / format).items == read_pairs(tmp_path / "jsonl").items


def test_diversity_counts_pairs(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    bidui("generate", project, "-n", 10)
    done = bidui("diversity", "pairs")
    assert done.code == 0
    assert done.out.splitlines()[0].split() == ["pairs", "50"]
    missing = bidui("diversity", "nowhere")
    assert missing.code == 2 and "Traceback" not in missing.err


def test_sets_of_pairs_are_compared_at_the_same_size(bidui: Bidui, tmp_path: Path) -> None:
    """As in SLING's Table 6: more sentences have more types, so the larger set is also shown by a sample."""
    head = "sentence_good,sentence_bad\n"
    (tmp_path / "one.csv").write_text(head + "我看书。,书看我。\n", "utf-8")
    (tmp_path / "two.csv").write_text(head + "她买菜。,菜买她。\n他写字。,字写他。\n", "utf-8")
    done = bidui("diversity", "one.csv", "two.csv", "-o", "table6")
    assert (done.code, done.err) == (0, "table6: diversity.csv, diversity.md, diversity.tex\n")
    lines = (tmp_path / "table6/diversity.csv").read_text("utf-8").splitlines()
    assert lines[0] == "measure,one (2),two (2 of 4),SD of two (2 of 4),two (4)"
    assert lines[2].startswith("1-gram types,4,") and lines[2].endswith(",7")  # 我看书。 and 她买菜他写字。
    assert "two (4)" in (tmp_path / "table6/diversity.md").read_text("utf-8")
    assert "\\toprule" in (tmp_path / "table6/diversity.tex").read_text("utf-8")


def test_a_project_is_exported_as_tasks(bidui: Bidui, tmp_path: Path) -> None:
    new_project(tmp_path / "project", lang="zh")
    done = bidui("export-lm-eval", "project", "-o", "tasks", "-n", "3")
    assert (done.code, done.err) == (0, "tasks: 15 pairs in 5 paradigms; see its README.md\n")
    assert len(list((tmp_path / "tasks/tasks").glob("bidui_project_*.yaml"))) == 5
    assert 'group: "bidui_project"\n' in (tmp_path / "tasks/group.yaml").read_text("utf-8")
    assert bidui("export-lm-eval", "project", "-o", "tasks").code == 2
    assert bidui("export-lm-eval", "none.jsonl", "-o", "other").code == 2
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
