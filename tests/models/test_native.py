"""GPT-NeoX, Llama and Qwen without transformers: the same tokens, scores and fingerprints, or not at all."""

import json
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, AutoTokenizer

from bidui.models import causal
from bidui.models.causal import CausalModel
from bidui.models.fingerprint import pipeline_hash, tokenizer_hash, weights_hash
from bidui.models.huggingface import causal_model, load_huggingface
from bidui.models.native import NativeNetwork, load_network
from bidui.models.tokenize import encode_flat
from bidui.models.tokenizer_file import FileTokenizer, read_tokenizer
from bidui.pairs import Pair
from bidui.scores.run import score
from tests.models.small import tokenizer

SENTENCES = [
    "妈妈把书看完了。",
    "妈妈把书看了完。",
    "妈妈很大。",
    "爸爸在洗茶，我不吃饭。",
    "我",
    "妈妈把茶喝了，我在看书。" * 3,
]
WIDE = {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 3, "num_attention_heads": 4}
LLAMA3 = {
    **{"rope_type": "llama3", "rope_theta": 100.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "original_max_position_embeddings": 16,
}
SHAPES: list[tuple[str, dict[str, Any]]] = [
    ("GPTNeoX", {}),
    ("GPTNeoX", {"use_parallel_residual": False}),
    ("GPTNeoX", {"attention_bias": False, "hidden_act": "gelu_new"}),
    ("GPTNeoX", {"tie_word_embeddings": True, "hidden_act": "relu"}),
    ("GPTNeoX", {"rope_parameters": {"rope_type": "default", "rope_theta": 50.0, "partial_rotary_factor": 0.5}}),
    ("GPTNeoX", {"rope_parameters": {"rope_type": "linear", "factor": 4.0, "partial_rotary_factor": 1.0}}),
    ("GPTNeoX", {"layer_norm_eps": 0.1, "hidden_act": "gelu_fast"}),
    ("Llama", {}),
    ("Llama", {"num_key_value_heads": 2, "tie_word_embeddings": True}),
    ("Llama", {"num_key_value_heads": 1, "attention_bias": True, "mlp_bias": True}),
    ("Llama", {"head_dim": 20, "rms_norm_eps": 0.1}),
    ("Llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0}}),
    ("Llama", {"rope_parameters": LLAMA3}),
    ("Llama", {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 10_000.0}}),
    ("Qwen2", {"num_key_value_heads": 2}),
    ("Qwen2", {"num_key_value_heads": 4, "tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh"}),
    ("Qwen3", {"num_key_value_heads": 2, "head_dim": 20}),
    ("Qwen3", {"num_key_value_heads": 4, "head_dim": 12, "attention_bias": True, "tie_word_embeddings": True}),
]


def save_network(folder: Path, kind: str, options: Mapping[str, Any], *, seed: int = 0, shard: str = "5GB") -> Path:
    """Save a model all of whose weights are random, the norms' too, so that none can be left out unseen."""
    made = getattr(transformers, f"{kind}ForCausalLM")
    usual = {"vocab_size": 64, "max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": 2}
    if kind.startswith("Qwen"):
        usual |= {"num_key_value_heads": 4, **({"head_dim": 12} if kind == "Qwen3" else {})}
    network = made(made.config_class(**(usual | WIDE | dict(options))))
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            weight.copy_(torch.randn(weight.shape, generator=draw) * 0.3 + ("norm" in name and "weight" in name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network.save_pretrained(folder, max_shard_size=shard)
    return folder


def config_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return found


def change_json(file: Path, **fields: object) -> None:
    """Set fields of a JSON file; None deletes one."""
    value = json.loads(file.read_text()) if file.exists() else {}
    value = {name: field for name, field in (value | fields).items() if field is not None}
    file.write_text(json.dumps(value))


def logprobs(network: Any, ids: list[int]) -> torch.Tensor:
    """One sentence through a network, as its authors run it."""
    with torch.inference_mode():
        found: torch.Tensor = network(input_ids=torch.tensor([ids])).logits[0].float().log_softmax(-1)
    return found


@pytest.mark.parametrize(("kind", "options"), SHAPES)
def test_each_architecture_and_option_gives_what_transformers_gives(
    tmp_path: Path, kind: str, options: dict[str, Any]
) -> None:
    save_network(tmp_path, kind, options)
    known = AutoModelForCausalLM.from_pretrained(tmp_path)
    network = load_network(tmp_path, config_of(tmp_path), dtype=torch.float32)
    assert network is not None
    ids = np.random.default_rng(0).integers(0, 64, 60).tolist()
    for sentence in (ids, ids[:7], ids[:1]):
        assert torch.allclose(logprobs(network, sentence), logprobs(known, sentence), atol=1e-4)
    assert weights_hash(network) == weights_hash(known)
    counts = [sum(weight.numel() for weight in one.parameters()) for one in (network, known)]
    assert counts[0] == counts[1]  # a head that is tied to the embedding counts once


@pytest.mark.parametrize("kind", ["GPTNeoX", "Llama", "Qwen3"])
def test_half_precision_is_as_close_to_exact_as_that_of_transformers(tmp_path: Path, kind: str) -> None:
    save_network(tmp_path, kind, {})
    ids = np.random.default_rng(0).integers(0, 64, 40).tolist()
    exact = logprobs(AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32), ids)
    known = logprobs(AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.bfloat16), ids)
    network = load_network(tmp_path, config_of(tmp_path), dtype=torch.bfloat16)
    assert network is not None and network.dtype == torch.bfloat16
    assert (logprobs(network, ids) - exact).abs().mean() <= 1.5 * (known - exact).abs().mean()


def test_old_names_of_fields_and_weights_are_understood(tmp_path: Path) -> None:
    """As Pythia was released: rotary_pct and rotary_emb_base, masks among the weights, and shards."""
    rope = {"rope_type": "default", "rope_theta": 300.0, "partial_rotary_factor": 0.5}
    save_network(tmp_path, "GPTNeoX", {"rope_parameters": rope}, shard="20kB")
    change_json(tmp_path / "config.json", rope_parameters=None, rotary_pct=0.5, rotary_emb_base=300)
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
    first = sorted(set(index["weight_map"].values()))[0]
    extra = {
        "gpt_neox.layers.0.attention.bias": torch.ones(1, 1, 4, 4),
        "gpt_neox.layers.0.attention.masked_bias": torch.ones(1),
    }
    save_file(load_file(tmp_path / first) | extra, tmp_path / first, metadata={"format": "pt"})
    known = AutoModelForCausalLM.from_pretrained(tmp_path)
    network = load_network(tmp_path, config_of(tmp_path), dtype=torch.float32)
    assert network is not None
    assert torch.allclose(logprobs(network, [*range(40)]), logprobs(known, [*range(40)]), atol=1e-4)
    assert weights_hash(network) == weights_hash(known)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("Llama", {"rope_parameters": {"rope_type": "yarn", "factor": 2.0, "rope_theta": 10_000.0}}),
        ("Llama", {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10_000.0}}),
        ("Llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mscale": 2.0}}),
        ("Llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 9.0}, "rope_theta": 8.0}),
        ("Llama", {"partial_rotary_factor": 0.5}),
        ("Llama", {"quantization_config": {"bits": 4}}),
        ("Llama", {"architectures": ["LlamaForSequenceClassification"]}),
        ("Llama", {"architectures": ["LlamaModel"]}),
        ("Llama", {"model_type": "mistral"}),
        ("Llama", {"hidden_act": "quick_gelu"}),
        ("Llama", {"pretraining_tp": 2}),
        ("Llama", {"auto_map": {"AutoModelForCausalLM": "own.Model"}}),
        ("Llama", {"logit_scale": 2.0}),
        ("Llama", {"vocab_size": "64"}),
        ("GPTNeoX", {"rotary_pct": 0.5, "partial_rotary_factor": 0.25, "rope_parameters": None}),
        ("Qwen2", {"use_sliding_window": True, "sliding_window": 8}),
        ("Qwen2", {"layer_types": ["full_attention", "sliding_attention", "full_attention"]}),
        ("Qwen3", {"head_dim": None}),
    ],
)
def test_a_field_that_is_not_known_leaves_the_model_to_transformers(
    tmp_path: Path, kind: str, fields: dict[str, Any]
) -> None:
    save_network(tmp_path, kind, {})
    assert load_network(tmp_path, config_of(tmp_path), dtype=torch.float32) is not None
    change_json(tmp_path / "config.json", **fields)
    assert load_network(tmp_path, config_of(tmp_path), dtype=torch.float32) is None


def test_weights_that_are_not_exactly_those_expected_leave_the_model_to_transformers(tmp_path: Path) -> None:
    save_network(tmp_path, "Llama", {"tie_word_embeddings": True})
    file, config = tmp_path / "model.safetensors", config_of(tmp_path)
    weights = load_file(file)
    norm, table = "model.norm.weight", "model.embed_tokens.weight"
    wrong = {
        "missing": {name: weight for name, weight in weights.items() if name != norm},
        "left over": weights | {"model.other.weight": torch.ones(2)},
        "another shape": weights | {norm: torch.ones(47)},
        "another type": weights | {norm: torch.ones(48, dtype=torch.int8)},
        "a head of its own although it is tied": weights | {"lm_head.weight": weights[table] + 1},
    }
    for what, changed in wrong.items():
        save_file(changed, file, metadata={"format": "pt"})
        assert load_network(tmp_path, config, dtype=torch.float32) is None, what
    file.write_bytes(b"not safetensors")
    assert load_network(tmp_path, config, dtype=torch.float32) is None
    save_file(weights, file, metadata={"format": "pt"})
    assert load_network(tmp_path, config, dtype=torch.float32) is not None
    (tmp_path / "adapter_config.json").write_text("{}")
    assert load_network(tmp_path, config, dtype=torch.float32) is None
    assert load_network(tmp_path, config | {"tie_word_embeddings": False}, dtype=torch.float32) is None


TEXT = [
    "The cat doesn't see 12 cats, it's là-bas.",
    "妈妈把书看完了。",
    "  two  blanks\n\nand lines \n",
    "e\u0301 café <|endoftext|> x",
]


def trained(steps: pre_tokenizers.PreTokenizer) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """A vocabulary and merges of bytes, learned from a few sentences."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = steps
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    inner.train_from_iterator(
        TEXT * 3, trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    )
    written = json.loads(inner.to_str())["model"]
    vocabulary = written["vocab"] | {"<|endoftext|>": len(written["vocab"]), "<|padding|>": len(written["vocab"]) + 1}
    return vocabulary, [(left, right) for left, right in written["merges"]]


def save_bytes(folder: Path, kind: str) -> Path:
    """A tokenizer over bytes of a class that builds its own pipeline, in the files that its authors publish."""
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    vocabulary, merges = trained(splitter)
    made = getattr(transformers, kind)(vocab=vocabulary, merges=merges)
    made.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("kind", "model_type"), [("GPTNeoXTokenizer", "gpt_neox"), ("Qwen2Tokenizer", "qwen2"), ("Qwen2Tokenizer", "qwen3")]
)
def test_tokenizers_over_bytes_give_the_same_tokens_spans_and_conventions(
    tmp_path: Path, kind: str, model_type: str
) -> None:
    save_bytes(tmp_path, kind)
    change_json(tmp_path / "config.json", model_type=model_type)
    same_tokens(tmp_path, model_type)
    # as published: spans of the file are not those of the class, which also has a decoder of its own
    file, plain = tmp_path / "tokenizer.json", {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    steps = json.loads(file.read_text())["pre_tokenizer"]
    steps.get("pretokenizers", [steps])[-1]["trim_offsets"] = False
    for trim in (True, False):
        after = plain | {"trim_offsets": trim}
        change_json(file, pre_tokenizer=steps, decoder=plain | {"trim_offsets": False}, post_processor=after)
        same_tokens(tmp_path, model_type)


def test_a_tokenizer_of_characters_gives_the_same_tokens(tmp_path: Path) -> None:
    for bos in (True, False):
        tokenizer(bos=bos, unknown="茶").save_pretrained(tmp_path)
        change_json(tmp_path / "config.json", model_type="llama")
        same_tokens(tmp_path, "llama")
        change_json(tmp_path / "tokenizer.json", post_processor=None)
        same_tokens(tmp_path, "llama")


def same_tokens(folder: Path, model_type: str) -> None:
    read = read_tokenizer(folder, model_type=model_type, version="5.0.0")
    known = AutoTokenizer.from_pretrained(folder)
    assert read is not None
    ours, theirs = encode_flat(read, TEXT + SENTENCES), encode_flat(known, TEXT + SENTENCES)  # type: ignore[arg-type]
    assert ours.ids.tolist() == theirs.ids.tolist()
    assert ours.spans.tolist() == theirs.spans.tolist()
    assert ours.bounds.tolist() == theirs.bounds.tolist()
    assert read.get_vocab() == known.get_vocab()
    for name in ("bos", "eos", "unk", "cls"):
        assert getattr(read, f"{name}_token_id") == getattr(known, f"{name}_token_id"), name
    assert pipeline_hash(read) == pipeline_hash(known)  # type: ignore[arg-type]
    assert tokenizer_hash(read) == tokenizer_hash(known)  # type: ignore[arg-type]
    ids = [*range(len(known))]
    assert read.convert_ids_to_tokens(ids) == known.convert_ids_to_tokens(ids)
    assert read.convert_ids_to_tokens(3) == known.convert_ids_to_tokens(3)


def written_pipeline(folder: Path, **parts: object) -> None:
    """Change parts of tokenizer.json."""
    change_json(folder / "tokenizer.json", **parts)


@pytest.mark.parametrize(
    ("file", "fields"),
    [
        ("tokenizer_config.json", {"tokenizer_class": "LlamaTokenizer"}),
        ("tokenizer_config.json", {"tokenizer_class": None}),
        ("tokenizer_config.json", {"add_prefix_space": True}),
        ("tokenizer_config.json", {"split_special_tokens": True}),
        ("tokenizer_config.json", {"do_lower_case": True}),
        ("tokenizer_config.json", {"bos_token": "我"}),
        ("tokenizer_config.json", {"extra_special_tokens": ["妈"]}),
        ("tokenizer_config.json", {"added_tokens_decoder": {"9": {"content": "妈", "special": False}}}),
        ("special_tokens_map.json", {"bos_token": "</s>"}),
        ("added_tokens.json", {"妈": 9}),
        ("tokenizer.json", {"truncation": {"max_length": 4}}),
        ("tokenizer.json", {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}}),
        ("tokenizer.json", {"model": {"type": "Unheard"}}),
    ],
)
def test_settings_that_transformers_may_see_otherwise_leave_it_to_transformers(
    tmp_path: Path, file: str, fields: dict[str, object]
) -> None:
    tokenizer().save_pretrained(tmp_path)
    assert read_tokenizer(tmp_path, model_type="llama", version="5") is not None
    change_json(tmp_path / file, **fields)
    assert read_tokenizer(tmp_path, model_type="llama", version="5") is None


def test_a_class_that_builds_its_own_pipeline_is_only_read_if_the_file_says_the_same(tmp_path: Path) -> None:
    """transformers takes Qwen's class for every model of type qwen2, whatever its tokenizer.json says."""
    tokenizer().save_pretrained(tmp_path / "characters")
    assert read_tokenizer(tmp_path / "characters", model_type="qwen2", version="5") is None
    save_bytes(tmp_path / "bytes", "Qwen2Tokenizer")
    file = tmp_path / "bytes" / "tokenizer.json"
    was = file.read_text()
    other = json.loads(was)["pre_tokenizer"]
    other["pretokenizers"][0]["pattern"]["Regex"] = r"\p{L}+"
    bpe = json.loads(was)["model"]
    for parts in ({"normalizer": {"type": "NFKC"}}, {"pre_tokenizer": other}, {"model": bpe | {"byte_fallback": True}}):
        change_json(file, **parts)
        assert read_tokenizer(tmp_path / "bytes", model_type="qwen3", version="5") is None, parts.keys()
        file.write_text(was)
    assert read_tokenizer(tmp_path / "bytes", model_type="qwen3", version="5") is not None
    change_json(tmp_path / "bytes" / "tokenizer_config.json", eos_token=None)
    assert read_tokenizer(tmp_path / "bytes", model_type="qwen3", version="5") is None


def by_transformers(folder: Path) -> CausalModel:
    known = AutoModelForCausalLM.from_pretrained(folder).eval()
    return causal_model(folder.name, known, AutoTokenizer.from_pretrained(folder), declaration={})


@pytest.mark.parametrize(("kind", "options"), [SHAPES[0], SHAPES[1], SHAPES[8], SHAPES[12], SHAPES[16]])
def test_scores_tokens_and_declarations_are_those_of_transformers(
    tmp_path: Path, kind: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(causal, "TRIAL", 0)  # so few sentences would not be worth a tree
    save_network(tmp_path, kind, options)
    tokenizer(unknown="茶").save_pretrained(tmp_path)
    ours, theirs = load_huggingface(str(tmp_path)), by_transformers(tmp_path)
    assert isinstance(ours, CausalModel) and isinstance(ours.network, NativeNetwork)
    assert isinstance(ours.tokenizer, FileTokenizer)
    assert (ours.name, ours.declared) == (theirs.name, theirs.declared)
    for one, other in zip(ours.score(SENTENCES), theirs.score(SENTENCES), strict=True):
        assert one.ids.tolist() == other.ids.tolist()
        assert (one.starts.tolist(), one.ends.tolist()) == (other.starts.tolist(), other.ends.tolist())
        assert np.allclose(one.logprobs, other.logprobs, atol=1e-4)
        ids = [1, *one.ids.tolist()]
        exact = logprobs(theirs.network, ids)
        assert np.allclose(one.logprobs, exact[range(len(ids) - 1), ids[1:]], atol=1e-4)
    assert (ours.head, ours.reach) == (theirs.head, theirs.reach)
    assert ours.head == "product" and ours.reach


def test_a_run_made_without_transformers_is_resumed_with_it(tmp_path: Path) -> None:
    save_network(tmp_path / "model", "GPTNeoX", {})
    tokenizer().save_pretrained(tmp_path / "model")
    pairs = [
        Pair(good, bad, uid, "p", n) for uid in "ab" for n, (good, bad) in enumerate([SENTENCES[:2], SENTENCES[2:4]])
    ]
    first = score(pairs[:2], f"hf:{tmp_path / 'model'}", out=tmp_path / "results")
    again = score(pairs, by_transformers(tmp_path / "model"), out=tmp_path / "results")
    assert (first.done, again.kept, again.done) == (("a",), ("a",), ("b",))


def test_a_folder_that_is_not_known_is_run_by_transformers(tmp_path: Path) -> None:
    save_network(tmp_path, "Llama", {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 100.0}})
    tokenizer().save_pretrained(tmp_path)
    scored = load_huggingface(str(tmp_path))
    assert isinstance(scored, CausalModel) and not isinstance(scored.network, NativeNetwork)
    found = next(iter(scored.score(SENTENCES[:1])))
    ids = [1, *found.ids.tolist()]
    assert np.allclose(found.logprobs, logprobs(scored.network, ids)[range(len(ids) - 1), ids[1:]], atol=1e-4)


@pytest.mark.slow
def test_scoring_pairs_imports_no_package_that_it_does_not_use(tmp_path: Path) -> None:
    """Importing transformers, scipy or matplotlib takes longer than scoring hundreds of pairs."""
    lines = [
        {"UID": "a", "phenomenon": "p", "pairID": "0", "sentence_good": "妈妈很大。", "sentence_bad": "很大妈妈。"}
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    program = """
import sys
from bidui.cli.main import app
app(["score", "pairs.jsonl", "-o", "results"], standalone_mode=False)
unwanted = {"transformers", "scipy", "matplotlib", "pandas", "pyarrow", "fastapi", "sqlalchemy", "jieba"}
print(sorted(unwanted & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert (tmp_path / "results" / "zh-14m-char" / "a.parquet").is_file()
