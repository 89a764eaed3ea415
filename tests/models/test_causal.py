"""Causal models: a tree gives what each sentence gets alone, and conventions are declared."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers.modeling_outputs import CausalLMOutput

from bidui.errors import InputError
from bidui.models import causal
from bidui.models.causal import CausalModel, find_head, matrix_products
from bidui.models.conventions import Conventions, decide, declaration_of
from bidui.models.huggingface import float_type, load_huggingface
from tests.models.small import CHARACTERS, SPECIAL, network, saved, tokenizer

SENTENCES = [
    "妈妈把书看完了。",
    "妈妈把书看了完。",
    "妈妈很大。",
    "爸爸在洗茶。",
    "爸爸在洗茶，我不吃饭。",
    "我",
    "妈妈把书看完了。",
]


@pytest.fixture(autouse=True)
def trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decide about trees even for a few sentences."""
    monkeypatch.setattr(causal, "TRIAL", 0)


def model(kind: str, *, bos: int | None = 1, dtype: torch.dtype = torch.float32, **options: object) -> CausalModel:
    found = network(kind).to(dtype)
    return CausalModel(kind, found, tokenizer(), Conventions(bos), {}, **options)  # type: ignore[arg-type]


def alone(
    kind: str, sentence: str, *, bos: int | None = 1, dtype: torch.dtype = torch.float32, **settings: object
) -> list[float]:
    """The definition: log softmax at each position, one sentence at a time."""
    ids = ([] if bos is None else [bos]) + tokenizer().encode(sentence, add_special_tokens=False)
    with torch.no_grad():
        logits = network(kind, **settings).to(dtype)(torch.tensor([ids])).logits  # type: ignore[arg-type]
    logprobs = logits[0].float().log_softmax(-1)
    return [float(logprobs[at, token]) for at, token in enumerate(ids[1:])]


@pytest.mark.parametrize(
    ("kind", "reach"), [("gpt_neox", 63), ("gpt2", 63), ("llama", 63), ("bloom", 0), ("mpt", 0), ("mamba", 0)]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_scores_are_those_of_each_sentence_alone_and_the_way_is_found_out(
    kind: str, reach: int, dtype: torch.dtype
) -> None:
    """Bloom counts positions along the row and Mamba has no mask: they must not be run in a tree."""
    scored = model(kind, dtype=dtype)
    found = list(scored.score(SENTENCES))
    assert scored.reach == reach
    for sentence, scores in zip(SENTENCES, found, strict=True):
        assert scores.sentence == sentence
        near = 1e-4 if dtype == torch.float32 else 0.5
        assert np.allclose(scores.logprobs, alone(kind, sentence, dtype=dtype), atol=near)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize(
    ("kind", "head"),
    [
        ("llama", "product"),
        ("gpt_neox", "product"),
        ("gpt2", "product"),
        ("bloom", "product"),
        ("gemma2", "pieces"),  # caps logits
        ("cohere", "pieces"),  # multiplies logits by 1/16
        ("granite", "pieces"),  # divides logits by 1.01, which 16 bits nearly hide
    ],
)
def test_a_head_that_does_more_than_multiply_is_left_to_the_model(kind: str, head: str, dtype: torch.dtype) -> None:
    scored = model(kind, dtype=dtype)
    found = list(scored.score(SENTENCES))
    assert scored.head == head
    for sentence, scores in zip(SENTENCES, found, strict=True):
        near = 1e-4 if dtype == torch.float32 else 0.5
        assert np.allclose(scores.logprobs, alone(kind, sentence, dtype=dtype), atol=near)


def test_a_soft_cap_that_16_bits_round_away_is_not_left_out() -> None:
    """With logits below 1, a cap at 30 changes less than bfloat16 keeps; larger logits may still come."""
    found = network("gemma2", final_logit_softcapping=30.0).to(torch.bfloat16)
    found.get_output_embeddings().weight.data.mul_(0.01)
    assert find_head(found, np.arange(8, 16)) == "pieces"
    small = torch.linspace(-1, 1, 100).to(torch.bfloat16)
    assert torch.equal(small, torch.tanh(small.float() / 30).mul(30).to(torch.bfloat16))


@pytest.mark.parametrize(("scale", "kind"), [(1.0, "product"), (1.01, "whole")])
def test_a_network_that_does_not_call_its_body_is_not_run_in_pieces(
    scale: float, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As OPT, which calls a part of it: hidden states in place of those of the body would go unnoticed."""
    found = network("llama")
    body, head = found.base_model.forward, found.get_output_embeddings()

    def forward(**inputs: torch.Tensor) -> CausalLMOutput:
        return CausalLMOutput(logits=head(body(**inputs).last_hidden_state) * scale)

    monkeypatch.setattr(found, "forward", forward)
    assert find_head(found, np.arange(8, 16)) == kind


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("kind", ["llama", "gpt2", "gemma2"])
def test_no_log_probability_is_above_zero(kind: str, dtype: torch.dtype) -> None:
    """A sharp model is nearly sure of what it says; the logit of a token must be one of those it is divided by."""
    found = network(kind, final_logit_softcapping=None).to(dtype)
    found.get_output_embeddings().weight.data.mul_(8)
    said = torch.tensor([[1, token] for token in range(8, 48)])
    with torch.no_grad():
        for _ in range(20):
            said = torch.cat((said, found(said).logits[:, -1:].argmax(-1)), dim=1)
    scored = CausalModel("m", found, tokenizer(), Conventions(1), {})
    values = scored.run(said.numpy().astype(np.int32).ravel(), np.full(len(said), said.shape[1]))
    assert values.max() <= 0
    assert np.mean(values > -0.01) > 0.3


def short_of_memory(scored: CausalModel, most: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have the network run out of memory at more than `most` positions; the positions it was asked for are listed."""
    forward, sizes = scored.network.base_model.forward, []

    def limited(*tokens: torch.Tensor, **inputs: torch.Tensor) -> object:
        sizes.append((tokens or (inputs["input_ids"],))[0].numel())
        if sizes[-1] > most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return forward(*tokens, **inputs)

    monkeypatch.setattr(scored.network.base_model, "forward", limited)
    return sizes


def test_running_out_of_memory_in_the_trial_makes_batches_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says nothing about the architecture, so it must not choose the slow way."""
    scored = model("gpt_neox", batch_tokens=64, row=16)
    sizes = short_of_memory(scored, 20, monkeypatch)
    found = list(scored.score(SENTENCES))
    assert (scored.reach, scored.batch_tokens) == (12, 16)
    assert max(sizes) > 20 and sizes[-1] <= 20
    for sentence, scores in zip(SENTENCES, found, strict=True):
        assert np.allclose(scores.logprobs, alone("gpt_neox", sentence), atol=1e-4)


def test_running_out_of_memory_with_a_single_row_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    scored = model("gpt_neox", batch_tokens=64, row=16)
    short_of_memory(scored, 3, monkeypatch)
    with pytest.raises(InputError, match="too little memory to run gpt_neox, even 16 positions at a time"):
        list(scored.score(SENTENCES))
    assert scored.reach is None


@pytest.mark.parametrize("batch_tokens", [1, 7, 64, 10_000])
@pytest.mark.parametrize("row", [4, 16, 200])
def test_scores_do_not_depend_on_batches_rows_or_order(batch_tokens: int, row: int) -> None:
    there = {s.sentence: s.logprob for s in model("gpt_neox").score(SENTENCES)}
    here = list(model("gpt_neox", batch_tokens=batch_tokens, row=row).score(SENTENCES[::-1]))
    assert np.allclose([s.logprob for s in here], [there[s.sentence] for s in here], atol=1e-4)


def test_a_few_sentences_are_run_the_same_way_whatever_came_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is killed before its last sentences scores them in a new process."""
    monkeypatch.setattr(causal, "TRIAL", 40)
    used, fresh = model("gpt_neox"), model("gpt_neox")
    list(used.score(SENTENCES))
    assert used.reach == 63
    used.positions = 0
    scores = [[list(found.logprobs) for found in scored.score(SENTENCES[:2])] for scored in (used, fresh)]
    assert scores[0] == scores[1]
    assert used.positions == fresh.positions == 16


def test_a_tree_runs_fewer_positions() -> None:
    tree, plain = model("gpt_neox", reach=96, head="product"), model("gpt_neox", reach=0, head="product")
    list(tree.score(SENTENCES))
    list(plain.score(SENTENCES))
    beginnings = {(*"^", *s)[:end] for s in SENTENCES for end in range(1, len(s) + 1)}
    assert (tree.positions, plain.positions) == (len(beginnings), sum(map(len, SENTENCES)))


def test_without_bos_the_first_token_has_no_score() -> None:
    found = list(model("llama", bos=None).score(["妈妈很大。", "我"]))
    assert np.allclose(found[0].logprobs, alone("llama", "妈妈很大。", bos=None), atol=1e-4)
    assert (found[0].starts.tolist(), found[0].ends.tolist()) == ([1, 2, 3, 4], [2, 3, 4, 5])
    assert len(found[1]) == 0


def test_eos_is_scored_when_asked_for() -> None:
    scored = CausalModel("m", network("gpt2"), tokenizer(), Conventions(1, eos=2), {})
    found = next(scored.score(["我很大"]))
    assert found.ids[-1] == 2
    assert (found.starts[-1], found.ends[-1]) == (3, 3)


def test_what_stands_before_a_sentence_is_decided_by_rule(tmp_path: Path) -> None:
    assert decide(tokenizer()).bos == 1
    assert decide(tokenizer(bos=False)) == Conventions(2, None, "EOS, since the tokenizer has no BOS")
    assert decide(tokenizer(bos=False, eos=False)).first_scored is False
    assert decide(tokenizer(), bos="none").bos is None
    assert decide(tokenizer(), bos="eos").bos == 2
    assert decide(tokenizer(), bos="17").bos == 17
    (tmp_path / "bidui.json").write_text('{"bos": "none"}')
    assert decide(tokenizer(), declaration=declaration_of(tmp_path)).bos is None
    assert decide(tokenizer(), bos="bos", declaration=declaration_of(tmp_path)).bos == 1


def test_a_sentence_longer_than_the_context_is_refused_by_name() -> None:
    long = "我" * 64  # and BOS
    with pytest.raises(InputError, match=f"{long} has 65 tokens"):
        list(model("gpt_neox").score(["我", long]))


def test_a_token_that_the_network_does_not_have_is_refused_by_sentence() -> None:
    size = len(SPECIAL) + len(CHARACTERS) - 1  # "？" is the last
    scored = CausalModel("small", network("llama", vocab_size=size), tokenizer(), Conventions(1), {})
    assert len(list(scored.score(["我不吃饭。"]))) == 1
    with pytest.raises(InputError, match=f"the token {size}, but small has only {size} entries: “你不吃饭？”"):
        list(scored.score(["我不吃饭。", "你不吃饭？"]))


def test_scores_that_are_no_numbers_stop_the_run() -> None:
    """lm-evaluation-harness gives such a model 100 per cent."""
    broken = model("gpt_neox")
    broken.network.get_output_embeddings().weight.data.fill_(float("nan"))
    with pytest.raises(InputError, match="nan for token 1 of 妈妈很大。"):
        list(broken.score(["妈妈很大。"]))


def test_a_checkpoint_declares_everything_scores_depend_on(tmp_path: Path) -> None:
    first = load_huggingface(str(saved(tmp_path / "a", "gpt_neox")))
    again = load_huggingface(str(saved(tmp_path / "b" / "a", "gpt_neox")))
    other = load_huggingface(str(saved(tmp_path / "c", "gpt_neox", seed=1)))
    wanted = {"kind": "causal", "dtype": "float32", "bos": "<s>", "eos": False, "first_token": True}
    assert wanted.items() <= first.declared.items()
    assert first.declared == again.declared
    assert first.declared["weights"] != other.declared["weights"]
    assert first.declared["tokenizer"] == other.declared["tokenizer"]


def test_half_precision_checkpoints_are_run_in_the_dtype_asked_for(tmp_path: Path) -> None:
    """transformers would load fp16 weights as fp16 and nobody would know."""
    network("gpt_neox").half().save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    assert load_huggingface(str(tmp_path)).network.dtype == torch.float32  # type: ignore[attr-defined]


def test_a_folder_without_a_tokenizer_or_a_model_is_a_clear_error(tmp_path: Path) -> None:
    network("gpt_neox").save_pretrained(tmp_path / "bare")
    with pytest.raises(InputError, match="tokenizer"):
        load_huggingface(str(tmp_path / "bare"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="transformers cannot load a model from here"):
        load_huggingface(str(tmp_path / "empty"))
    with pytest.raises(InputError, match="float33"):
        load_huggingface(str(saved(tmp_path / "a", "gpt_neox")), dtype="float33")


def test_products_are_rounded_only_where_that_is_declared() -> None:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")  # as some other library may have asked for
    try:
        with matrix_products({"dtype": "float32"}):
            assert torch.get_float32_matmul_precision() == "highest"
        with pytest.raises(ZeroDivisionError), matrix_products({"dtype": "tf32"}):
            assert torch.get_float32_matmul_precision() == "high"
            raise ZeroDivisionError
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


def test_a_cpu_has_no_tf32() -> None:
    with pytest.raises(InputError, match="tf32 is a mode of NVIDIA GPUs, and the device is cpu"):
        float_type("tf32", device="cpu")
