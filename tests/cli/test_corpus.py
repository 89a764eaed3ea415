"""`bidui tokenizer` and `bidui corpus` as a user types them."""

import json
from pathlib import Path

import pytest

from tests.cli.typed import Bidui


@pytest.fixture
def books(tmp_path: Path) -> Path:
    """Two documents, one of them twice, a broken line, a record without a text, and a file of another kind."""
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "a.txt").write_bytes("妈妈看书。\n爸爸喝茶。\n\n妈妈看书。\n".encode() + "爸\n".encode("gbk"))
    (folder / "b.jsonl").write_text('{"text": "妈妈看书。"}\n{"text": ""}\n', encoding="utf-8")
    (folder / "notes.pdf").write_bytes(b"%PDF")
    return folder


def test_text_becomes_a_tokenizer_and_a_corpus(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    """The characters are 妈 看 书 。 爸 喝 茶 and the newline; with four special tokens, twelve entries.

    妈妈看书。 and 爸爸喝茶。 are lines of the first document, and 妈妈看书。 is the second: three lines of five
    characters, each after BOS.
    """
    made = bidui("tokenizer", "train", "char", "--corpus", "books", "-o", "tok", "--least", 1)
    assert made.code == 0, made.err
    assert "tok: 12 entries" in made.err
    built = bidui("corpus", "build", "books", "--tokenizer", "tok", "-o", "shards", "--validation", 0)
    assert built.code == 0, built.err
    assert "shards: vocabulary 12, tokenizer " in built.err and ", BOS before every line" in built.err
    assert "train: 18 tokens from 15 characters in 2 documents; 0 unknown tokens; 1 shard" in built.err
    assert "read: 3 documents, 21 characters" in built.err
    for counted in (
        "1 duplicate document",
        "1 record without text",
        "1 line that is not UTF-8",
        "    a.txt:5: broken encodings",
        "    b.jsonl:2: empty",
        "1 file of an unsupported type",
        "    notes.pdf",
    ):
        assert counted in built.err
    assert "not JSON" not in built.err  # what did not happen is not said
    shown = bidui("corpus", "show", "shards", "--verify")
    assert shown.code == 0
    assert "train: 18 tokens from 15 characters" in shown.out and "all shards are intact" in shown.out
    assert "from a.txt, sha256 " in shown.out
    assert sorted(path.name for path in (tmp_path / "shards").iterdir()) == [
        *("corpus.json", "tokenizer", "train-00000.bin", "unigrams.json", "validation-00000.bin")
    ]


def test_a_second_build_says_that_there_is_nothing_to_do(bidui: Bidui, books: Path) -> None:
    bidui("tokenizer", "train", "char", "--corpus", "books", "-o", "tok", "--least", 1)
    typed = ("corpus", "build", "books", "--tokenizer", "tok", "-o", "shards")
    first = bidui(*typed).err
    assert "nothing to do" not in first
    assert "no document was held out for validation" in first  # by chance, of so few
    again = bidui(*typed)
    assert again.code == 0
    assert "shards: nothing to do, this corpus already exists" in again.err
    refused = bidui(*typed, "--bos", "row")
    assert refused.code == 2
    assert "contains a corpus made with different settings: bos (line, now row)" in refused.err


def test_words_are_merged_to_a_size(bidui: Bidui, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("妈妈看书。" * 20, encoding="utf-8")
    made = bidui("tokenizer", "train", "word", "--corpus", "a.txt", "-o", "tok", "--size", 10)
    assert made.code == 0, made.err
    assert "tok: 10 entries" in made.err  # four special tokens, four characters, the newline, and one word
    shown = bidui("tokenizer", "show", "tok", "--sentence", "妈妈看书。")
    assert shown.code == 0
    lines = [line.split() for line in shown.out.splitlines()]
    assert lines[:3] == [["entries", "10"], ["single-character", "3"], ["multi-character", "1"]]
    assert len(lines[-1]) == 4  # five characters, two of them merged


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (("tokenizer", "train", "char", "--corpus", "books", "-o", "new", "--size", "9"), "use --least instead of"),
        (("tokenizer", "train", "char", "--corpus", "none", "-o", "new"), "none: there is no such file or folder"),
        (("tokenizer", "train", "char", "--corpus", "empty", "-o", "new"), "empty: there is nothing to read"),
        (("tokenizer", "train", "word", "--corpus", "books", "-o", "new", "--size", "5", "--least", "1"), "not enough"),
        (("tokenizer", "train", "char", "--corpus", "books", "-o", "books"), "a.txt"),
        (("tokenizer", "show", "empty"), "no tokenizer can be loaded from here"),
        (("corpus", "build", "books", "--tokenizer", "empty", "-o", "new"), "no tokenizer can be loaded from here"),
        (("corpus", "show", "books"), "books: contains no corpus"),
    ],
)
def test_mistakes_are_messages_and_leave_nothing(
    bidui: Bidui, books: Path, tmp_path: Path, typed: tuple[str, ...], message: str
) -> None:
    (tmp_path / "empty").mkdir()
    ended = bidui(*typed)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["books", "empty"]


def test_text_with_nothing_in_it_makes_no_tokenizer(bidui: Bidui, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"title": "甲"}), encoding="utf-8")
    ended = bidui("tokenizer", "train", "char", "--corpus", "a.jsonl", "-o", "tok")
    assert ended.code == 2
    assert "the source contains no text; 1 line or record was broken, 0 were empty" in ended.err
    assert not (tmp_path / "tok").exists()


def test_a_damaged_shard_is_named(bidui: Bidui, books: Path, tmp_path: Path) -> None:
    bidui("tokenizer", "train", "char", "--corpus", "books", "-o", "tok", "--least", 1)
    bidui("corpus", "build", "books", "--tokenizer", "tok", "-o", "shards", "--validation", 0)
    file = tmp_path / "shards" / "train-00000.bin"
    file.write_bytes(file.read_bytes()[:-1] + b"\7")
    assert bidui("corpus", "show", "shards").code == 0
    ended = bidui("corpus", "show", "shards", "--verify")
    assert ended.code == 2
    assert "train-00000.bin: was changed after it was written" in ended.err
