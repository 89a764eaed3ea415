"""The public functions take what people try first, and what they return is easy to look at."""

import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import bidui
from bidui.errors import InputError
from bidui.notebooks import to_pandas
from bidui.scores.links import Totals, as_links

from .scores.small import Counting

TWO = [("Who has left?", "Has who left?"), ("She sees it.", "She see it.")]
PAIRS = bidui.Pairs(tuple(bidui.Pair(good, bad, "pairs", "", n) for n, (good, bad) in enumerate(TWO)))
RECORDS = [{"sentence_good": good, "sentence_bad": bad} for good, bad in TWO]


def test_the_version_is_that_of_the_package() -> None:
    assert bidui.__version__ == version("bidui")


@pytest.mark.parametrize("source", [TWO, [list(pair) for pair in TWO], RECORDS, list(PAIRS), iter(PAIRS)])
def test_pairs_may_be_a_list_of_whatever_holds_two_sentences(source: Any) -> None:
    assert bidui.find_pairs(source) == PAIRS


def test_pairs_may_be_a_data_frame() -> None:
    """With the columns of a file, whatever they are called, and with what `frame` of a benchmark has."""
    frame = polars.DataFrame(RECORDS)
    assert bidui.find_pairs(frame) == PAIRS
    renamed = frame.rename({"sentence_good": "right", "sentence_bad": "wrong"})
    assert bidui.find_pairs(renamed, good="right", bad="wrong") == PAIRS

    class Frame:  # what bidui needs of pandas, which has numpy's values in its cells
        columns = ("sentence_good", "sentence_bad", "words")

        def to_dict(self, how: str) -> list[dict[str, object]]:
            assert how == "records"
            return [{**record, "words": np.array(["She", "see"])} for record in RECORDS]

    assert [pair.words for pair in bidui.find_pairs(Frame())] == [("She", "see")] * 2


@pytest.mark.parametrize("source", [["one", "two"], [("one",)], [3], [TWO[0], None]])
def test_what_is_not_a_pair_is_named(source: Any) -> None:
    with pytest.raises(InputError, match=r"record [12]: a pair must be a `Pair`, a mapping"):
        bidui.find_pairs(source)


def test_every_function_of_pairs_takes_files_and_lists(tmp_path: Path) -> None:
    bidui.write_pairs(TWO, tmp_path / "pairs")
    for pairs in (tmp_path / "pairs", str(tmp_path / "pairs" / "pairs.jsonl"), TWO):
        assert bidui.measure_diversity(pairs).pairs == 2
        assert bidui.told_apart(pairs) == 0.5
    bidui.export_lm_eval(str(tmp_path / "pairs"), out=tmp_path / "tasks", name="mine")
    assert (tmp_path / "tasks" / "tasks" / "mine_pairs.yaml").is_file()


def test_scores_are_found_in_their_folder_or_in_one_above(tmp_path: Path) -> None:
    scores = bidui.score(TWO, Counting(name="one"), out=str(tmp_path / "results"))
    expected = bidui.choose(scores, "lp").frame
    for place in (str(tmp_path / "results"), tmp_path / "results" / "one", bidui.read_scores(tmp_path / "results")):
        assert bidui.choose(place, "lp").frame.equals(expected)
        assert len(bidui.sweep(place).settings) == 21
    bidui.score(TWO, Counting(name="two"), out=tmp_path / "results")
    with pytest.raises(InputError, match=r"several models here; name the folder of one: .*one.*two"):
        bidui.read_scores(tmp_path / "results")


def test_what_is_no_model_is_an_error_that_says_what_is() -> None:
    with pytest.raises(InputError, match=r"a model must be a spec such as `hf:FOLDER`, .* not dict"):
        bidui.score(TWO, {})


def test_a_link_is_a_name_a_function_or_several() -> None:
    def mine(x: Totals) -> Any:
        return x.logprob

    assert [link.name for link in as_links("slln:0.5")] == ["slln:0.5"]
    assert [link.name for link in as_links(mine)] == ["mine"]
    assert [link.name for link in as_links(bidui.lp())] == ["lp"]
    assert [link.name for link in as_links(["lp", bidui.mean_lp(), mine])] == ["lp", "mean_lp", "mine"]


def test_compare_takes_one_link(tmp_path: Path) -> None:
    """A text is a sequence too: of letters, none of which is a linking function."""
    bidui.score(TWO, Counting(name="one"), out=tmp_path)
    assert bidui.compare(tmp_path, links="slln:0.5").frame["link"].to_list() == ["slln:0.5"]
    assert bidui.compare(str(tmp_path), links=bidui.lp()).frame["link"].to_list() == ["lp"]


def test_projects_are_opened_by_name_and_folder(tmp_path: Path) -> None:
    bidui.new_project(str(tmp_path / "mine"))
    project = bidui.open_project(str(tmp_path / "mine"))
    uid = project.paradigms[0].uid
    assert bidui.open_project(project) is project
    for source in (project, tmp_path / "mine", str(tmp_path / "mine")):
        assert bidui.count(source, uid) == bidui.count(project, uid)
        assert next(bidui.enumerate_all(source, uid)).uid == uid
        assert {pair.uid for pair in bidui.generate(source, n=1, only=uid)} == {uid}
        assert len(bidui.find_pairs(source, n=1)) == len(project.paradigms)
    assert bidui.export_classic(tmp_path / "mine", out=str(tmp_path / "old")).problems  # it opened the project
    bidui.generate_folder(tmp_path / "mine", out=str(tmp_path / "pairs"), n=1, only=uid)
    assert [path.name for path in (tmp_path / "pairs").glob("*.jsonl")] == [f"{uid}.jsonl"]


def test_runs_of_a_suite_are_chosen_by_one_name() -> None:
    runs = bidui.zh_pythia(seeds=[0])
    assert {run.size for run in bidui.choose_runs(runs, sizes="14m")} == {"14m"}
    assert {run.tokens for run in bidui.choose_runs(runs, tokens="10M")} == {10_000_000}
    assert {run.tokenizer for run in bidui.choose_runs(runs, tokenizers="char")} == {"char"}


@pytest.fixture(scope="module")
def project() -> bidui.Project:
    return bidui.open_project("zhoblimp")


def objects(project: bidui.Project) -> Sequence[object]:
    pairs = bidui.generate(project, n=2, only="BA*")
    scores = bidui.score(pairs, Counting(name="c"))
    totals = bidui.pair_totals(scores)
    given = bidui.given({"我来": [("我", -1.5), ("来", -2)]})
    return [
        *(project, project.lexicon, project.paradigms[0], pairs, scores, scores.table, totals, totals.totals()),
        *(bidui.choose(scores, "lp"), bidui.sweep(totals), given, next(given.score(["我来"]))),
        bidui.read_published("zhoblimp-6"),
    ]


def test_the_repr_of_a_large_object_is_one_line(project: bidui.Project, tmp_path: Path) -> None:
    """A project once printed four million characters into a notebook."""
    written = bidui.write_pairs(TWO, tmp_path / "pairs")
    for value in (*objects(project), written.manifest):
        assert re.fullmatch(r".{10,200}", repr(value)), repr(value)[:300]


def test_what_has_rows_has_a_frame_for_polars_and_pandas_and_notebooks(project: bidui.Project) -> None:
    scores = bidui.score(TWO, Counting(name="c"))
    choices = bidui.choose(scores, "lp")
    tables = [PAIRS, scores, scores.table, choices, bidui.accuracy(choices, by="pair"), bidui.sweep(scores)]
    tables += [project, project.lexicon, bidui.measure_diversity(TWO), bidui.read_published("zhoblimp-6")]
    for table in tables:
        assert isinstance(table.frame, polars.DataFrame) and len(table.frame)
        assert "<table" in table._repr_html_()
        assert callable(table.to_pandas)
    words = project.lexicon.frame
    assert (words.height, words["expression"][0]) == (len(project.lexicon.words), project.lexicon.words[0].form)
    assert project.frame.filter(uid="BA_inversion")["phenomenon"].to_list() == ["BA"]


def test_pandas_gets_every_value() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = bidui.score(TWO, Counting(name="c")).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["sentence"].tolist() == [sentence for pair in TWO for sentence in pair]
    assert frame["logprobs"][0] == [-9.0] * len(TWO[0][0]) and frame["pair"].dtype == "int32"
    assert bidui.find_pairs(PAIRS.to_pandas().rename(columns={"good": "g", "bad": "b"}), good="g", bad="b")


def test_without_pandas_an_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(InputError, match="pandas is not installed; run `pip install pandas`"):
        to_pandas(polars.DataFrame({"a": [1]}))
