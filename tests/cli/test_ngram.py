"""`bidui ngram` as a user types it."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.typed import Bidui

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
    assert "1 pair in 1 paradigm; 1 scored" in scored.err
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
        (("text.txt", "-o", "m.arpa", "--unit", "word"), "--unit"),
        (
            ("text.txt", "-o", "m.arpa", "--memory", "much"),
            "much is not an amount of memory; write, for example, 500M or 2G",
        ),
        (("text.txt", "-o", "m.arpa", "--memory", "1M"), "1M is not an amount of memory"),
        (("text.txt", "-o", "m.arpa", "--memory", ""), "is not an amount of memory"),
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
