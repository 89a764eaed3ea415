"""Windows, chunks and rotary frequencies that change with the length: a tree must never pass over them."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from transformers import PreTrainedModel

from bidui.models import causal
from bidui.models.causal import CausalModel, longest_in_tree
from bidui.models.conventions import Conventions
from tests.models.small import CHARACTERS, network, tokenizer

WINDOWED = ("mistral", "qwen2", "gemma2", "gemma3", "phi3", "phi3_long", "cohere2", "olmo3", "gpt_oss", "starcoder2")
WINDOWED += ("llama4", "modernbert", "gpt_neo")
rng = np.random.default_rng(0)
SHORT = ["".join(rng.choice(list(CHARACTERS), size)) for size in rng.integers(1, 8, 30)]
SHORT += [sentence[: len(sentence) // 2] + end for sentence in SHORT for end in ("我", "看完了")]
LONG = ["".join(rng.choice(list(CHARACTERS), size)) for size in (14, 15, 16, 17, 18, 24, 40, 60)]
LONG += [sentence[:-3] + "我吃饭" for sentence in LONG]


def alone(found: PreTrainedModel, ids: list[int]) -> list[float]:
    """The definition: one forward pass of the whole sentence."""
    with torch.no_grad():
        logprobs = found(torch.tensor([ids])).logits[0].float().log_softmax(-1)
    return [float(logprobs[at, token]) for at, token in enumerate(ids[1:])]


def model(found: PreTrainedModel) -> CausalModel:
    return CausalModel("m", found, tokenizer(), Conventions(1), {})


@pytest.fixture(autouse=True)
def trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decide about trees even for a few sentences."""
    monkeypatch.setattr(causal, "TRIAL", 0)


@pytest.mark.parametrize("kind", WINDOWED)
def test_scores_are_those_of_each_sentence_alone_whatever_comes_first(kind: str) -> None:
    """The first 90 sentences fit into every window: they must not decide for the others, and vice versa."""
    found = network(kind)
    wanted = {text: alone(found, [1, *tokenizer().encode(text, add_special_tokens=False)]) for text in SHORT + LONG}
    for calls in ([SHORT + LONG], [LONG + SHORT], [SHORT, LONG], [LONG, SHORT]):
        scored = model(found)
        for sentence, scores in ((s, t) for call in calls for s, t in zip(call, scored.score(call), strict=True)):
            assert np.abs(scores.logprobs - wanted[sentence]).max() < 1e-4, sentence
        # half a window; all that is shorter than the change of frequencies; GPT-Neo also has a mask along the row
        assert scored.reach == {"phi3_long": 15, "gpt_neo": 0}.get(kind, 8)


def test_a_window_matters() -> None:
    """Or else the test above would show nothing: without the window, long sentences get other scores."""
    text = [1, *tokenizer().encode(LONG[-1], add_special_tokens=False)]
    for kind, setting in (("mistral", "sliding_window"), ("llama4", "attention_chunk_size")):
        with_window, without = network(kind), network(kind, **{setting: 64})
        assert np.abs(np.subtract(alone(with_window, text), alone(without, text))).max() > 0.1


@pytest.mark.parametrize(
    ("settings", "longest"),
    [
        ({"sliding_window": 4096}, 2048),
        ({"sliding_window": None, "window_size": 0}, 1 << 31),
        ({"text_config": {"attention_chunk_size": 64, "sliding_window": 512}}, 32),
        ({"attention_window": [512, 64]}, 32),
        ({"sliding_window_pattern": 6, "max_window_layers": 28}, 1 << 31),
        ({"rope_parameters": {"rope_type": "longrope", "original_max_position_embeddings": 4096}}, 4095),
        ({"rope_parameters": {"full_attention": {"original_max_position_embeddings": 100}}}, 99),
        ({"attn_config": {"alibi": True}}, 0),
        ({"alibi": False}, 1 << 31),
        ({"position_embedding_type": "alibi"}, 0),
    ],
)
def test_the_configuration_says_how_long_a_sentence_in_a_tree_may_be(settings: dict[str, object], longest: int) -> None:
    assert longest_in_tree(settings) == longest


def test_a_mask_along_the_row_is_noticed() -> None:
    """GPT-Neo has local attention over 16 positions of a row, whatever their depths: rows must not be wider."""
    for row, reach in ((16, 8), (20, 0), (64, 0)):
        scored = CausalModel("m", network("gpt_neo"), tokenizer(), Conventions(1), {}, row=row)
        found = list(scored.score(SHORT))
        assert scored.reach == reach
        for sentence, scores in zip(SHORT, found, strict=True):
            ids = [1, *tokenizer().encode(sentence, add_special_tokens=False)]
            assert np.abs(scores.logprobs - alone(scored.network, ids)).max() < 1e-4


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_window_that_the_configuration_does_not_name_is_noticed(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made-up sentences as long as any in a tree are tried, not the first ones of the run."""
    monkeypatch.setattr(causal, "WINDOWS", set())
    for kind, reach in (("mistral", 0), ("llama", 96)):
        scored = model(network(kind, sliding_window=48, context=256).to(dtype))
        list(scored.score(SHORT))
        assert scored.reach == reach


beginnings = st.lists(st.lists(st.integers(8, 47), min_size=1, max_size=24), min_size=1, max_size=12)


@pytest.mark.parametrize("kind", ["gpt_neox", "llama", "gemma3", "phi3_long", "gpt_neo"])
@settings(max_examples=8, deadline=None)
@given(tokens=beginnings, cuts=st.lists(st.integers(0, 24), min_size=12, max_size=12), row=st.integers(8, 80))
def test_random_trees_give_the_scores_of_plain_passes(
    kind: str, tokens: list[list[int]], cuts: list[int], row: int
) -> None:
    """Each sequence continues a beginning of the one before it."""
    sequences: list[list[int]] = []
    for new, cut in zip(tokens, cuts, strict=False):
        sequences.append([*(sequences[-1][: cut + 1] if sequences else [1]), *new][:60])
    found = network(kind)
    scored = CausalModel("m", found, tokenizer(), Conventions(1), {}, row=row)
    flat: NDArray[np.int32] = np.concatenate(sequences).astype(np.int32)
    values = scored.run(flat, np.array([len(sequence) for sequence in sequences]))
    wanted = [score for sequence in sequences for score in alone(found, sequence)]
    assert np.abs(values - wanted).max() < 1e-4
