"""The table of a run's accuracies is of one set of pairs."""

from pathlib import Path

import numpy as np
import pytest

from bidui.errors import InputError, OutputRefused
from bidui.models.huggingface import tokenizer_hash
from bidui.pairs import Pair, Pairs
from bidui.scores.run import read_totals
from bidui.scores.unigrams import Unigrams
from bidui.training.run import check_pairs, score_milestone
from tests.training import small


def pairs(*, count: int = 2, bad: str = "七") -> Pairs:
    return Pairs([Pair("一丁", bad, uid, "p", number) for uid in ("a", "b") for number in range(count)])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder in which the initial weights were scored."""
    score(tmp_path, seed=3)
    return tmp_path


def score(run: Path, *, seed: int) -> float:
    """The log-probability of a sentence, as it is in the scores afterwards."""
    model = small.trainee(small.recipe(seed=seed)).model("run@step-000000")
    unigrams = Unigrams(np.ones(small.VOCABULARY, np.int64), tokenizer_hash(small.tokenizer()))
    score_milestone(0, model, pairs(), run=run, unigrams=unigrams)
    _, table = read_totals(run / "scores" / "step-000000")
    return float(table.totals().logprob[0])


def test_the_same_pairs_may_be_scored_again(run: Path, tmp_path: Path) -> None:
    check_pairs(run, pairs())
    check_pairs(tmp_path / "nothing there", pairs(count=5))


@pytest.mark.parametrize("others", [pairs(count=3), pairs(bad="丁")])
def test_other_pairs_are_refused(run: Path, others: Pairs) -> None:
    """More of them, or others under the same names: what is in the table is no accuracy on these."""
    with pytest.raises(OutputRefused, match=r"accuracy\.tsv: .*the accuracies of 2 paradigms \(a"):
        check_pairs(run, others)


def test_no_pairs_at_all_are_refused_before_days_of_training(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no pairs to score the checkpoints on"):
        check_pairs(tmp_path, Pairs([]))


def test_weights_that_were_made_again_are_scored_again(run: Path) -> None:
    """After a resumption on a GPU the last bits are others, and a table of both would be of neither."""
    first, again, other = (score(run, seed=seed) for seed in (3, 3, 4))
    assert first == again != other


def test_without_scores_their_number_tells_pairs_apart(run: Path) -> None:
    for file in (run / "scores").rglob("*"):
        if file.is_file():
            file.unlink()
    check_pairs(run, pairs())
    with pytest.raises(OutputRefused):
        check_pairs(run, pairs(count=3))
