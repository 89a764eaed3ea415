"""Tokenizers: what is trained by hand-counted texts, what is loaded is what wrote it, and the counts of Table 4."""

import json
import lzma
import os
import random
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer, decoders, models
from transformers import AutoTokenizer, GPTNeoXConfig, PreTrainedTokenizerFast

from bidui.errors import InputError, OutputRefused
from bidui.models.fingerprint import tokenizer_hash
from bidui.models.specs import SHIPPED
from bidui.models.tokenize import declared_kind
from bidui.training.build import text_encoder
from bidui.training.suite import CLLAMA
from bidui.training.tokenizers import (
    VocabularyCounts,
    load_tokenizer,
    save_tokenizer,
    tokenizer_files,
    train_char,
    train_word,
    vocabulary_counts,
    vocabulary_size,
)
from tests.models import small
from tests.training import small as training

SHARED = os.environ.get("BIDUI_SHARED")
needs_shared = pytest.mark.skipif(not SHARED, reason="BIDUI_SHARED names no folder with the Chinese-LLaMA tokenizer")
TEXT = "我们看书，他们看茶；我们喝茶。Word words word! 书2本\n我们看着书喝着茶。"


def tokens(tokenizer: object) -> list[str]:
    """The vocabulary in the order of its ids."""
    vocabulary: dict[str, int] = tokenizer.get_vocab()  # type: ignore[attr-defined]
    return sorted(vocabulary, key=vocabulary.__getitem__)


def test_a_char_tokenizer_has_special_tokens_then_characters_by_frequency() -> None:
    """甲 occurs three times, 丁 and 乙 twice (丁 is U+4E01, 乙 U+4E59), 丙 once, and the newline is always in."""
    made = train_char(["甲乙甲\n甲", "丁乙丙丁"], least=2)
    assert tokens(made) == ["<unk>", "<s>", "</s>", "<pad>", "甲", "丁", "乙", "\n"]
    assert (made.unk_token_id, made.bos_token_id, made.eos_token_id, made.pad_token_id) == (0, 1, 2, 3)
    assert made.encode("丙甲\n 乙") == [0, 4, 7, 0, 6]  # the blank was never seen


def test_a_newline_that_was_never_seen_is_known_all_the_same() -> None:
    """Documents are joined by it."""
    assert train_char(["甲"], least=1).encode("甲\n") == [4, 5]


@given(st.lists(st.text("甲乙丙 a\n𠮷é", max_size=12), min_size=1, max_size=6))
def test_characters_come_back_as_they_were(texts: list[str]) -> None:
    made = train_char(texts, least=1)
    for text in texts:
        assert len(made.encode(text)) == len(text)
        assert made.decode(made.encode(text)) == text


def test_words_are_merged_while_pairs_are_frequent() -> None:
    """甲乙 occurs three times and is merged; then 甲乙丙 would occur only once, and 丙 is too rare itself.

    。 (U+3002), 乙 (U+4E59) and 甲 (U+7532) occur three times each, the newline never.
    """
    made = train_word(["甲乙。甲乙。甲乙丙。"], size=100, least=2)
    assert tokens(made) == ["<unk>", "<s>", "</s>", "<pad>", "。", "乙", "甲", "\n", "甲乙"]
    assert made.encode("甲乙甲丙。") == [8, 6, 0, 4]


def test_the_most_frequent_pair_is_merged_first_and_the_size_is_kept() -> None:
    """乙丙 occurs five times, 甲乙 three times; one word fits, so it is 乙丙."""
    made = train_word(["甲乙丙。甲乙丙。甲乙丙。乙丙。乙丙"], size=4 + 5 + 1, least=2)
    assert tokens(made)[-1] == "乙丙" and len(made) == 10
    assert made.convert_ids_to_tokens(made.encode("甲乙丙")) == ["甲", "乙丙"]


def test_no_word_crosses_punctuation_blanks_digits_or_scripts() -> None:
    """Each of these pairs occurs fifty times; only 甲乙 and the letters ab may be merged."""
    made = train_word(["甲乙，甲乙 甲乙a甲b甲1甲乙\nab甲乙！！  11ab。。"] * 50, size=1000, least=2)
    assert {token for token in tokens(made)[4:] if len(token) > 1} == {"甲乙", "ab"}


@given(st.text("甲乙丙，。 ab1\n", max_size=60))
def test_a_word_tokenizer_gives_the_text_back(text: str) -> None:
    made = train_word(["甲乙，丙甲乙a b ab1\n甲乙。丙"] * 3, size=100, least=1)
    assert made.decode(made.encode(text)) == text


def test_words_are_no_longer_than_eight_characters() -> None:
    """Sixteen times 甲 are merged to two, four and eight, and no further."""
    made = train_word(["甲" * 16 + "。"] * 9, size=1000, least=2)
    assert max(len(token) for token in tokens(made)[4:]) == 8


def test_too_few_entries_for_the_characters_are_an_error_with_both_numbers() -> None:
    with pytest.raises(InputError, match="6 entries are not enough for 8 special tokens and characters"):
        train_word(["甲乙丙"], size=6, least=1)


@pytest.mark.parametrize("seed", range(5))
def test_texts_in_another_order_give_the_same_tokenizer(seed: int) -> None:
    """Files are read in an order that is nobody's decision; here words are found in less than half of the texts."""
    source = random.Random(seed)
    texts = ["".join(source.choices("甲乙丙丁戊己庚辛", k=source.choice((3, 30, 300)))) for _ in range(60)]
    shuffled = source.sample(texts, len(texts))
    for first, second in (
        (train_char(texts, least=3), train_char(shuffled, least=3)),
        (train_word(texts, size=60, least=2, most=2000), train_word(shuffled, size=60, least=2, most=2000)),
    ):
        assert tokenizer_files(first) == tokenizer_files(second)


@pytest.mark.parametrize("kind", ["char", "word"])
def test_a_saved_tokenizer_is_loaded_by_transformers_as_it_was(tmp_path: Path, kind: str) -> None:
    """Also from a checkpoint, where the model's configuration stands beside it."""
    made = train_char([TEXT], least=1) if kind == "char" else train_word([TEXT], size=80, least=1)
    save_tokenizer(made, tmp_path / "tok")
    GPTNeoXConfig(vocab_size=80).save_pretrained(tmp_path / "tok")
    for loaded in (AutoTokenizer.from_pretrained(tmp_path / "tok"), load_tokenizer(tmp_path / "tok")):
        assert loaded.encode(TEXT) == made.encode(TEXT)
        assert loaded.decode(loaded.encode(TEXT)) == TEXT
        assert tokenizer_hash(loaded) == tokenizer_hash(made)
        assert declared_kind(loaded) == kind
        assert loaded.bos_token == "<s>"
        assert tokenizer_files(loaded) == tokenizer_files(made)  # so a copy of a copy is the same again
    settings = json.loads((tmp_path / "tok" / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert settings["tokenizer_class"] == "PreTrainedTokenizerFast"  # transformers 4 knows no other name


def test_checkpoints_and_the_shipped_model_name_what_transformers_4_57_knows_too(tmp_path: Path) -> None:
    """Version 5 alone writes `TokenizersBackend`, and extra special tokens as a list, which 4.57 cannot load."""
    training.trainee(training.recipe()).save(tmp_path)
    for folder in (tmp_path, SHIPPED / "zh-14m-char"):
        settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        assert settings["tokenizer_class"] == "PreTrainedTokenizerFast"
    tokenizer = small.tokenizer()
    tokenizer.add_special_tokens({"extra_special_tokens": ["<new>"]})
    save_tokenizer(tokenizer, tmp_path / "tok")
    settings = json.loads((tmp_path / "tok" / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert (settings["additional_special_tokens"], "extra_special_tokens" in settings) == (["<new>"], False)
    assert "<new>" in load_tokenizer(tmp_path / "tok").all_special_tokens


def test_a_folder_with_something_in_it_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OutputRefused, match="thesis"):
        save_tokenizer(train_char(["甲"]), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_what_is_no_tokenizer_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "broken.model").write_bytes(b"no model at all")
    (tmp_path / "empty").mkdir()
    for name in ("broken.model", "empty", "missing"):
        with pytest.raises(InputError, match=f"{name}: no tokenizer can be loaded from here"):
            load_tokenizer(tmp_path / name)


PIECES = ("▁", "跟", "我", "们", "走", "我们", "跟我")


def sentencepiece_model(folder: Path) -> Path:
    """A small sentencepiece model whose words all have the same score, as in tokenizers that were merged of two."""
    (folder / "text").write_text("跟我们走\n" * 9, encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text"),
        model_prefix=str(folder / "made"),
        model_type="bpe",
        vocab_size=266,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    proto = sentencepiece_model_pb2.ModelProto.FromString((folder / "made.model").read_bytes())
    normal = [piece for piece in proto.pieces if piece.type == piece.NORMAL]
    for piece, text in zip(normal, PIECES, strict=True):
        piece.piece, piece.score = text, 0.0
    (folder / "equal.model").write_bytes(proto.SerializeToString())
    return folder / "equal.model"


def test_a_sentencepiece_file_divides_as_sentencepiece_does(tmp_path: Path) -> None:
    """Of equal scores sentencepiece takes the leftmost, 跟我 before 我们; a list of merges has one of them first.

    `<s>` in a text is text, and a character without an entry is its bytes.
    """
    file = sentencepiece_model(tmp_path)
    own = sentencepiece.SentencePieceProcessor(model_file=str(file))
    loaded = load_tokenizer(file)
    assert loaded.tokenize("跟我们走") == ["▁", "跟我", "们", "走"]
    texts = ["跟我们走", "我们跟我们走", "", " 走 ", "<s>走</s>", "𠮷\n走", *["跟我们" * n for n in range(1, 9)]]
    save_tokenizer(loaded, tmp_path / "tok")
    for tokenizer in (loaded, load_tokenizer(tmp_path / "tok"), AutoTokenizer.from_pretrained(tmp_path / "tok")):
        ids, lengths = text_encoder(tokenizer)(texts)
        assert ids.tolist() == [token for text in own.encode(texts) for token in text]
        assert lengths.tolist() == [len(text) for text in own.encode(texts)]
        assert tokenizer.encode("跟我们走", add_special_tokens=False) == own.encode("跟我们走")
        assert (tokenizer.bos_token_id, vocabulary_size(tokenizer)) == (1, 266)  # nothing was added


def test_counts_of_characters_are_those_of_the_text_a_token_stands_for() -> None:
    """BERT writes a piece within a word with ##, GPT-2 writes bytes as letters, sentencepiece a blank as ▁."""
    letters = {"æĪĳ": 0, "ĠæĪĳ": 1, "æĪĳä»¬": 2, "æĪ": 3, "a": 4}  # 我 e6 88 91; with a blank; 我们 e4 bb ac; a part
    bytes_of = Tokenizer(models.BPE(letters, []))
    bytes_of.decoder = decoders.ByteLevel()
    found = vocabulary_counts(PreTrainedTokenizerFast(tokenizer_object=bytes_of))
    assert found == VocabularyCounts(all=5, single_character=1, multi_character=2)
    marked = Tokenizer(models.WordLevel({"我": 0, "▁我": 1, "▁": 2, "我们a": 3, "，": 4, "〇": 5}))
    found = vocabulary_counts(PreTrainedTokenizerFast(tokenizer_object=marked))
    assert found == VocabularyCounts(all=6, single_character=1, multi_character=2)
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in small.CHARACTERS)
    entries = len(small.SPECIAL) + len(small.CHARACTERS) + 3
    assert vocabulary_counts(small.pieces()) == VocabularyCounts(entries, chinese + 3, 0)  # ##妈 is one character


@needs_shared
def test_chinese_llama_has_the_counts_of_table_4() -> None:
    """Published: 49,953, 10,876 and 6,963; the last two stand in each other's column (see `vocabulary_counts`)."""
    loaded = load_tokenizer(Path(str(SHARED), "data/tokenizers/chinese_llama.model"))
    assert vocabulary_counts(loaded) == VocabularyCounts(49_953, 6_963, 10_876)
    assert (loaded.bos_token_id, vocabulary_size(loaded)) == (1, 49_953)
    assert tokenizer_hash(loaded) == CLLAMA  # by which `bidui suite zh-pythia` knows a corpus of it


@needs_shared
def test_chinese_llama_divides_real_text_as_sentencepiece_does() -> None:
    file = Path(str(SHARED), "data/tokenizers/chinese_llama.model")
    with lzma.open(Path(str(SHARED), "data/ngram/char-600.txt.xz"), "rt", encoding="utf-8") as text:
        lines = [line.replace(" ", "").strip() for line in text]
    ids, _ = text_encoder(load_tokenizer(file))(lines)
    own = sentencepiece.SentencePieceProcessor(model_file=str(file)).encode(lines)
    assert ids.tolist() == [token for line in own for token in line]
