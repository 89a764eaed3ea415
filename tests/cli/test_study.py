"""`bidui study`: from a project to a decision."""

import json
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
    found = json.loads(bidui("study", "results", "s", "--format", "json").out)
    # by hand: all 20 judgements of one paradigm in five are wrong, so coded good/bad 80 of 100 are in one category:
    # chance agreement is 0.8² + 0.2² = 0.68, agreement 1
    assert found["kappa"]["good/bad"] == 1 and [row["item"] for row in found["doubtful"]] == [
        f"BA_inversion/{pair.pair_id}" for pair in study.pairs.by_uid()["BA_inversion"]
    ]
    table = bidui("study", "results", "s", "--format", "csv", "--by", "overall").out.splitlines()
    assert table[0].startswith("overall,agreement,wilson_low") and table[1].startswith("all,80,")
    assert bidui("study", "results", "s", "-o", "res").out == "res: 8 files\n"
    assert json.loads((tmp_path / "res/results.json").read_text("utf-8"))["design"]["rules"]["catch_failures"] == 0
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


def test_ratings_have_their_own_figures_and_decide_nothing(bidui: Bidui, tmp_path: Path) -> None:
    """Good sentences get 6 or 7, bad ones 1 or 2; without choices every paradigm is undecided."""
    new_project(tmp_path / "p")
    options = ("--preset", "zhoblimp", "--lists", 0, "--rating-lists", 5, "--catch", 0, "-o", "s")
    made = bidui("study", "new", "p", *options)
    assert "ratings of single sentences" in made.out and "there are no catch trials" in made.out
    study = read_study(tmp_path / "s")
    rows = [
        answer_trial(study, t, participant=f"p{t.list}.{t.slot}", answer=(6 if t.shown == "good" else 1) + t.slot % 2)
        for t in study.trials
    ]
    (tmp_path / "r.jsonl").write_bytes(to_jsonl(rows))
    assert bidui("study", "import", "s", "r.jsonl").code == 0
    shown = bidui("study", "results", "s", "--by", "overall").out
    assert "z good" in shown and "Krippendorff's alpha, ordinal" in shown and "kappa" not in shown
    decided = bidui("study", "decide", "s").out.splitlines()
    assert len(decided) == 5 and all(line.startswith("undecided") and "no judgements" in line for line in decided)
    assert "no choices between two sentences" in bidui("compare", "nowhere", "--study", "s").err


def test_texts_items_and_rules_are_given_as_files_and_options(bidui: Bidui, tmp_path: Path) -> None:
    """A consent form in one language is shown in both; the numbers of own items are those of their files."""
    new_project(tmp_path / "p")
    (tmp_path / "consent.txt").write_text("我同意。\n", encoding="utf-8")
    (tmp_path / "en.txt").write_text("Choose one.\n")
    (tmp_path / "practice.tsv").write_text(
        "sentence_good\tsentence_bad\n他来了。\t来他了。\n我走了。\t走我了。\n", encoding="utf-8"
    )
    options = ("--preset", "zhoblimp", "--lists", 5, "--catch", 1, "--only", "BA_*", "--consent", "consent.txt")
    options = (*options, "--instructions", "en=en.txt", "--practice-from", "practice.tsv", "--background", "age")
    options = (*options, "--floor-ms", 300, "--side-bias", 0.01, "--threshold", 0.8, "--layout", "columns")
    dry = bidui("study", "new", "p", *options, "-o", "s", "--dry-run")
    assert dry.code == 0 and "10 pairs in 2 paradigms" in dry.out and not (tmp_path / "s").exists()
    made = bidui("study", "new", "p", *options, "-o", "s")
    assert made.out == dry.out
    study = read_study(tmp_path / "s")
    assert study.text("consent", "en") == study.text("consent", "zh") == "我同意。"
    assert study.text("instructions-choice", "zh") == "Choose one."
    assert [item.good for item in study.items if item.kind == "practice"] == ["他来了。", "我走了。"]
    rules = study.design.rules
    assert (rules.floor_ms, rules.side_bias, rules.threshold, rules.catch_failures) == (300, 0.01, 0.8, 0)
    assert (study.design.background, study.design.layout, study.design.language) == (("age",), "columns", "zh")
    assert bidui("study", "new", "p", "--only", "nothing", "-o", "t").code == 2
    (tmp_path / "empty.txt").write_text(" \n")
    assert "the file is empty" in bidui("study", "new", "p", "--consent", "empty.txt", "-o", "t").err
    assert not (tmp_path / "t").exists()


def test_an_edited_paradigm_is_asked_about_again_beside_its_earlier_figures(bidui: Bidui, tmp_path: Path) -> None:
    """Excluded by a first study, edited, asked about again, found good, and included again."""
    new_project(tmp_path / "p")
    assert bidui("study", "new", "p", "--preset", "zhoblimp", "--lists", 5, "-o", "s").code == 0
    _answer(bidui, tmp_path, "s", wrong="BA_inversion/")
    edited = bidui("study", "decide", "s", "p", "--write", "--keep", "BA_inversion=")
    assert edited.code == 2 and "needs a reason" in edited.err
    assert bidui("study", "decide", "s", "p", "--write").code == 0
    file = tmp_path / "p" / load_project(tmp_path / "p").paradigm("BA_inversion").place.file
    file.write_text(file.read_text(encoding="utf-8") + "# better now\nsource: edited\n", encoding="utf-8")
    again = bidui("study", "decide", "s", "p", "--write")
    assert again.code == 2 and "was edited after the study" in again.err
    asked = ("--preset", "zhoblimp", "--lists", 5, "--catch", 1, "--only", "BA_*", "--follows", "s")
    made = bidui("study", "new", "p", *asked, "-o", "t")
    assert "follows s: 1 edited, 1 same" in made.out
    _answer(bidui, tmp_path, "t", wrong="BA_bare_verb/")
    rows = json.loads(bidui("study", "results", "t", "--format", "json").out)["rows"]
    assert {row["paradigm"]: (row["agreement"], row["earlier"], row["since"]) for row in rows} == {
        "BA_inversion": (100, 0, "edited"),
        "BA_bare_verb": (0, 100, "same"),
    }
    by_hand = bidui("study", "decide", "t", "p", "--write", "--keep", "BA_bare_verb=the raters were from elsewhere")
    assert by_hand.code == 0 and "by hand, figures say exclude" in by_hand.out
    project = load_project(tmp_path / "p")
    assert [project.paradigm(uid).status for uid in ("BA_inversion", "BA_bare_verb")] == ["included", "included"]
    record = [json.loads(line) for line in (tmp_path / "t" / "decisions.jsonl").read_text("utf-8").splitlines()]
    assert [(row["uid"], row["verdict"], row["proposed"], row["why"]) for row in record] == [
        ("BA_bare_verb", "keep", "exclude", "the raters were from elsewhere"),
        ("BA_inversion", "keep", "keep", ""),
    ]


def _answer(bidui: Bidui, folder: Path, name: str, *, wrong: str) -> None:
    """Answer everything right, but not these items."""
    study = read_study(folder / name)
    rows = []
    for trial in study.trials:
        right = 1 if trial.shown == "good-bad" else 2
        answer = 3 - right if trial.item.startswith(wrong) else right
        rows.append(answer_trial(study, trial, participant=f"p{trial.list}.{trial.slot}", answer=answer))
    (folder / f"{name}.jsonl").write_bytes(to_jsonl(rows))
    assert bidui("study", "import", name, f"{name}.jsonl").code == 0
