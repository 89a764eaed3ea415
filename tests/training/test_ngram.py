"""N-gram models from text to file: what is counted, what is said of it, and that nothing half made stays."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.files import file_hash
from bidui.training.documents import SourceCounts
from bidui.training.ngram import FALLBACK, train_ngram, train_ngram_on
from bidui.training.ngram_counts import Column
from tests.training.ngram_oracle import read_arpa


def test_a_model_of_files_is_that_of_their_lines(tmp_path: Path) -> None:
    """Empty lines are no sentences, and a document of JSONL has as many as it has lines."""
    books = tmp_path / "books"
    books.mkdir()
    (books / "a.txt").write_bytes("妈妈看书。\n\n爸爸喝茶。\n".encode() + "爸\n".encode("gbk"))
    (books / "b.jsonl").write_text('{"body": "我喝茶。\\n你看书。"}\n', encoding="utf-8")
    seen = SourceCounts()
    made = train_ngram(books, tmp_path / "m.arpa", order=3, fallback=FALLBACK, field="body", seen=seen)
    train_ngram_on(
        ["妈妈看书。", "爸爸喝茶。", "我喝茶。", "你看书。"], tmp_path / "n.arpa", order=3, fallback=FALLBACK
    )
    assert (tmp_path / "m.arpa").read_bytes() == (tmp_path / "n.arpa").read_bytes()
    assert (made.sentences, made.tokens, made.words) == (4, 18, 9)
    assert seen.broken_encodings == 1
    said = json.loads((tmp_path / "m.arpa.json").read_text(encoding="utf-8"))
    assert said["sha256"] == file_hash(tmp_path / "m.arpa")
    assert said["sources"] == {name: file_hash(books / name) for name in ("a.txt", "b.jsonl")}
    assert (said["order"], said["unit"], said["sentences"], said["ngrams"]) == (3, "char", 4, list(made.ngrams))


def test_sentences_shorter_than_the_order_are_no_obstacle(tmp_path: Path) -> None:
    """甲 alone has a bigram and a trigram, and nothing longer."""
    made = train_ngram_on(["甲", "", "甲"], tmp_path / "m.arpa", order=5, fallback=FALLBACK)
    assert made.ngrams == (4, 3, 1, 0, 0)
    assert ("<s>", "甲", "</s>") in read_arpa(tmp_path / "m.arpa")


@pytest.mark.parametrize("sentences", [[], [""], [" ", "\t"]])
def test_a_text_without_words_is_refused(tmp_path: Path, sentences: list[str]) -> None:
    with pytest.raises(InputError, match=f"no words to count in {len(sentences)} sentences"):
        train_ngram_on(sentences, tmp_path / "m.arpa", fallback=FALLBACK)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("order", [0, 1, 7])
def test_orders_that_kenlm_does_not_read_are_refused(tmp_path: Path, order: int) -> None:
    with pytest.raises(InputError, match=f"order 2 to 6, not {order}"):
        train_ngram_on(["甲"], tmp_path / "m.arpa", order=order)


def test_a_folder_in_the_place_of_the_file_is_told_at_once(tmp_path: Path) -> None:
    def never() -> Iterator[str]:
        raise AssertionError("read before the place was looked at")
        yield ""

    with pytest.raises(InputError, match="cannot be written"):
        train_ngram_on(never(), tmp_path)


def test_an_interruption_leaves_nothing_but_the_old_model(tmp_path: Path) -> None:
    (tmp_path / "m.arpa").write_text("old", encoding="utf-8")

    def sentences() -> Iterator[str]:
        yield "甲乙"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_ngram_on(sentences(), tmp_path / "m.arpa")
    assert [path.name for path in tmp_path.iterdir()] == ["m.arpa"]
    assert (tmp_path / "m.arpa").read_text(encoding="utf-8") == "old"


def test_a_full_disk_is_an_error_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(column: Column, start: int, values: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Column, "write", full)
    with pytest.raises(InputError, match=r"m\.arpa: cannot be written: No space left on device"):
        train_ngram_on(["甲乙"], tmp_path / "m.arpa", fallback=FALLBACK)
    assert list(tmp_path.iterdir()) == []


def test_every_step_is_told_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("甲乙丙\n甲乙\n", encoding="utf-8")
    told: dict[str, tuple[int, int]] = {}
    train_ngram(
        tmp_path / "a.txt",
        tmp_path / "m.arpa",
        order=2,
        fallback=FALLBACK,
        on_progress=lambda step, done, total: told.update({step: (done, total)}),
    )
    assert list(told) == ["reading", "sorting", "merging", "estimating", "writing"]
    assert all(done == total for done, total in told.values())


def test_training_needs_only_numpy() -> None:
    """A machine with a GPU may have nothing else."""
    code = "import bidui.training.ngram, sys; print({'polars', 'rich', 'typer', 'jieba', 'torch'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout == "set()\n"
