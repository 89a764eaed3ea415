"""Results: models are scored in the background, and their figures are those that one works out by hand."""

import csv
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from math import log, sqrt
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import bidui
import bidui.web.api.results
import bidui.web.runs
from bidui.models.specs import DEFAULT
from bidui.people.design import Design
from bidui.people.study import draw_study
from bidui.reports.site import write_report
from bidui.scores.run import score
from bidui.web.results import report_folder
from bidui.web.runs import MOST_EACH
from bidui.web.server import Service, check_service
from bidui.web.store.studies import (
    StudyRecord,
    create_study,
    delete_participant,
    keep_scores,
    participants_of,
    scores_of,
    update_draft,
)
from bidui.web.workbench import Workbench

from ..served import browser_of, kinds, local, member, served, stranger
from ..store.small import PARADIGM, TEXTS, the_entry
from ..surveys import answered, opened

RESULTS = "/api/projects/small/results"
SECONDS = 120
# Two pairs. The tokens of each sentence, a character each, have the same log-probability, so that a mean is -1 where
# the sum is -7. The first pair is right by every linking function, the second wrong.
GIVEN = {"张三喜欢他自己": -1.0, "张三喜欢她自己": -2.0, "李梅喜欢她自己": -3.0, "李梅喜欢他自己": -1.5}


def given_file(folder: Path, name: str = "toy", **changed: float) -> Path:
    """A model whose log-probabilities are written down."""
    lines = [
        json.dumps({"sentence": sentence, "tokens": list(sentence), "logprobs": [value] * len(sentence)})
        for sentence, value in (GIVEN | changed).items()
    ]
    file = folder / f"{name}.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    return file


def work_of(bench: Workbench) -> Path:
    return the_entry(bench.store).folder


@pytest.fixture
def scored(laptop: Workbench, tmp_path: Path) -> Workbench:
    """A workbench whose project was scored on the command line, so to speak."""
    score(work_of(laptop), f"given:{given_file(tmp_path)}", out=work_of(laptop) / "results", n=2)
    return laptop


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs do nothing until they are stopped."""
    code = 'import sys; print(\'{"total": 9, "done": 4}\', flush=True); sys.stdin.read()'
    monkeypatch.setattr(bidui.web.runs, "_PROCESS", (sys.executable, "-c", code))


def ended(client: TestClient, number: int, *, address: str = RESULTS) -> dict[str, Any]:
    """The run of that number, once it has ended."""
    for _ in range(SECONDS * 20):
        runs = client.get(f"{address}/runs").json()["runs"]
        run: dict[str, Any] = next(each for each in runs if each["id"] == number)
        if run["state"] not in ("waiting", "running"):
            return run
        time.sleep(0.05)
    raise AssertionError(run)


def half_of_two() -> tuple[float, float]:
    """Wilson's interval of one of two, by his formula."""
    square = 1.959963984540054**2
    half = sqrt(square) * sqrt(0.25 / 2 + square / 16) / (1 + square / 2)
    return 0.5 - half, 0.5 + half


# Scoring


def test_a_run_scores_in_the_background_and_its_figures_are_those_of_one_of_two(
    laptop: Workbench, tmp_path: Path
) -> None:
    client = local(laptop)
    nothing = client.get(RESULTS).json()
    assert nothing["sets"] == [] and nothing["stored"] == [] and nothing["choice"]["models"] == [DEFAULT]
    spec = f"given:{given_file(tmp_path)}"
    run = client.post(f"{RESULTS}/runs", json={"model": spec, "n": 5, "seed": 3})
    assert run.status_code == 201 and run.json()["state"] in ("waiting", "running")
    done = ended(client, run.json()["id"])
    assert (done["state"], done["label"], done["done"], done["total"]) == ("done", "toy", 2, 2)
    assert [each["kind"] for each in done["problems"]] == ["run-short"]  # five pairs were asked for, two there are
    found = client.get(RESULTS).json()
    (only,) = found["sets"]
    low, high = half_of_two()
    cell = {"value": 0.5, "low": pytest.approx(low), "high": pytest.approx(high)}
    assert only["overall"]["models"] == {"toy": cell} and only["overall"]["kind"] == "pairs"
    assert [(each["name"], each["pairs"], each["models"]["toy"]) for each in only["phenomena"]] == [
        ("anaphor", 2, cell)
    ]
    assert [(each["name"], each["phenomenon"]) for each in only["paradigms"]] == [("gender", "anaphor")]
    by_link = {each["link"]: each["accuracy"] for each in only["links"]}
    assert by_link == dict.fromkeys(("lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm"), 0.5)
    stored = found["stored"][0]
    assert (stored["id"], stored["pairs"], stored["left"], stored["fresh"]) == ("toy", 2, 0, "current")


def test_the_figures_of_the_shipped_model_are_those_of_the_command(laptop: Workbench) -> None:
    folder = work_of(laptop) / "results"
    score(work_of(laptop), DEFAULT, out=folder, n=2)
    client = local(laptop)
    for link in ("slln:0.5", "lp", "slln:0.3", "slor"):
        found = client.get(RESULTS, params={"link": link}).json()
        table = bidui.compare(folder, links=link, by="paradigm")
        expected = table.estimates["zh-14m-char"][0]
        assert expected is not None
        cell = found["sets"][0]["paradigms"][0]["models"]["zh-14m-char"]
        assert (found["link"], cell["value"], cell["low"]) == (link, expected.value, pytest.approx(expected.low))
    usual = bidui.compare(folder).frame
    by_link = {each["link"]: each["accuracy"] for each in found["sets"][0]["links"]}
    assert by_link == dict(zip(usual["link"].to_list(), usual["accuracy"].to_list(), strict=True))
    assert [each["kind"] for each in found["notes"]] == ["length-few-pairs"]  # two pairs are too few for MORCELA


def test_scores_of_a_project_that_has_changed_say_so(scored: Workbench) -> None:
    client = local(scored)
    assert client.get(RESULTS).json()["stored"][0]["fresh"] == "current"
    opened_file = client.get(f"/api/projects/small/files/{PARADIGM}").json()
    text = TEXTS[PARADIGM].replace("喜欢", "讨厌")
    body = {"text": text, "base": opened_file["revision"], "tab": ""}
    assert client.put(f"/api/projects/small/files/{PARADIGM}", json=body).json()["saved"]
    added = client.post("/api/projects/small/paradigms", json={"uid": "new", "phenomenon": "anaphor"})
    assert added.status_code == 201
    stored = client.get(RESULTS).json()["stored"][0]
    assert (stored["fresh"], stored["missing"], stored["gone"]) == ("changed", ["new"], [])
    assert "before the project was changed" in client.get("/p/small/results").text


def test_models_on_other_pairs_are_never_beside_each_other(scored: Workbench, tmp_path: Path) -> None:
    results = work_of(scored) / "results"
    score(work_of(scored), f"given:{given_file(tmp_path, 'same')}", out=results, n=2)
    score(work_of(scored), f"given:{given_file(tmp_path, 'less')}", out=results, n=1)
    sets = local(scored).get(RESULTS).json()["sets"]
    assert sorted((each["pairs"], sorted(each["models"])) for each in sets) == [(1, ["less"]), (2, ["same", "toy"])]


def test_an_interrupted_run_is_listed_and_has_no_accuracy(scored: Workbench) -> None:
    """An accuracy over some of the pairs is not one over all."""
    file = work_of(scored) / "results" / "toy" / "scores.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"left": 5, "parts": {}}), "utf-8")
    found = local(scored).get(RESULTS).json()
    assert found["sets"] == [] and found["stored"][0]["left"] == 5


def test_broken_scores_leave_the_others_to_be_seen(scored: Workbench, tmp_path: Path) -> None:
    results = work_of(scored) / "results"
    score(work_of(scored), f"given:{given_file(tmp_path, 'other')}", out=results, n=2)
    (results / "toy" / "gender.parquet").write_bytes(b"nothing")
    found = local(scored).get(RESULTS).json()
    assert [list(each["models"]) for each in found["sets"]] == [["other"]]
    assert [each["kind"] for each in found["problems"]] == ["scores-broken"]
    (results / "toy" / "scores.json").write_text("{", "utf-8")
    found = local(scored).get(RESULTS).json()
    assert [each["id"] for each in found["stored"]] == ["other"]
    assert [each["place"]["file"] for each in found["problems"]] == ["results/toy/scores.json"]  # which of the models


# A closer look


def test_the_pairs_of_a_paradigm_say_what_each_model_chose(scored: Workbench, tmp_path: Path) -> None:
    other = given_file(tmp_path, "other", 张三喜欢她自己=-1.0)  # a tie in the first pair
    score(work_of(scored), f"given:{other}", out=work_of(scored) / "results", n=2)
    client = local(scored)
    (only,) = client.get(RESULTS).json()["sets"]
    asked = {"set": only["id"], "uid": "gender", "link": "lp"}
    found = client.get(f"{RESULTS}/pairs", params=asked).json()
    prefers = {each["good"]: each["prefers"] for each in found["pairs"]}
    assert prefers == {
        "张三喜欢他自己": {"toy": "good", "other": "tie"},
        "李梅喜欢她自己": {"toy": "bad", "other": "bad"},
    }
    assert found["wrong"] == {"toy": 1, "other": 1}
    wrong = client.get(f"{RESULTS}/pairs", params={**asked, "wrong": True, "model": "toy"}).json()["pairs"]
    assert [each["good"] for each in wrong] == ["李梅喜欢她自己"]
    pair = client.get(f"{RESULTS}/pair", params={**asked, "number": wrong[0]["number"]}).json()
    toy = next(each for each in pair["models"] if each["model"] == "toy")
    assert [token["text"] for token in toy["good"]["tokens"]] == list("李梅喜欢她自己")
    assert [token["surprisal"] for token in toy["good"]["tokens"]] == [pytest.approx(3 / log(2))] * 7
    assert toy["bad"]["total"] == pytest.approx(7 * 1.5 / log(2)) and toy["prefers"]["mean_lp"] == "bad"
    assert kinds(client.get(f"{RESULTS}/pairs", params={**asked, "uid": "none"})) == ["results-unknown"]
    assert kinds(client.get(f"{RESULTS}/pairs", params={**asked, "set": "none"})) == ["results-unknown"]
    page = client.get("/p/small/results/pairs", params=asked)
    assert page.status_code == 200 and "李梅喜欢她自己" in page.text


@pytest.mark.parametrize("link", ["os:system", "links.py:mine", "nothing", "slln:x", "bidui.scores.links:lp"])
def test_a_linking_function_of_somebodys_own_is_not_run(scored: Workbench, link: str) -> None:
    """To the commands, `file.py:function` is code to be run."""
    answer = local(scored).get(RESULTS, params={"link": link})
    assert answer.status_code == 400 and kinds(answer)[0] in ("link-unknown", "link-numbers")


# Who may do what


@pytest.fixture
def team_of(tmp_path: Path) -> Iterator[Workbench]:
    """A team whose server was started with one model more."""
    model = given_file(tmp_path)
    with served(tmp_path, None, team=True, models=(f"given:{model}",)) as bench:
        yield bench


@pytest.mark.usefixtures("held")
def test_a_viewer_sees_and_an_editor_scores(team_of: Workbench, tmp_path: Path) -> None:
    allowed = {"model": f"given:{tmp_path / 'toy.jsonl'}", "n": 2}
    score(work_of(team_of), allowed["model"], out=work_of(team_of) / "results", n=2)
    viewer = browser_of(team_of, member(team_of, "Zhao", "viewer"))
    editor = browser_of(team_of, member(team_of, "Li", "editor"))
    assert stranger(team_of).get(RESULTS).status_code == 401
    assert viewer.post(f"{RESULTS}/runs", json=allowed).status_code == 403
    run = editor.post(f"{RESULTS}/runs", json=allowed)
    assert run.status_code == 201 and viewer.get(f"{RESULTS}/runs").json()["runs"][0]["by"] == "Li"
    found = viewer.get(RESULTS).json()
    assert found["sets"][0]["overall"]["models"]["toy"]["value"] == 0.5
    assert (found["choice"]["free"], len(found["choice"]["models"])) == (False, 2)
    for method, address in (("DELETE", "scores/toy"), ("POST", "report"), ("DELETE", f"runs/{run.json()['id']}")):
        assert viewer.request(method, f"{RESULTS}/{address}").status_code == 403, address
    page = viewer.get("/p/small/results").text
    assert "50.0%" in page and "data-method" not in page.partition("<main")[2]
    assert "2 pairs of 1 paradigm</h2>" in page


@pytest.mark.parametrize("model", ["hf:gpt2", "given:/etc/passwd", "api:http://127.0.0.1:1?model=x", "../model"])
def test_the_editors_of_a_team_load_only_models_that_its_server_was_started_with(
    team_of: Workbench, model: str
) -> None:
    """A model can be a program of its own, and a path can be anybody's."""
    editor = browser_of(team_of, member(team_of, "Li", "editor"))
    refused = editor.post(f"{RESULTS}/runs", json={"model": model})
    assert (refused.status_code, kinds(refused)) == (403, ["model-not-allowed"])
    assert team_of.runs.of(the_entry(team_of.store).id) == []


def test_a_server_does_not_start_with_what_is_no_model() -> None:
    with pytest.raises(bidui.InputError, match="bidui does not ship a model none"):
        check_service(Service(Path(), models=(DEFAULT, "bidui:none")))


def test_what_is_no_model_is_refused_before_it_waits(laptop: Workbench) -> None:
    refused = local(laptop).post(f"{RESULTS}/runs", json={"model": "bidui:none"})
    assert (refused.status_code, kinds(refused)) == (400, ["spec-not-shipped"])


def test_without_the_packages_of_models_the_page_says_how_to_install_them(
    scored: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bidui.web.api.results, "NEEDED", ("torch", "no_such_package"))
    client = local(scored)
    assert kinds(client.post(f"{RESULTS}/runs", json={})) == ["needs-extra"]
    page = client.get("/p/small/results").text
    assert "pip install &#39;bidui[lm]&#39;" in page or "pip install 'bidui[lm]'" in page
    assert "50.0%" in page  # what was scored elsewhere is shown


# Files


def test_only_the_files_of_a_run_are_deleted(scored: Workbench) -> None:
    client, results = local(scored), work_of(scored) / "results"
    (results / "toy" / "notes.txt").write_text("mine", "utf-8")
    for name in ("%2e%2e", "%2e%2e%2f%2e%2e", "toy%2f%2e%2e%2f%2e%2e", "%2fetc", "none", "toy/gender.parquet"):
        assert client.delete(f"{RESULTS}/scores/{name}").status_code == 404, name
    assert (work_of(scored) / "project.yaml").is_file()
    assert client.delete(f"{RESULTS}/scores/toy").status_code == 204
    assert [path.name for path in (results / "toy").iterdir()] == ["notes.txt"]
    assert client.get(RESULTS).json()["stored"] == []


def test_a_link_in_the_place_of_the_folder_is_refused(laptop: Workbench, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (work_of(laptop) / "results").symlink_to(tmp_path / "elsewhere")
    client = local(laptop)
    assert kinds(client.get(RESULTS)) == ["file-is-link"]
    assert kinds(client.post(f"{RESULTS}/runs", json={})) == ["file-is-link"]


def test_results_are_no_files_of_the_project(scored: Workbench) -> None:
    """Neither lists nor exports nor revisions know them, and the bin keeps them."""
    client = local(scored)
    shown = client.get("/api/projects/small").json()
    assert {each["file"] for each in shown["files"]} == {"project.yaml", "lexicon.tsv"} and shown["skipped"] == []
    assert b"results" not in client.get("/api/projects/small/export").content
    assert client.delete("/api/projects/small").status_code == 204
    number = client.get("/api/bin").json()["projects"][0]["id"]
    assert client.post(f"/api/bin/{number}", json={}).status_code == 200
    assert client.get(RESULTS).json()["stored"][0]["fresh"] == "current"


def test_the_report_is_served_where_no_script_can_run(scored: Workbench) -> None:
    entry = the_entry(scored.store)
    write_report([], out=report_folder(entry, "en"), title="small <script>")
    client = local(scored)
    page = client.get("/p/small/report/en/index.html")
    assert page.status_code == 200 and "small &lt;script&gt;" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "sandbox" in policy
    assert "script" not in policy.replace("allow-scripts", "script")
    assert "script-src 'self'" in client.get("/p/small/results").headers["content-security-policy"]
    for name in ("%2e%2e%2f%2e%2e%2f%2e%2e%2fworkbench.sqlite", "report.json", "none.html"):
        assert client.get(f"/p/small/report/en/{name}").status_code == 404, name
    assert client.get("/p/small/report/zh/index.html").status_code == 404
    assert stranger(scored).get("/p/small/report/en/index.html").status_code == 401
    assert client.get(RESULTS).json()["reports"] == [{"study": None, "fresh": False}]  # it was made without any scores


# The queue


@pytest.mark.usefixtures("held")
def test_one_run_is_at_work_and_the_others_wait_for_their_turn(laptop: Workbench) -> None:
    client = local(laptop)
    first, second = (client.post(f"{RESULTS}/runs", json={"seed": seed}).json() for seed in (1, 2))
    assert second["state"] == "waiting" and second["ahead"] == 1
    assert kinds(client.post(f"{RESULTS}/runs", json={"seed": 2})) == ["run-there"]
    for seed in range(3, MOST_EACH + 1):
        assert client.post(f"{RESULTS}/runs", json={"seed": seed}).status_code == 201
    full = client.post(f"{RESULTS}/runs", json={"seed": 99})
    assert (full.status_code, kinds(full)) == (503, ["runs-full"])
    for address in (f"{RESULTS}/scores/toy", "/api/projects/small"):  # the process would write where nothing should be
        assert kinds(client.delete(address)) == ["results-busy"]
    assert client.delete(f"{RESULTS}/runs/{first['id']}").status_code == 204
    assert ended(client, first["id"])["state"] == "cancelled"
    for _ in range(SECONDS * 20):
        run = next(each for each in client.get(f"{RESULTS}/runs").json()["runs"] if each["id"] == second["id"])
        if run["done"]:
            break
        time.sleep(0.05)
    assert (run["state"], run["done"], run["total"], run["ahead"]) == ("running", 4, 9, 0)
    assert kinds(client.delete(f"{RESULTS}/runs/999")) == ["run-unknown"]
    page = client.get("/p/small/results").text
    assert "4 of 9 pairs" in page and "Resume" in page


def test_a_run_that_was_stopped_with_the_server_goes_on_with_the_next(tmp_path: Path) -> None:
    spec = f"given:{given_file(tmp_path)}"
    with pytest.MonkeyPatch.context() as patch, served(tmp_path, None) as bench:
        patch.setattr(bidui.web.runs, "_PROCESS", (sys.executable, "-c", "import sys; sys.stdin.read()"))
        number = local(bench).post(f"{RESULTS}/runs", json={"model": spec, "n": 2}).json()["id"]
    with served(tmp_path, None) as bench:
        bench.runs.resume()  # as `serve` does
        assert ended(local(bench), number)["state"] == "done"


def test_a_run_that_fails_says_why(laptop: Workbench, tmp_path: Path) -> None:
    client = local(laptop)
    run = client.post(f"{RESULTS}/runs", json={"model": f"given:{tmp_path / 'none.jsonl'}"}).json()
    failed = ended(client, run["id"])
    assert (failed["state"], [each["kind"] for each in failed["problems"]]) == ("failed", ["file-unreadable"])
    assert str(tmp_path) not in json.dumps([each["place"] for each in failed["problems"]])


def test_a_process_that_says_what_nobody_expects_does_not_hold_up_the_queue(
    laptop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bidui.web.runs, "_PROCESS", (sys.executable, "-c", "print('Segmentation fault')"))
    client = local(laptop)
    for seed in (1, 2):
        run = client.post(f"{RESULTS}/runs", json={"seed": seed}).json()
        failed = ended(client, run["id"])
        assert (failed["state"], [each["kind"] for each in failed["problems"]]) == ("failed", ["run-died"])
    assert client.delete("/api/projects/small").status_code == 204  # nothing is at work


# Models beside the people of a study


@pytest.fixture
def study(laptop: Workbench) -> StudyRecord:
    """Two people have answered, always for the good sentence; eight pairs, four of each of two paradigms."""
    record = opened(laptop)
    answered(laptop, record, 2, lambda who, item: True)
    return record


def model_of(study: StudyRecord, folder: Path) -> Path:
    """A model that is right about the pairs of `gender` and wrong about those of `other`."""
    lines = []
    for item in study.study.items:
        for side, sentence in (("good", item.good), ("bad", item.bad)):
            value = -1.0 if (side == "good") == (item.uid == "gender") else -2.0
            tokens = list(sentence)
            lines.append(json.dumps({"sentence": sentence, "tokens": tokens, "logprobs": [value] * len(tokens)}))
    file = folder / "half.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    return file


def test_the_pairs_of_a_study_are_scored_and_shown_beside_its_people(
    laptop: Workbench, study: StudyRecord, tmp_path: Path
) -> None:
    client, here = local(laptop), f"/api/projects/small/studies/{study.id}"
    assert client.get(f"{here}/models").json()["stored"] == []
    body = {"model": f"given:{model_of(study, tmp_path)}", "link": "mean_lp"}
    done = ended(client, client.post(f"{here}/score", json=body).json()["id"])
    assert (done["state"], done["study"], done["problems"]) == ("done", study.id, [])
    (model,) = client.get(f"{here}/results").json()["models"]
    assert (model["name"], model["overall"]["value"]) == ("half mean_lp", 0.5)
    assert {uid: each["value"] for uid, each in model["paradigms"].items()} == {"gender": 1.0, "other": 0.0}
    # Its scores are offered for other linking functions, and shown among the project's results as a set of their own.
    stored = client.get(f"{here}/models").json()["stored"]
    assert stored == [f"study-{study.id}/half"]
    shown = client.post(f"{here}/models/stored", json={"id": stored[0], "link": "lp"})
    assert shown.status_code == 201 and shown.json() == {"name": "half lp"}
    assert [each["name"] for each in client.get(f"{here}/results").json()["models"]] == ["half lp", "half mean_lp"]
    (only,) = client.get(RESULTS).json()["sets"]
    assert (only["study"], only["pairs"], list(only["models"])) == (study.id, len(study.study.pairs), ["half"])
    page = client.get(f"/p/small/studies/{study.id}/results").text
    assert "Score the pairs of this study with a model" in page and "half mean_lp" in page


def test_scores_of_the_project_that_have_the_sentences_of_a_study_are_offered(scored: Workbench) -> None:
    """Whoever scores a project with the seed of a design need not score its study again."""
    design = Design("custom", per_paradigm=2, lists=2, most_per_paradigm=1, raters=1, catch=0)
    pool = bidui.generate(work_of(scored), n=20, seed=design.seed)
    record = create_study(the_entry(scored.store), draw_study(pool, design, name="pilot"))
    client, here = local(scored), f"/api/projects/small/studies/{record.id}"
    assert client.get(f"{here}/models").json()["stored"] == ["toy"]
    assert client.post(f"{here}/models/stored", json={"id": "toy", "link": "slln"}).json() == {"name": "toy slln:0.5"}
    assert sorted(scores_of(record)["toy slln:0.5"].values()) == [0.0, 1.0]
    # What was worked out for a draft is not kept if it was drawn again meanwhile.
    again = update_draft(record, draw_study(pool, replace(design, seed=1), name="pilot"))
    with pytest.raises(bidui.InputError, match="somebody has changed the draft pilot"):
        keep_scores(record, "toy", {})
    assert scores_of(again) == {}


def test_scores_of_other_sentences_are_not_offered_for_a_study(scored: Workbench, tmp_path: Path) -> None:
    record = opened(scored)
    client, here = local(scored), f"/api/projects/small/studies/{record.id}"
    assert client.get(f"{here}/models").json()["stored"] == []
    assert kinds(client.post(f"{here}/models/stored", json={"id": "toy"})) == ["results-other-pairs"]
    assert kinds(client.post(f"{here}/models/stored", json={"id": "../toy"})) == ["results-unknown"]
    assert kinds(client.post(f"{here}/score", json={"link": "slor"})) == ["show-link"]


def test_a_report_has_the_people_of_a_study_on_the_pairs_that_they_judged(
    laptop: Workbench, study: StudyRecord, tmp_path: Path
) -> None:
    """Two people, one on each list, chose every good sentence; the model is right about half of the pairs."""
    client = local(laptop)
    score(work_of(laptop), f"given:{given_file(tmp_path)}", out=work_of(laptop) / "results", n=2)  # on other pairs
    body = {"model": f"given:{model_of(study, tmp_path)}", "link": "mean_lp"}
    ended(client, client.post(f"/api/projects/small/studies/{study.id}/score", json=body).json()["id"])
    assert client.get(RESULTS).json()["opened"] == [study.id] and client.get(RESULTS).json()["reports"] == []
    done = ended(client, client.post(f"{RESULTS}/report", json={"study": study.id}).json()["id"])
    assert (done["state"], [each["kind"] for each in done["problems"]]) == ("done", ["study-other-pairs"])
    assert client.get(RESULTS).json()["reports"] == [{"study": study.id, "fresh": True}]
    files = f"/p/small/studies/{study.id}/report/en"
    page = client.get(f"{files}/index.html")
    assert page.status_code == 200 and "pilot" in page.text
    assert "sandbox" in page.headers["content-security-policy"]
    rows = csv.DictReader(client.get(f"{files}/tables/people.csv").text.splitlines())
    accuracies = {row["phenomenon"]: (float(row["people"]), float(row["half"])) for row in rows}
    assert accuracies == {"anaphor": (100, 100), "classifier": (100, 0), "all pairs": (100, 50)}
    assert client.get("/p/small/report/en/index.html").status_code == 404  # the one on all pairs was not made
    shown = client.get("/p/small/results").text
    assert "Report with pilot" in shown and "The report with pilot" not in shown
    delete_participant(study, participants_of(study)[0].pseudonym)
    assert client.get(RESULTS).json()["reports"] == [{"study": study.id, "fresh": False}]
    assert "The report with pilot was made before" in client.get("/p/small/results").text


def test_a_report_with_a_study_needs_its_answers_and_scores_of_its_pairs(scored: Workbench) -> None:
    client = local(scored)
    assert kinds(client.post(f"{RESULTS}/report", json={"study": 99})) == ["study-unknown"]
    record = opened(scored)
    failed = ended(client, client.post(f"{RESULTS}/report", json={"study": record.id}).json()["id"])
    assert (failed["state"], [each["kind"] for each in failed["problems"]]) == ("failed", ["responses-none"])
    answered(scored, record, 2, lambda who, item: True)
    failed = ended(client, client.post(f"{RESULTS}/report", json={"study": record.id}).json()["id"])
    assert (failed["state"], [each["kind"] for each in failed["problems"]]) == ("failed", ["study-other-pairs"])


def test_people_of_a_closed_study_are_beside_the_models_of_the_project(scored: Workbench) -> None:
    record = opened(scored)
    answered(scored, record, 2, lambda who, item: True)
    client = local(scored)
    assert client.get(RESULTS).json()["people"] == []
    assert client.post(f"/api/projects/small/studies/{record.id}/state", json={"state": "closed"}).status_code == 200
    (column,) = client.get(RESULTS).json()["people"]
    assert (column["name"], column["paradigms"]["gender"]["value"]) == ("pilot", 1.0)
    assert "Humans, pilot" in client.get("/p/small/results").text
