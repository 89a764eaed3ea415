"""Masked and encoder-decoder models: each token from all others, as the definitions have it."""

from pathlib import Path

import numpy as np
import pytest
import torch

from bidui.errors import InputError
from bidui.models.huggingface import load_huggingface
from bidui.models.masked import MaskedModel
from bidui.models.seq2seq import Seq2SeqModel
from tests.models.small import network, pieces, saved, tokenizer

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
            row = [*ids[:at], SENTINEL, *ids[at + 1 :], 2]
            with torch.no_grad():
                logits = t5(input_ids=torch.tensor([row]), decoder_input_ids=torch.tensor([[PAD, SENTINEL]])).logits
            assert abs(float(logits[0, 1].log_softmax(-1)[token]) - found.logprobs[at]) < 1e-4


def test_the_kind_is_found_in_the_checkpoint(tmp_path: Path) -> None:
    kinds = {
        kind: load_huggingface(str(saved(tmp_path / kind, kind))).declared["kind"] for kind in ("bert", "t5", "gpt2")
    }
    assert kinds == {"bert": "masked", "t5": "seq2seq", "gpt2": "causal"}


def test_a_sentence_longer_than_the_context_is_refused() -> None:
    model = MaskedModel("m", network("bert"), tokenizer(), {})
    with pytest.raises(InputError, match="has 65 tokens"):  # 63, [CLS] and [SEP]
        list(model.score(["我" * 63]))
