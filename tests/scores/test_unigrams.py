"""Unigrams: counts, smoothing, and whose tokenizer they belong to."""

import json
from math import log
from pathlib import Path

import numpy as np
import pytest

from bidui.errors import InputError
from bidui.scores.unigrams import Unigrams, read_unigrams, take_unigrams, write_unigrams


def counted(*counts: int) -> Unigrams:
    return Unigrams(np.array(counts, np.int64), "t" * 64)


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [
        (0, [1 / 8, 3 / 8, 4 / 8]),
        (1, [2 / 11, 4 / 11, 5 / 11]),
        (0.5, [1.5 / 9.5, 3.5 / 9.5, 4.5 / 9.5]),
    ],
)
def test_smoothing_is_added_to_every_count(smoothing: float, expected: list[float]) -> None:
    found = counted(1, 3, 4).logprobs(smoothing=smoothing)
    assert found == pytest.approx([log(share) for share in expected])
    assert np.exp(found).sum() == pytest.approx(1)


def test_a_token_never_seen_needs_smoothing() -> None:
    """log 0 would make every sentence with the token infinitely good by SLOR."""
    with pytest.raises(InputError, match="2 tokens have a count of zero; use a smoothing above 0"):
        counted(0, 3, 0).logprobs(smoothing=0)
    assert counted(0, 3, 0).logprobs(smoothing=1) == pytest.approx([log(1 / 6), log(4 / 6), log(1 / 6)])


def test_counts_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "u.json"
    file.write_bytes(write_unigrams(counted(0, 3, 2**40)))
    found = read_unigrams(file, tokenizer="t" * 64)
    assert (found.counts.tolist(), found.tokenizer) == ([0, 3, 2**40], "t" * 64)
    assert found.counts.dtype == np.int64


def test_counts_of_another_tokenizer_are_refused(tmp_path: Path) -> None:
    """The ids would stand for other tokens, and nothing in the numbers would show it."""
    file = tmp_path / "u.json"
    file.write_bytes(write_unigrams(counted(1, 2)))
    with pytest.raises(
        InputError, match=r"u\.json: these unigrams were counted with another tokenizer \(tttttttttttt; .* sssssssssss"
    ):
        read_unigrams(file, tokenizer="s" * 64)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        "null",
        json.dumps({"counts": [1]}),
        json.dumps({"tokenizer": "t"}),
        json.dumps({"tokenizer": "t", "counts": ["a"]}),
        json.dumps({"tokenizer": "t", "counts": [1, None]}),
        json.dumps({"tokenizer": "t", "counts": [[1, 2], [3]]}),
    ],
)
def test_what_is_no_file_of_unigrams_is_a_clear_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "u.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"u\.json: cannot be read as unigram counts"):
        read_unigrams(file, tokenizer="t")


def test_a_missing_or_binary_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "u.json").write_bytes(b"\xff\xfe")
    for name in ("none.json", "u.json"):
        with pytest.raises(InputError, match=rf"{name}: cannot be read as unigram counts"):
            read_unigrams(tmp_path / name, tokenizer="t")


def test_unigrams_beside_a_model_are_taken_along_with_its_scores(tmp_path: Path) -> None:
    model, scores = tmp_path / "model", tmp_path / "scores"
    model.mkdir()
    assert not take_unigrams(model, tokenizer="t" * 64, scores=scores)
    assert not scores.exists()
    (model / "unigrams.json").write_bytes(write_unigrams(counted(1, 3, 4)))
    assert take_unigrams(model, tokenizer="t" * 64, scores=scores)
    assert read_unigrams(scores / "unigrams.json", tokenizer="t" * 64).counts.tolist() == [1, 3, 4]
    before = (scores / "unigrams.json").stat()
    assert take_unigrams(model, tokenizer="t" * 64, scores=scores)  # there already
    assert (scores / "unigrams.json").stat() == before
    (model / "unigrams.json").write_bytes(write_unigrams(counted(9, 9, 9)))
    assert take_unigrams(model, tokenizer="t" * 64, scores=scores)
    assert read_unigrams(scores / "unigrams.json", tokenizer="t" * 64).counts.tolist() == [9, 9, 9]


def test_unigrams_that_do_not_fit_are_not_taken_along(tmp_path: Path) -> None:
    (tmp_path / "unigrams.json").write_bytes(write_unigrams(counted(1, 3, 4)))
    with pytest.raises(InputError, match="counted with another tokenizer"):
        take_unigrams(tmp_path, tokenizer="another", scores=tmp_path / "scores")
    assert not (tmp_path / "scores").exists()
