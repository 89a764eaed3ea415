"""`bidui tokenizer`, `bidui corpus` and `bidui ngram` as a user types them."""

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.typed import Bidui
from tests.snippets import ROOT


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
    assert "validation: " in first and "in 1 document;" in first  # at least one of two
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


# ngram

LINES = "妈妈看书。\n爸爸喝茶。\n\n妈妈喝茶。\n"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "text.txt"
    file.write_text(LINES, encoding="utf-8")
    return file


def test_a_model_is_made_and_scores_pairs(bidui: Bidui, text: Path, tmp_path: Path) -> None:
    """Three sentences of five characters; 妈 爸 看 书 喝 茶 。 are seven.

    With <unk>, <s> and </s> that makes ten unigrams; the bigrams are <s>妈, <s>爸, 妈妈, 爸爸, 妈看, 爸喝, 妈喝, 看书,
    喝茶, 书。, 茶。 and 。</s>.
    """
    made = bidui("ngram", "text.txt", "-o", "models/m.arpa", "--order", "2", "--discount-fallback")
    assert made.code == 0, made.err
    assert "models/m.arpa: 3 sentences, 15 tokens (char), 7 types" in made.err
    assert "1-grams: 10; discounts" in made.err
    assert "2-grams: 12; discounts" in made.err
    assert "the text is too small to estimate the discounts of order" in made.err
    assert "to score: --model 'ngram:models/m.arpa'" in made.err
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["m.arpa", "m.arpa.json"]
    pair = {"sentence_good": "爸爸看书。", "sentence_bad": "爸看书爸。", "UID": "u"}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair, ensure_ascii=False), encoding="utf-8")
    scored = bidui("score", "pairs.jsonl", "--model", "ngram:models/m.arpa")
    assert "1 pair in 1 paradigm; 1 pair scored now" in scored.err
    assert "unknown to the model" not in scored.err
    shown = bidui("compare", "results", "--link", "lp").out.splitlines()[1].split()
    assert shown[:4] == ["m", "lp", "1", "100.00"]


def test_words_of_jieba_and_words_between_blanks(bidui: Bidui, text: Path, tmp_path: Path) -> None:
    """jieba finds 妈妈 看书 。, 爸爸 喝茶 。 and 妈妈 喝茶 。; written with blanks, they are the same model."""
    found = bidui("ngram", "text.txt", "-o", "jieba.arpa", "--unit", "jieba", "--order", "3", "--discount-fallback")
    assert "jieba.arpa: 3 sentences, 9 tokens (jieba), 5 types" in found.err
    assert "ngram:jieba.arpa?unit=jieba" in found.err
    text.write_text("妈妈 看书 。\n爸爸  喝茶 。\n妈妈\t喝茶 。\n", encoding="utf-8")
    again = bidui("ngram", "text.txt", "-o", "blank.arpa", "--unit", "blank", "--order", "3", "--discount-fallback")
    assert "ngram:blank.arpa?unit=lexicon" in again.err
    assert (tmp_path / "blank.arpa").read_bytes() == (tmp_path / "jieba.arpa").read_bytes()


def test_packed_text_and_packed_models(bidui: Bidui, text: Path, tmp_path: Path) -> None:
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "text.txt.gz").write_bytes(gzip.compress(LINES.encode()))
    for source, out in (("text.txt", "plain.arpa"), ("packed", "packed.arpa.gz")):
        assert bidui("ngram", source, "-o", out, "--discount-fallback", "--memory", "16M").code == 0
    packed = (tmp_path / "packed.arpa.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "plain.arpa").read_bytes()


def test_rare_ngrams_are_pruned_as_lmplz_is_told(bidui: Bidui, text: Path, tmp_path: Path) -> None:
    """Only 。</s> (3), 妈妈, <s>妈, 喝茶 and 茶。 (2) occur more than once; the numbers may also be one text."""
    command = ("ngram", "text.txt", "--order", "2", "--discount-fallback")
    made = bidui(*command, "--prune", "0", "1", "-o", "m.arpa")
    assert made.code == 0, made.err
    assert "1-grams: 10; discounts" in made.err and "2-grams: 5 of 12; discounts" in made.err
    assert bidui(*command, "-o", "n.arpa", "--prune", "0 1").code == 0
    assert (tmp_path / "n.arpa").read_bytes() == (tmp_path / "m.arpa").read_bytes()
    assert "ngram 2=5\n" in (tmp_path / "m.arpa").read_text(encoding="utf-8")


def test_a_model_is_not_made_twice_and_not_overwritten(bidui: Bidui, text: Path, tmp_path: Path) -> None:
    command = ("ngram", "text.txt", "-o", "m.arpa", "--discount-fallback", "--order")
    assert bidui(*command, 2).code == 0
    again = bidui(*command, 2)
    assert again.code == 0 and "m.arpa: nothing to do, this model already exists" in again.err
    other = bidui(*command, 3)
    assert other.code == 2
    assert "m.arpa: this model was made with different settings or text: order (2, now 3)" in other.err
    assert bidui(*command, 3, "--force").code == 0
    assert "ngram 3=" in (tmp_path / "m.arpa").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="needs signals and pipes of POSIX")
def test_a_terminated_command_leaves_nothing(tmp_path: Path) -> None:
    """A cluster sends SIGTERM, and a scratch folder of gigabytes would stay behind."""
    (tmp_path / "text.txt").write_text(LINES * 20_000, encoding="utf-8")
    command = [sys.executable, "-m", "bidui", "ngram", "text.txt", "-o", "out/m.arpa"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as process:
        while not list(tmp_path.glob("out/.m.arpa.*")) and process.poll() is None:
            time.sleep(0.01)
        process.terminate()
        _, told = process.communicate()
    assert process.returncode == 143, told
    assert "interrupted" in told and "Traceback" not in told
    assert list((tmp_path / "out").iterdir()) == []


def test_what_was_left_out_is_told(bidui: Bidui, text: Path) -> None:
    text.write_bytes(LINES.encode() + "爸\n".encode("gbk"))
    made = bidui("ngram", "text.txt", "-o", "m.arpa", "--discount-fallback")
    assert made.code == 0
    assert "1 line that is not UTF-8" in made.err
    assert "text.txt:5" in made.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("text.txt", "-o", "m.arpa"), "the discounts of 1-grams cannot be estimated"),
        (("none.txt", "-o", "m.arpa"), "none.txt"),
        (("text.txt", "-o", "."), "cannot be written"),
        (("text.txt", "-o", "text.txt/m.arpa"), "cannot be written"),
        (("text.txt", "-o", "m.arpa", "--order", "1"), "--order"),
        (("text.txt", "-o", "m.arpa", "--order", "7"), "--order"),
        (("text.txt", "-o", "m.arpa", "--unit", "line"), "--unit"),
        (
            ("text.txt", "-o", "m.arpa", "--memory", "much"),
            "much is not an amount of memory; write, for example, 500M or 2G",
        ),
        (("text.txt", "-o", "m.arpa", "--memory", "1M"), "1M is not an amount of memory"),
        (("text.txt", "-o", "m.arpa", "--memory", ""), "is not an amount of memory"),
        (("text.txt", "-o", "m.arpa", "--prune", "1", "0"), "--prune: 1 0 are not pruning thresholds"),
        (("text.txt", "-o", "m.arpa", "--prune"), "--prune"),
        (("special.txt", "-o", "m.arpa", "--unit", "blank"), "the word <s> has a special meaning"),
        (("text.txt",), "-o"),
    ],
)
def test_what_cannot_be_made_is_a_message_and_exit_code_2(
    bidui: Bidui, text: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "special.txt").write_text("<s> 甲 乙 </s>\n", encoding="utf-8")
    ended = bidui("ngram", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["special.txt", "text.txt"]
