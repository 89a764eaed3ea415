"""Loading: what has no language model's weights or sees the future is refused, and what decides a score is declared."""

import json
import shutil
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import normalizers
from transformers import AutoTokenizer, PreTrainedModel

from bidui.errors import InputError, OutputRefused
from bidui.files import tool_version
from bidui.models.causal import CausalModel
from bidui.models.huggingface import load_huggingface
from bidui.models.masked import MaskedModel
from bidui.models.model import Model
from bidui.models.specs import load_model
from bidui.pairs import Pairs
from bidui.scores.run import run_scoring
from bidui.scores.table import read_scores
from tests.models.small import CHARACTERS, SPECIAL, saved, tokenizer
from tests.scores.small import pair

SIZE = len(SPECIAL) + len(CHARACTERS)
SHAPE = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
USUAL = {"vocab_size": SIZE, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 6}
SENTENCES = ["妈妈把书看完了。", "妈妈把书看了完。", "我很大"]


def build(name: str, **options: Any) -> PreTrainedModel:
    """A network of a class of transformers, with random weights."""
    torch.manual_seed(0)
    kind = getattr(transformers, name)
    config = options.pop("config", None) or kind.config_class(**{**USUAL, "initializer_range": 0.3, **options})
    made: PreTrainedModel = kind(config)
    return made.eval()


def checkpoint(folder: Path, network: PreTrainedModel) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


def edit(folder: Path, **changes: Any) -> Path:
    """Change config.json; None removes a field."""
    file = folder / "config.json"
    content = {**json.loads(file.read_text()), **changes}
    left_out = {name for name, value in changes.items() if value is None}
    file.write_text(json.dumps({name: value for name, value in content.items() if name not in left_out}))
    return folder


def alone(network: PreTrainedModel, sentence: str) -> list[float]:
    """The definition: log softmax at each position, one sentence at a time."""
    ids = [1, *tokenizer().encode(sentence, add_special_tokens=False)]
    with torch.no_grad():
        logprobs = network(input_ids=torch.tensor([ids])).logits[0].float().log_softmax(-1)
    return [float(logprobs[at, token]) for at, token in enumerate(ids[1:])]


def same_as_alone(model: Model, network: PreTrainedModel) -> bool:
    scores = zip(SENTENCES, model.score(SENTENCES), strict=True)
    return all(np.allclose(found.logprobs, alone(network, sentence), atol=1e-4) for sentence, found in scores)


# Weights


T5 = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 6}


@pytest.mark.parametrize(
    ("name", "options", "kind", "message"),
    [
        ("BertModel", SHAPE, "masked", "cls.predictions"),
        ("BertModel", SHAPE, None, "cls.predictions"),
        ("BertForTokenClassification", SHAPE, "masked", "cls.predictions"),
        ("BertForSequenceClassification", SHAPE, None, "saved from BertForSequenceClassification, which is not a lang"),
        ("RobertaForQuestionAnswering", SHAPE, None, "saved from RobertaForQuestionAnswering"),
        ("ElectraForPreTraining", SHAPE | {"embedding_size": 32}, None, "generator_predictions"),
        ("GPTNeoXModel", SHAPE, None, "GPTNeoXForCausalLM needs 1 weight that the checkpoint does not have"),
        ("LlamaForSequenceClassification", SHAPE, "causal", "lm_head.weight"),
        ("T5EncoderModel", T5, "seq2seq", "decoder"),
        ("MT5Model", T5, None, "MT5ForConditionalGeneration needs 1 weight that the checkpoint does not have"),
    ],
)
def test_a_checkpoint_without_a_language_model_head_is_refused(
    name: str, options: dict[str, Any], kind: Any, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """transformers draws the missing weights at random: three loads would give three results."""
    folder = edit(checkpoint(tmp_path / "m", build(name, **options)), tie_word_embeddings=False)
    capfd.readouterr()
    with pytest.raises(InputError) as raised:
        load_huggingface(str(folder), kind=kind)
    assert message in str(raised.value)
    assert "MISSING" not in capfd.readouterr().err  # transformers' table would come before the message


def test_a_head_that_is_the_embedding_is_not_missing(tmp_path: Path) -> None:
    """GPT-2's head is its embedding, so that its base model is enough; BERT's second head is for another task."""
    base = build("GPT2Model", n_embd=32, n_layer=2, n_head=2)
    whole = build("GPT2LMHeadModel", n_embd=32, n_layer=2, n_head=2)
    assert same_as_alone(load_huggingface(str(checkpoint(tmp_path / "gpt2", base))), whole)
    both = load_huggingface(str(checkpoint(tmp_path / "bert", build("BertForPreTraining", **SHAPE))))
    assert isinstance(both, MaskedModel)


def test_weights_that_the_configuration_leaves_out_or_shapes_differently_are_refused(tmp_path: Path) -> None:
    """A changed config.json would silently drop layers or biases."""
    folder = checkpoint(tmp_path / "a", build("Qwen2ForCausalLM", **SHAPE, num_key_value_heads=2))
    edit(folder, num_hidden_layers=1, layer_types=None)
    with pytest.raises(InputError, match=r"has 12 weights of layers that Qwen2ForCausalLM leaves out.*layers\.1\."):
        load_huggingface(str(folder))
    folder = checkpoint(tmp_path / "b", build("LlamaForCausalLM", **SHAPE, attention_bias=True))
    edit(folder, attention_bias=False)
    with pytest.raises(InputError, match=r"8 weights of layers .*layers\.0\.self_attn\.k_proj\.bias"):
        load_huggingface(str(folder))
    folder = edit(checkpoint(tmp_path / "c", build("LlamaForCausalLM", **SHAPE)), intermediate_size=48)
    with pytest.raises(InputError, match=r"down_proj\.weight does not have the shape \(32, 48\)"):
        load_huggingface(str(folder))


def test_a_weight_cut_out_of_the_file_is_refused_by_name(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "a", build("LlamaForCausalLM", **SHAPE))
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"needs 1 weight .*: model\.layers\.1\.mlp\.up_proj\.weight\."):
        load_huggingface(str(folder))
    (folder / "model.safetensors").write_bytes(b"12345678 not safetensors")
    with pytest.raises(InputError, match="transformers cannot load a model from here"):
        load_huggingface(str(folder))


# The future

ANT = {"hidden_size": 32, "num_attention_heads": 2, "dim_head": 16, "dim_ff": 64, "num_hidden_layers": 2}
ANT |= {"prompt_types": 4, "prompt_length": 4, "segment_types": 4}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize(
    ("name", "options", "kind"),
    [
        ("BertForMaskedLM", SHAPE, None),
        ("BertForMaskedLM", SHAPE, "causal"),
        ("RobertaForMaskedLM", SHAPE | {"type_vocab_size": 1}, "causal"),
        ("CpmAntForCausalLM", ANT, None),
    ],
)
def test_a_model_that_sees_what_comes_later_is_not_scored_as_causal(
    name: str, options: dict[str, Any], kind: Any, dtype: str, tmp_path: Path
) -> None:
    """Each token would be predicted from itself."""
    folder = checkpoint(tmp_path / "m", build(name, **options))
    if kind is None:
        edit(folder, architectures=None)  # then nothing says that BERT is masked
    with pytest.raises(InputError, match=r"sees the tokens after the one it predicts .*\?kind=masked"):
        load_huggingface(str(folder), kind=kind, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_model_that_does_not_see_what_comes_later_is_not_scored_as_masked(dtype: str, tmp_path: Path) -> None:
    """BERT with is_decoder is causal: its pseudo-log-likelihoods would be predictions from the left."""
    folder = checkpoint(tmp_path / "m", build("BertForMaskedLM", **SHAPE))
    assert load_huggingface(str(folder), dtype=dtype).declared["kind"] == "masked"
    with pytest.raises(InputError, match=r"does not see the tokens after a masked one .*\?kind=causal"):
        load_huggingface(str(edit(folder, is_decoder=True)), dtype=dtype)


MOE = {"num_local_experts": 4, "num_experts_per_tok": 2, "num_key_value_heads": 2}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("GPTNeoXForCausalLM", SHAPE),
        ("LlamaForCausalLM", SHAPE | {"initializer_range": 0.02}),
        ("MixtralForCausalLM", SHAPE | MOE),
        ("BloomForCausalLM", {"hidden_size": 32, "n_layer": 2, "n_head": 2}),
        ("MambaForCausalLM", {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}),
        ("BertLMHeadModel", SHAPE | {"is_decoder": True}),
    ],
)
def test_a_causal_model_passes_in_every_dtype(name: str, options: dict[str, Any], dtype: str, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "m", build(name, **options))
    assert load_huggingface(str(folder), dtype=dtype).declared["kind"] == "causal"


# What is declared


def test_a_folder_has_no_revisions(tmp_path: Path) -> None:
    """The revision used to be ignored and to be stored as a label, so that two labels had the same scores."""
    folder = saved(tmp_path / "run", "gpt_neox")
    with pytest.raises(InputError, match="a folder has no revision step-3, only a model on the hub has") as raised:
        load_model(f"hf:{folder}@step-3")
    assert "did you mean" not in str(raised.value)
    (folder / "step-3").mkdir()
    with pytest.raises(InputError, match=f"did you mean hf:{folder}/step-3"):
        load_model(f"hf:{folder}@step-3")


def declared(folder: Path) -> dict[str, object]:
    return dict(load_huggingface(str(folder)).declared)


def changes(before: dict[str, object], after: dict[str, object]) -> list[str]:
    return sorted(name for name in before if before[name] != after[name])


def test_the_configuration_and_the_whole_tokenizer_are_declared(tmp_path: Path) -> None:
    """Each of these changes scores, or can, and left everything that was declared as it was."""
    folder = saved(tmp_path / "m", "gpt_neox")
    before = declared(folder)
    assert declared(edit(folder, transformers_version="4.0.0", _name_or_path="elsewhere")) == before
    assert changes(before, declared(edit(folder, layer_norm_eps=0.1))) == ["config"]
    edit(folder, layer_norm_eps=1e-5)
    assert declared(folder) == before
    inner = AutoTokenizer.from_pretrained(folder)
    inner.backend_tokenizer.normalizer = normalizers.Replace("妈", "爸")
    inner.save_pretrained(folder)
    assert changes(before, declared(folder)) == ["pipeline"]
    shutil.rmtree(folder)
    saved(folder, "gpt_neox")
    content = json.loads((folder / "tokenizer.json").read_text())
    content["pre_tokenizer"] = {"type": "Whitespace"}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    assert changes(before, declared(folder)) == ["pipeline"]
    tokenizer(eos=False).save_pretrained(folder)
    assert changes(before, declared(folder)) == ["pipeline"]


def test_scores_are_not_kept_for_a_changed_configuration_or_by_another_version(tmp_path: Path) -> None:
    pairs = Pairs((pair("u", 0, "我很大", "我大很"),))
    folder, out = saved(tmp_path / "m", "gpt_neox"), tmp_path / "out"
    run_scoring(pairs, load_huggingface(str(folder)), out=out)
    assert run_scoring(pairs, load_huggingface(str(folder)), out=out).kept == ("u",)
    edit(folder, layer_norm_eps=0.1)
    with pytest.raises(OutputRefused, match=r"different settings: config \([0-9a-f]{12}, now [0-9a-f]{12}\)\."):
        run_scoring(pairs, load_huggingface(str(folder)), out=out)
    edit(folder, layer_norm_eps=1e-5)
    file = out / "scores.json"
    file.write_text(file.read_text().replace(f'"{tool_version()}"', '"0.0.1"'))
    with pytest.raises(OutputRefused, match=r"different settings: bidui \(0\.0\.1, now .+\)\."):
        run_scoring(pairs, load_huggingface(str(folder)), out=out)
    assert run_scoring(pairs, load_huggingface(str(folder)), out=out, force=True).done == ("u",)


def test_scores_of_early_versions_can_still_be_read(tmp_path: Path) -> None:
    """They say neither their version nor the configuration; only a run that resumes has to know."""
    pairs = Pairs((pair("u", 0, "我很大", "我大很"),))
    model = load_huggingface(str(saved(tmp_path / "m", "gpt_neox")))
    run_scoring(pairs, model, out=tmp_path / "out")
    file = tmp_path / "out" / "scores.json"
    content = json.loads(file.read_text())
    assert content.pop("version")
    del content["declared"]["config"], content["declared"]["pipeline"]
    file.write_text(json.dumps(content))
    assert len(read_scores(tmp_path / "out").frame) == 2
    with pytest.raises(OutputRefused, match=r"config \(nothing, now .*pipeline \(nothing, now .*bidui \(nothing, now"):
        run_scoring(pairs, model, out=tmp_path / "out")


def test_an_id_beyond_the_vocabulary_cannot_stand_before_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no 9999 token before a sentence"):
        load_huggingface(str(saved(tmp_path / "m", "gpt_neox")), bos="9999")


# Other architectures

VISION = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
VISION |= {"image_size": 28, "patch_size": 14}


def gemma3() -> PreTrainedModel:
    text = {**USUAL, **SHAPE, "head_dim": 16, "num_key_value_heads": 1, "initializer_range": 0.3}
    text |= {"max_position_embeddings": 32}
    config = transformers.Gemma3Config(text_config=text, vision_config=VISION, mm_tokens_per_image=4)
    return build("Gemma3ForConditionalGeneration", config=config)


def mistral3() -> PreTrainedModel:
    text = {**USUAL, **SHAPE, "model_type": "mistral", "head_dim": 16, "num_key_value_heads": 1}
    text |= {"initializer_range": 0.3, "max_position_embeddings": 32}
    vision = {**VISION, "model_type": "pixtral", "head_dim": 16}
    config = transformers.Mistral3Config(text_config=text, vision_config=vision, image_token_index=5)
    return build("Mistral3ForConditionalGeneration", config=config)


@pytest.mark.parametrize("make", [gemma3, mistral3])
def test_a_text_decoder_inside_a_model_for_images_is_scored_as_causal(make: Any, tmp_path: Path) -> None:
    network = make()
    model = load_huggingface(str(checkpoint(tmp_path / "m", network)))
    assert isinstance(model, CausalModel)
    assert same_as_alone(model, network)
    with pytest.raises(InputError, match="has 33 tokens"):  # 32 and BOS
        list(model.score(["我" * 32]))


def test_apertus_is_scored(tmp_path: Path) -> None:
    """Its activation has weights without a dimension, which could not be hashed."""
    network = build("ApertusForCausalLM", **SHAPE, num_key_value_heads=1)
    assert same_as_alone(load_huggingface(str(checkpoint(tmp_path / "m", network))), network)


CODE = '''
import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput


class CounterConfig(PretrainedConfig):
    model_type = "counter"

    def __init__(self, vocab_size=10, **options):
        self.vocab_size = vocab_size
        super().__init__(**options)


class CounterModel(PreTrainedModel):
    """Predicts each token from the one before, by a table."""

    config_class = CounterConfig

    def __init__(self, config):
        super().__init__(config)
        self.table = torch.nn.Embedding(config.vocab_size, config.vocab_size)
        self.post_init()

    def forward(self, input_ids, **inputs):
        return CausalLMOutput(logits=SCALE * self.table(input_ids))
'''


def with_code(folder: Path, scale: str = "1.0") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "modeling_counter.py").write_text(CODE.replace("SCALE", scale))
    names = {"AutoConfig": "CounterConfig", "AutoModelForCausalLM": "CounterModel"}
    content = {"model_type": "counter", "vocab_size": SIZE, "architectures": ["CounterModel"]}
    content |= {"auto_map": {name: f"modeling_counter.{value}" for name, value in names.items()}}
    (folder / "config.json").write_text(json.dumps(content))
    weights = {"table.weight": torch.randn(SIZE, SIZE, generator=torch.Generator().manual_seed(0))}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    tokenizer().save_pretrained(folder)
    return folder


def test_code_of_a_checkpoint_is_run_only_if_it_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformers.dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = with_code(tmp_path / "counter")
    with pytest.raises(InputError, match="Python code of its own; if you trust this code, use --trust-remote-code"):
        load_model(f"hf:{folder}")
    model = load_model(f"hf:{folder}", trust_remote_code=True)
    table = load_file(folder / "model.safetensors")["table.weight"].log_softmax(-1)
    ids = [1, *tokenizer().encode("我很大", add_special_tokens=False)]
    wanted = [float(table[before, after]) for before, after in pairwise(ids)]
    (found,) = model.score(["我很大"])
    assert np.allclose(found.logprobs, wanted, atol=1e-4)
    other = load_model(f"hf:{with_code(tmp_path / 'counter', scale='2.0')}", trust_remote_code=True)
    assert changes(dict(model.declared), dict(other.declared)) == ["code"]
    (folder / "modeling_counter.py").write_text("import a_package_that_is_not_there\n")
    with pytest.raises(InputError, match="a_package_that_is_not_there"):
        load_model(f"hf:{folder}", trust_remote_code=True)
