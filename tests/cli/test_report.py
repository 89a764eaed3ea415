"""`bidui report` as a user types it, from scores and counts to a page that opens."""

import csv
import json
from html.parser import HTMLParser
from pathlib import Path

from bidui.benchmarks import judged_benchmarks
from tests.cli.typed import Bidui
from tests.reports.small import write_run

# Good and bad, as tokens with their log-probabilities. By LP: right, a tie, right, wrong; D=, D=, D<, D>.
PAIRS: list[tuple[list[tuple[str, float]], list[tuple[str, float]]]] = [
    ([("甲", -1), ("乙", -2)], [("乙", -2), ("甲", -2)]),
    ([("甲", -2), ("丙", -2)], [("丙", -1), ("甲", -3)]),
    ([("丁", -3)], [("甲", -1), ("甲", -1), ("甲", -2)]),
    ([("乙", -1), ("乙", -1), ("乙", -1), ("乙", -1)], [("戊", -3)]),
]


class Links(HTMLParser):
    """The links and sources of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [str(value) for name, value in attrs if name in ("href", "src")]


def write_given(folder: Path) -> None:
    """pairs.jsonl in BLiMP's layout, and given.jsonl with the scores of its sentences."""
    pairs, scores = [], []
    for number, (good, bad) in enumerate(PAIRS):
        texts = ["".join(token for token, _ in side) for side in (good, bad)]
        pairs.append({"sentence_good": texts[0], "sentence_bad": texts[1], "UID": "u_1", "pairID": str(number)})
        for text, side in zip(texts, (good, bad), strict=True):
            scores.append({"sentence": text, "tokens": [t for t, _ in side], "logprobs": [n for _, n in side]})
    for name, lines in (("pairs", pairs), ("given", scores)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def test_scores_and_runs_become_a_page_whose_links_all_exist(bidui: Bidui, tmp_path: Path) -> None:
    """LP has 2.5 of 4 pairs; LP on D=, D<, D> 75, 100 and 0; the run has 60 of 100 at its end."""
    write_given(tmp_path)
    assert bidui("score", "pairs.jsonl", "--model", "given:given.jsonl", "-o", "results/scores").code == 0
    write_run(tmp_path / "results" / "runs" / "r", {0: [50], 10: [40], 400: [60]})
    ended = bidui("report", "results", "-o", "site")
    assert ended.code == 0, ended.err
    assert "site/index.html" in ended.out and "models: 1, training runs: 1" in ended.out
    site = tmp_path / "site"
    (row,) = rows(site / "tables" / "accuracy-1.csv")  # the model and the run were scored on different pairs
    assert (row["model"], row["lp"], row["lp_ties"]) == ("given", "62.5", "1")
    first = rows(site / "tables" / "length-groups-1.csv")[0]
    shown = [first[name] for name in ("link", "equal", "shorter", "longer", "delta_acc")]
    assert shown == ["lp", "75", "100", "0", "50"]
    assert rows(site / "tables" / "runs.csv")[0]["accuracy"] == "60"
    links = Links()
    links.feed((site / "index.html").read_text(encoding="utf-8"))
    files = {link for link in links.found if not link.startswith("#")}
    assert files and all((site / file).is_file() for file in files)
    written = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert written - files == {"index.html", "report.json"}, "the page leads to everything"


def test_a_second_report_replaces_the_first_but_nothing_else(bidui: Bidui, tmp_path: Path) -> None:
    """The same bytes in the same language, Chinese in Chinese; and a file of the user's is not lost."""
    write_run(tmp_path / "runs" / "r", {10: [40], 400: [60]})
    for _ in range(2):
        assert bidui("report", "runs", "-o", "site").code == 0
    index = tmp_path / "site" / "index.html"
    assert "Learning curves" in index.read_text(encoding="utf-8")
    assert bidui("report", "runs", "-o", "site", "--lang", "zh").code == 0
    assert "学习曲线" in index.read_text(encoding="utf-8")
    (tmp_path / "site" / "mine.txt").write_text("mine")
    ended = bidui("report", "runs", "-o", "site")
    assert ended.code == 2 and "mine.txt" in ended.err
    assert "学习曲线" in index.read_text(encoding="utf-8")


def test_a_folder_without_results_is_a_message(bidui: Bidui, tmp_path: Path) -> None:
    """And no folder is made."""
    ended = bidui("report", ".", "-o", "site")
    assert ended.code == 2 and "neither scores" in ended.err
    missing = bidui("report", "nowhere", "-o", "site")
    assert missing.code == 2 and "no such file or folder: nowhere" in missing.err
    assert not (tmp_path / "site").exists()


def test_the_linking_functions_asked_for_are_those_shown(bidui: Bidui, tmp_path: Path) -> None:
    """The first is that of the details; one that does not exist is refused at once."""
    write_given(tmp_path)
    bidui("score", "pairs.jsonl", "--model", "given:given.jsonl", "-o", "results")
    assert bidui("report", "results", "-o", "site", "--link", "mean_lp", "--link", "lp", "--no-published").code == 0
    assert list(rows(tmp_path / "site" / "tables" / "accuracy.csv")[0])[1::4] == ["mean_lp", "lp"]
    assert "Published results were switched off" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert bidui("report", "results", "-o", "other", "--link", "ln").code == 2


def test_the_pairs_of_a_table_of_ones_own_are_read_as_for_score(bidui: Bidui, tmp_path: Path) -> None:
    """`score` took --good and --bad, but `report --pairs` could not read the same file."""
    write_given(tmp_path)
    sides = [["".join(token for token, _ in side) for side in one] for one in PAIRS]
    rows_of = [f"{number},{good},{bad},x" for number, (good, bad) in enumerate(sides, start=1)]
    (tmp_path / "own.csv").write_text("id,ok,star,kind\n" + "\n".join(rows_of) + "\n", encoding="utf-8")
    named = ("--good", "ok", "--bad", "star", "--paradigm", "kind")
    assert bidui("score", "own.csv", *named, "--model", "given:given.jsonl", "-o", "results").code == 0
    assert bidui("report", "results", "-o", "site", "--link", "lp", "--pairs", "own.csv", *named).code == 0
    assert rows(tmp_path / "site" / "tables" / "regions-paradigm-sum.csv")[0]["paradigm"] == "x"
    ended = bidui("report", "results", "-o", "other", "--good", "ok", "--bad", "star")
    assert ended.code == 2 and "--good needs the pairs; give their file or folder with --pairs" in ended.err


def test_a_run_that_is_left_out_is_told(bidui: Bidui, tmp_path: Path) -> None:
    """On the terminal and on the page."""
    write_run(tmp_path / "runs" / "good", {400: [60]})
    write_run(tmp_path / "runs" / "bad", {400: [60]})
    (tmp_path / "runs" / "bad" / "run.json").unlink()
    ended = bidui("report", "runs", "-o", "site")
    assert ended.code == 0 and "runs/bad" in ended.err
    assert "runs/bad" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_people_and_kinds_of_zhoblimp_are_known() -> None:
    """BA_deletion was judged 28 times, always right; 118 paradigms are included and 11 are not."""
    (zhoblimp,) = (known for known in judged_benchmarks(["BA_deletion"]) if known.name == "zhoblimp")
    assert zhoblimp.people["BA_deletion"] == (28, 28)
    assert sorted(zhoblimp.kinds.values()).count("excluded") == 11
    (other,) = (known for known in judged_benchmarks(["mine"]) if known.name == "zhoblimp")
    assert other.kinds == {}


def test_pairs_ratings_and_a_word_list_add_their_sections(bidui: Bidui, tmp_path: Path) -> None:
    """Of 4 pairs the first: 甲乙 at -1 -2 against 乙甲 at -2 -2. Ratings that equal LP correlate with it perfectly."""
    write_given(tmp_path)
    assert bidui("score", "pairs.jsonl", "--model", "given:given.jsonl", "-o", "results").code == 0
    lines = ["rater\tuid\tpair\tside\trating"]
    for number, (good, bad) in enumerate(PAIRS):
        for side, tokens in (("good", good), ("bad", bad)):
            lines.append(f"r\tu_1\t{number}\t{side}\t{sum(value for _, value in tokens)}")
    (tmp_path / "ratings.tsv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "list.tsv").write_text("甲\t10\n乙\t5\n", encoding="utf-8")
    given = ("--pairs", "pairs.jsonl", "--ratings", "ratings.tsv", "--frequencies", "list.tsv")
    ended = bidui("report", "results", "-o", "site", "--link", "lp", *given)
    assert ended.code == 0, ended.err
    tables = tmp_path / "site" / "tables"
    assert rows(tables / "ratings-pointwise.csv")[0]["given"] == "1"
    # by LP +1, 0, +1 and -1, and nothing stands before or after the change
    assert [row["given"] for row in rows(tables / "regions.csv")] == ["0.25"]
    assert (tables / "frequencies.csv").is_file()
    inputs = json.loads((tmp_path / "site" / "report.json").read_text(encoding="utf-8"))["inputs"]
    assert {"--pairs", "--ratings", "--frequencies"} < inputs.keys()


def test_what_needs_the_pairs_asks_for_them(bidui: Bidui, tmp_path: Path) -> None:
    """Before the long work, and with nothing written."""
    write_run(tmp_path / "runs" / "r", {400: [60]})
    (tmp_path / "list.tsv").write_text("甲\t10\n", encoding="utf-8")
    for option, value in (("--frequencies", "list.tsv"), ("--region", "NP=noun")):
        ended = bidui("report", "runs", "-o", "site", option, value)
        assert ended.code == 2 and "--pairs" in ended.err
    write_given(tmp_path)
    ended = bidui("report", "runs", "-o", "site", "--pairs", "pairs.jsonl", "--region", "noun")
    assert ended.code == 2 and "NAME=slot,slot" in ended.err
    assert not (tmp_path / "site").exists()
