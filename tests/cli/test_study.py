"""`bidui study`: from a project to a decision."""

from pathlib import Path

from bidui.grammar.project import load_project, new_project
from bidui.people.responses import answer_trial, to_jsonl
from bidui.people.study import read_study
from tests.cli.typed import Bidui


def test_a_study_runs_from_a_project_to_a_decision(bidui: Bidui, tmp_path: Path) -> None:
    """One paradigm is judged wrong by everybody, the other right: the first is excluded in its file."""
    new_project(tmp_path / "p")
    made = bidui("study", "new", "p", "--preset", "zhoblimp", "--lists", 5, "--raters", 4, "-o", "s")
    assert made.code == 0, made.err
    assert made.out.splitlines()[0] == "s: 25 pairs in 5 paradigms"
    assert "20 people × 1 min (7 trials)" in made.out
    assert bidui("study", "lists", "s").out.splitlines()[1].split() == ["1", "choice", "4", "7", "5"]
    study = read_study(tmp_path / "s")
    rows = []
    for trial in study.trials:
        right = 1 if trial.shown == "good-bad" else 2
        answer = 3 - right if trial.item.startswith("BA_inversion/") else right
        rows.append(answer_trial(study, trial, participant=f"p{trial.list}.{trial.slot}", answer=answer, rt_ms=900))
    (tmp_path / "r.jsonl").write_bytes(to_jsonl(rows))
    assert bidui("study", "results", "s").code == 2
    assert bidui("study", "import", "s", "r.jsonl").out == "s: 140 new responses of 140 responses\n"
    assert bidui("study", "import", "s", "r.jsonl").out == "s: 0 new responses of 140 responses\n"
    shown = bidui("study", "results", "s")
    assert "BA_inversion" in shown.out and "0/20" in shown.out and "20/20" in shown.out
    assert "20 people, 140 responses, 100 used" in shown.out
    decided = bidui("study", "decide", "s", "p", "--write", "--threshold", 0.8)
    assert decided.code == 0, decided.err
    assert "exclude    BA_inversion  0.0%" in decided.out and "keep       BA_bare_verb" in decided.out
    paradigm = load_project(tmp_path / "p").paradigm("BA_inversion")
    assert paradigm.status == "excluded" and "0 of 20 judgements" in paradigm.reason
    assert bidui("study", "export", "s", "-o", "e").out == "e: 2 files\n"
    assert bidui("study", "export", "s", "-o", "x", "--to", "pcibex").out == "x: 5 files\n"


def test_a_design_that_cannot_be_is_refused(bidui: Bidui, tmp_path: Path) -> None:
    new_project(tmp_path / "p")
    ended = bidui("study", "new", "p", "--preset", "zhoblimp", "--lists", 2, "-o", "s")
    assert ended.code == 2 and "use at least 5 lists" in ended.err
    assert not (tmp_path / "s").exists()
    assert "there is no preset" in bidui("study", "new", "p", "--preset", "x").err
