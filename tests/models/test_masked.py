"""Masked and encoder-decoder models: each token from all others, as the definitions have it."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import Unigram, WordLevel
from tokenizers.pre_tokenizers import Metaspace
from transformers import ByT5Tokenizer, PreTrainedModel, PreTrainedTokenizerFast

from bidui.errors import InputError
from bidui.models.huggingface import load_huggingface
from bidui.models.masked import MaskedModel
from bidui.models.seq2seq import Seq2SeqModel, first_sentinel
from tests.models.small import CHARACTERS, SPECIAL, network, pieces, saved, tokenizer

SENTENCES = ["妈妈很大。", "我", "爸爸在洗茶，我不吃饭。", "我不大。"]
CLS, SEP, MASK, SENTINEL, PAD = 4, 5, 3, 7, 6


def pseudo(ids: list[int], hidden: list[list[int]]) -> list[float]:
    """The definition: for each token, the sentence with some tokens hidden, on its own."""
    bert = network("bert")
    found = []
    for at, places in enumerate(hidden):
        row = [CLS, *(MASK if n in places else token for n, token in enumerate(ids)), SEP]
        with torch.no_grad():
            logits = bert(torch.tensor([row])).logits
        found.append(float(logits[0, at + 1].log_softmax(-1)[ids[at]]))
    return found


@pytest.mark.parametrize("batch_tokens", [1, 16, 4096])
def test_every_token_is_masked_in_turn(batch_tokens: int) -> None:
    model = MaskedModel("m", network("bert"), tokenizer(), {}, batch_tokens=batch_tokens)
    for sentence, found in zip(SENTENCES, model.score(SENTENCES), strict=True):
        ids = tokenizer().encode(sentence, add_special_tokens=False)
        assert found.ids.tolist() == ids
        assert np.allclose(found.logprobs, pseudo(ids, [[n] for n in range(len(ids))]), atol=1e-4)


def test_within_a_word_what_comes_later_is_masked_too() -> None:
    """妈妈书 is one word of three pieces, 我 another."""
    inner = pieces()
    model = MaskedModel("m", network("bert"), inner, {}, metric="within_word_l2r")
    plain = MaskedModel("m", network("bert"), inner, {})
    found, original = next(model.score(["妈妈书 我"])), next(plain.score(["妈妈书 我"]))
    ids = inner.encode("妈妈书 我", add_special_tokens=False)
    assert inner.convert_ids_to_tokens(ids) == ["妈", "##妈", "##书", "我"]
    assert np.allclose(found.logprobs, pseudo(ids, [[0, 1, 2], [1, 2], [2], [3]]), atol=1e-4)
    assert np.allclose(original.logprobs, pseudo(ids, [[0], [1], [2], [3]]), atol=1e-4)
    assert not np.allclose(found.logprobs, original.logprobs, atol=1e-2)
    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 1, 2, 4], [1, 2, 3, 5])


def test_an_encoder_decoder_restores_each_token_from_a_sentinel() -> None:
    model = Seq2SeqModel("m", network("t5"), tokenizer(), SENTINEL, {}, batch_tokens=20)
    t5 = network("t5")
    for sentence, found in zip(SENTENCES, model.score(SENTENCES), strict=True):
        ids = tokenizer().encode(sentence, add_special_tokens=False)
        for at, token in enumerate(ids):
            row = [*ids[:at], SENTINEL, *ids[at + 1 :], 2]  # and EOS
            with torch.no_grad():
                logits = t5(input_ids=torch.tensor([row]), decoder_input_ids=torch.tensor([[PAD, SENTINEL]])).logits
            assert abs(float(logits[0, 1].log_softmax(-1)[token]) - found.logprobs[at]) < 1e-4


def restored(t5: PreTrainedModel, ids: list[int], at: int, size: int, sentinel: int) -> list[float]:
    """The definition: one sentinel for the tokens in the encoder, and the decoder gives them one after the other."""
    row = [*ids[:at], sentinel, *ids[at + size :], 1]
    found = []
    for n in range(size):
        given = [0, sentinel, *ids[at : at + n]]
        with torch.no_grad():
            logits = t5(input_ids=torch.tensor([row]), decoder_input_ids=torch.tensor([given])).logits
        found.append(float(logits[0, -1].log_softmax(-1)[ids[at + n]]))
    return found


def test_byt5_restores_characters_from_the_sentinel_it_was_trained_with(tmp_path: Path) -> None:
    """Its pretraining took the last bytes for sentinels, from 258 down; `<extra_id_0>`, 259, was never trained.

    The bytes of one character are hidden together: two of three bytes of a Chinese character give the third away.
    """
    t5 = network("t5", vocab_size=384, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
    t5.save_pretrained(tmp_path)
    ByT5Tokenizer().save_pretrained(tmp_path)
    model = load_huggingface(str(tmp_path), batch_tokens=40)
    assert model.declared["sentinel"] == 258
    sentences = ["我 a茶", "aé", "我 b茶"]
    for sentence, found in zip(sentences, model.score(sentences), strict=True):
        ids = [byte + 3 for byte in sentence.encode()]
        assert found.ids.tolist() == ids
        at, wanted, spans = 0, [], []
        for number, character in enumerate(sentence):
            size = len(character.encode())
            wanted += restored(t5, ids, at, size, 258)
            spans += [(number, number + 1)] * size
            at += size
        assert np.allclose(found.logprobs, wanted, atol=1e-4)
        assert list(zip(found.starts, found.ends, strict=True)) == spans


def test_bytes_of_a_character_that_the_vocabulary_does_not_have_are_restored_together() -> None:
    """T5's sentencepiece writes 喝 as three bytes; the blank before a sentence is a token of its own."""
    pieces = ["<pad>", "</s>", "<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "我", "茶", "▁<extra_id_0>"]
    inner = Tokenizer(Unigram([(piece, -1.0) for piece in pieces], unk_id=2, byte_fallback=True))
    inner.pre_tokenizer = Metaspace()
    fast = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    ids = fast.encode("我喝茶", add_special_tokens=False)
    assert fast.convert_ids_to_tokens(ids) == ["▁", "我", "<0xE5>", "<0x96>", "<0x9D>", "茶"]
    sentinel = first_sentinel(fast, model="m", vocabulary=264)  # mT5 writes it with a blank
    assert sentinel == 262
    t5 = network("t5", vocab_size=264, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
    found = next(Seq2SeqModel("m", t5, fast, sentinel, {}).score(["我喝茶"]))
    wanted = [restored(t5, ids, at, size, sentinel) for at, size in ((0, 1), (1, 1), (2, 3), (5, 1))]
    assert np.allclose(found.logprobs, np.concatenate(wanted), atol=1e-4)


def test_an_encoder_decoder_without_a_sentinel_is_refused() -> None:
    """BART and Pegasus have other marks; and a tokenizer may add sentinels that its network has no weights for."""
    inner = Tokenizer(WordLevel({"<unk>": 0, "<mask>": 1, "<mask_1>": 2}, unk_token="<unk>"))
    with pytest.raises(InputError, match="<extra_id_0>"):
        first_sentinel(PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="<unk>"), model="m", vocabulary=3)
    with pytest.raises(InputError, match="<extra_id_0>"):
        first_sentinel(tokenizer(), model="m", vocabulary=SENTINEL)
    assert first_sentinel(tokenizer(), model="m", vocabulary=SENTINEL + 1) == SENTINEL


def test_the_kind_is_found_in_the_checkpoint(tmp_path: Path) -> None:
    kinds = {
        kind: load_huggingface(str(saved(tmp_path / kind, kind))).declared["kind"] for kind in ("bert", "t5", "gpt2")
    }
    assert kinds == {"bert": "masked", "t5": "seq2seq", "gpt2": "causal"}


def test_a_sentence_longer_than_the_context_is_refused() -> None:
    model = MaskedModel("m", network("bert"), tokenizer(), {})
    with pytest.raises(InputError, match="has 65 tokens"):  # 63, [CLS] and [SEP]
        list(model.score(["我" * 63]))


def test_a_token_that_the_network_does_not_have_is_refused_by_sentence() -> None:
    size = len(SPECIAL) + len(CHARACTERS) - 1  # "？" is the last
    model = MaskedModel("small", network("bert", vocab_size=size), tokenizer(), {})
    with pytest.raises(InputError, match=f"the token {size}, but small has only {size} entries: “你不吃饭？”"):
        list(model.score(["我不吃饭。", "你不吃饭？"]))
