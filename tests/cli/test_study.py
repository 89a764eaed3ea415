"""`bidui study`: from a project to a decision."""

import json
from contextlib import closing
from pathlib import Path

from bidui.grammar.project import load_project, new_project
from bidui.people.lists import slots_of
from bidui.people.participants import read_participants
from bidui.people.responses import answer_trial, read_responses, to_jsonl
from bidui.people.study import read_study, write_study
from bidui.web.store.disk import open_store
from bidui.web.store.studies import GivenAnswer, Sheet, join, save_answers, study_of
from bidui.web.store.workspace import entry
from tests.cli.typed import Bidui
from tests.people.small import by_hand, given_by_hand


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
    # Somebody asks for her answers to be deleted, which happens once.
    assert bidui("study", "withdraw", "s", "p1.1").out == "s: p1.1 is deleted, with 7 answers\n"
    gone = bidui("study", "withdraw", "s", "p1.1")
    assert (gone.code, gone.err) == (2, "s: nobody called p1.1 is in this study\n")
    assert len(read_responses(tmp_path / "s", study)) == 133


def test_a_study_goes_to_the_workbench_and_comes_back_with_its_answers(bidui: Bidui, tmp_path: Path) -> None:
    """What the pages of a study do, the command does in the same database, whether a server runs or not."""
    study = by_hand()
    write_study(study, tmp_path / "s")
    new_project(tmp_path / "all" / "p")
    (tmp_path / "all" / ".bidui").mkdir()  # the folder that is served holds several projects
    assert bidui("study", "send", "s", "all/p").out.startswith("all/p: study 1 is a draft")
    opened = bidui("study", "state", "all/p", 1, "open")
    with closing(open_store(tmp_path / "all")) as store:
        record = study_of(entry(store, "p"), 1)
        assert opened.out == f"{study.name} is open; participants open /s/{record.token} on your server\n"
        token, seat = join(store, record.token, language="zh", version=study.version, background={}, external="panel-1")
        given = tuple(GivenAnswer(trial.position, 1, 900, 0, "rows", "zh") for trial in seat.trials)
        save_answers(store, [Sheet(token, given)])
    assert bidui("study", "state", "all/p", 1, "paused").out == f"{study.name} is paused\n"
    (line,) = json.loads(bidui("study", "list", "all/p", "--format", "json").out)
    assert (line["state"], line["people"], line["slots"]) == ("paused", 1, len(slots_of(study.trials)))
    assert bidui("study", "fetch", "all/p", 1, "-o", "back").out == f"back: {len(given)} answers\n"
    assert read_study(tmp_path / "back") == read_study(tmp_path / "s")
    assert [one.participant for one in read_participants(tmp_path / "back", study)] == [seat.pseudonym]
    assert "panel-1" not in (tmp_path / "back" / "participants.jsonl").read_text("utf-8")
    assert bidui("study", "withdraw", "all/p", seat.pseudonym, "--number", 1).code == 0
    assert bidui("study", "state", "all/p", 1, "closed").code == 0
    for refused in (("state", "all/p", 1, "open"), ("fetch", "all/p", 2, "-o", "none"), ("list", "all")):
        ended = bidui("study", *refused)
        assert ended.code == 2 and "Traceback" not in ended.err, refused


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


def test_a_preset_fits_a_small_project_unless_an_option_says_how_long_lists_are(bidui: Bidui, tmp_path: Path) -> None:
    """Five paradigms of 20 pairs: 16 items beside 8 catch trials take 4 of each paradigm, so 5 lists of each task."""
    new_project(tmp_path / "p")
    made = bidui("study", "new", "p")
    assert made.code == 0 and "60 people" in made.out
    assert "10 lists, fewer and longer than in bidui; up to 4 items of a paradigm per person" in made.out
    again = bidui("study", "new", "p", "--dry-run")  # the folder is there, and nothing is written
    assert (again.code, again.out) == (0, made.out)
    refused = bidui("study", "new", "p", "--lists", 20, "-o", "t")
    assert refused.code == 2 and "8 catch trials do not fit between 5 other trials" in refused.err


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


def test_progress_says_how_far_a_study_is(bidui: Bidui, tmp_path: Path) -> None:
    """Cleo is still answering; Bob failed the catch trial, and Dan left after one trial of three.

    Of test items Ann has 1 of 2 right and Cleo 1 of 1, in 1, 9 and 4 s; Ann, who has finished, took 12 s in all.
    """
    study = by_hand()
    write_study(study, tmp_path / "s")
    empty = bidui("study", "progress", "s").out.splitlines()
    assert (
        empty[0] == "nobody has answered yet"
        and empty[-1] == "0 of 4 slots done, 0 people left out; 0 people, 0 answers"
    )
    (tmp_path / "r.jsonl").write_bytes(to_jsonl(given_by_hand(study)))
    (tmp_path / "people.csv").write_text("participant,started\ncleo,2026-11-16T20:00:00Z\n")
    assert bidui("study", "import", "s", "r.jsonl").code == bidui("study", "import", "s", "people.csv").code == 0
    shown = [" ".join(line.split()) for line in bidui("study", "progress", "s", "--slowest", 1).out.splitlines()]
    assert shown == [
        "person list state answers catch agreement median left out",
        "cleo 2 active 2/3 1/1 100.0% 3.5 s",
        "ann 1 done 3/3 1/1 50.0% 2.0 s",
        "bob 1 done 3/3 0/1 100.0% 1.0 s catch trials wrong or skipped: 1, 0 allowed",
        "dan 2 done 1/3 – 0.0% 0.5 s 33% of the trials answered, at least 100% required",
        "list task trials slots done active",
        "1 choice 3 2 1 0",
        "2 choice 3 2 0 1",
        "slowest items median answers agreement",
        "u1/0 5.5 s 2 50.0%",
        "1 of 4 slots done, 2 people left out; 4 people, 9 answers",
        "agreement 66.7% (20.8–93.9), 2/3",
        "catch trials right: 2/3",
        "median 4.0 s per answer, 0.2 min per person",
    ]
    assert "检测题答错或跳过 1 道" in bidui("study", "progress", "s", "--lang", "zh").out
    rows = bidui("study", "progress", "s", "--format", "csv").out.splitlines()
    assert rows[0] == (
        "participant,list,state,seen,answered,trials,catch_right,catch,"
        "agreement,wilson_low,wilson_high,correct,judgements,median_ms,left_out"
    )
    assert rows[1].startswith("cleo,2,active,2026-11-16T20:00:00Z,2,3,1,1,100,") and rows[1].endswith(",1,1,3500,")
    found = json.loads(bidui("study", "progress", "s", "--format", "json").out)
    assert (found["correct"], found["judgements"], found["median_ms"], found["median_minutes"]) == (2, 3, 4000, 0.2)
    assert [row["left_out"] for row in found["persons"]][:2] == ["", ""] and len(found["slowest"]) == 4
    assert found["lists"][1] == {"list": 2, "task": "choice", "trials": 3, "slots": 2, "done": 0, "active": 1}
    assert bidui("study", "progress", "nowhere").code == 2


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
