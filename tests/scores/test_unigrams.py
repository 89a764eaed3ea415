"""Unigrams: counts, smoothing, and whose tokenizer they belong to."""

import json
from math import log
from pathlib import Path

import numpy as np
import pytest

from bidui.errors import InputError
from bidui.pairs import Pairs
from bidui.scores.run import read_totals, run_scoring
from bidui.scores.unigrams import (
    PublishedUnigrams,
    Unigrams,
    read_published,
    read_unigrams,
    take_unigrams,
    write_unigrams,
)

from .small import Counting, pair


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


# Published files: values by token id, without the name of a tokenizer


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def published(path: Path, text: str) -> tuple[list[int], list[float], bool]:
    found = read_published(write(path, text))
    assert found is not None
    return found.ids.tolist(), found.values.tolist(), found.counts


def test_published_files_are_counts_probabilities_or_logarithms(tmp_path: Path) -> None:
    """The authors of ZhoBLiMP have JSON from ids to probabilities."""
    assert published(tmp_path / "a.json", '{"5": 0.25, "3": 0.5, "70": 0.25}') == ([5, 3, 70], [0.25, 0.5, 0.25], False)
    assert published(tmp_path / "a.json", "[3, 0, 5]") == ([0, 1, 2], [3, 0, 5], True)
    assert published(tmp_path / "a.json", '{"1": 2, "2": 2.0}') == ([1, 2], [2, 2], True)
    assert published(tmp_path / "a.tsv", "id\tcount\n7\t3\n8\t1\n") == ([7, 8], [3, 1], True)
    assert published(tmp_path / "a.csv", "7,0.5\n8,0.5\n") == ([7, 8], [0.5, 0.5], False)
    ids, values, counts = published(tmp_path / "a.json", json.dumps({"0": log(0.75), "9": log(0.25)}))
    assert (ids, counts) == ([0, 9], False) and values == pytest.approx([0.75, 0.25])
    assert read_published(write(tmp_path / "own.json", write_unigrams(counted(1, 2)).decode())) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"的": 0.5, "是": 0.5}', "cannot be read as unigram counts: invalid literal"),
        ('{"1": "x"}', "cannot be read as unigram counts"),
        ('{"1": null}', "cannot be read as unigram counts"),
        ("3", "cannot be read as unigram counts"),
        ("{}", "the keys must be token ids"),
        ('{"-1": 3}', "the keys must be token ids"),
        ('{"1": 3, "01": 4}', "the keys must be token ids"),
        ('{"1": NaN, "2": 3}', "the keys must be token ids"),
        ('{"1": 12.5, "2": 30.5}', "the values sum to 43; they must be counts"),
        ('{"1": 0.2, "2": 0.3}', "the values sum to 0.5"),
        ('{"1": 0.0, "2": 1.0}', "the values sum to 1;"),
    ],
)
def test_what_is_no_published_file_is_a_clear_error(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InputError, match=rf"u\.json: {reason}"):
        read_published(write(tmp_path / "u.json", text))


def scored(folder: Path, *sentences: str, tokenizer: str = "t") -> Path:
    """Scores of `Counting`, whose ids are 1 for 甲, 2 for 乙 and so on, and 0 for anything else."""
    pairs = Pairs(tuple(pair("u", number, sentence, "甲") for number, sentence in enumerate(sentences)))
    declared: dict[str, str | int | bool | None] = {"tokenizer": tokenizer} if tokenizer else {}
    run_scoring(pairs, Counting(declared=declared), out=folder)
    return folder


def test_tokens_that_a_published_file_lacks_are_never_given_a_probability_silently(tmp_path: Path) -> None:
    """ZhoBLiMP's script gives them 1 in 3,000,000,000. Here 丙, id 3, is missing: 1 of the 5 tokens 甲乙丙, 甲; 甲."""
    folder = scored(tmp_path / "s", "甲乙丙")
    file = write(tmp_path / "u.json", '{"1": 0.5, "2": 0.5}')
    with pytest.raises(
        InputError, match=r"lacks the probabilities of 1 type of tokens \(1 of 4 scored tokens; ids 3\)"
    ):
        read_totals(folder, unigrams=file)
    _, totals = read_totals(folder, unigrams=file, unseen=0.001)
    assert totals.unigram == pytest.approx([2 * log(0.5) + log(0.001), log(0.5)])
    told = [note.text() for note in totals.notes]
    assert told == [
        "2 token ids without the name of a tokenizer; rank correlation with the scored tokens: –",
        "1 type of tokens (1 of 4 scored tokens) are not in the file and were given 0.001",
    ]
    assert all(note.text("zh") for note in totals.notes)


def test_tokens_that_published_counts_lack_have_the_count_zero(tmp_path: Path) -> None:
    """Counts 3 and 1 of ids 1 and 2, none of 0 and 3; with 1 added, 4, 2, 1 and 1 of 8."""
    folder = scored(tmp_path / "s", "甲乙丙")
    file = write(tmp_path / "u.json", '{"1": 3, "2": 1}')
    _, totals = read_totals(folder, unigrams=file)
    assert totals.unigram == pytest.approx([log(4 / 8) + log(2 / 8) + log(1 / 8), log(4 / 8)])
    assert "were given count 0 + 1" in totals.notes[1].text()
    with pytest.raises(InputError, match="2 tokens have a count of zero"):
        read_totals(folder, unigrams=file, smoothing=0)


def test_a_published_file_of_another_tokenizer_is_refused(tmp_path: Path) -> None:
    """Either it lacks most tokens, or its frequencies have nothing to do with those of the tokens."""
    folder = scored(tmp_path / "s", "甲乙丙丁")
    few = write(tmp_path / "few.json", '{"1": 0.5, "900": 0.5}')
    with pytest.raises(InputError, match=r"lacks 3 of the 5 scored tokens \(3 types\), so it belongs to another"):
        read_totals(folder, unigrams=few, unseen=1e-9)
    with pytest.raises(InputError, match="counting has no token ids of a vocabulary"):
        read_totals(scored(tmp_path / "n", "甲", tokenizer=""), unigrams=few)


def test_frequencies_are_compared_with_those_of_the_scored_tokens() -> None:
    """Token n occurs n times: a file that agrees has a rank correlation of 1, one in reverse of -1."""
    tokens = np.repeat(np.arange(300), np.arange(1, 301))
    right = PublishedUnigrams("f", np.arange(300), np.arange(1.0, 301.0), counts=True)
    logprobs, [note] = right.logprobs(tokens, smoothing=0, unseen=None)
    assert logprobs[99] == pytest.approx(log(100 / 45150))
    assert "300 token ids without the name of a tokenizer; rank correlation with the scored tokens: 1.00" in note.text()
    wrong = PublishedUnigrams("f", np.arange(300), np.arange(301.0, 1.0, -1), counts=True)
    with pytest.raises(InputError, match=r"nothing to do with those of the scored tokens \(rank correlation -1.00\)"):
        wrong.logprobs(tokens, smoothing=0, unseen=None)
