"""Small models with random weights, saved as real checkpoints: what transformers loads, without a download."""

import warnings
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedModel, PreTrainedTokenizerFast

SPECIAL = ("<unk>", "<s>", "</s>", "[MASK]", "[CLS]", "[SEP]", "[PAD]", "<extra_id_0>")
CHARACTERS = "我你他她们的了着过把被妈爸哥姐书茶饭买看喝吃洗干净完很不没有在上下大小一二三。，？"
WORDS = ("妈妈", "爸爸")  # of two tokens, where a tokenizer divides words


def tokenizer(*, bos: bool = True, eos: bool = True, unknown: str = "") -> PreTrainedTokenizerFast:
    """A token a character; `unknown` are characters it does not have."""
    known = [char for char in CHARACTERS if char not in unknown]
    vocabulary = {token: number for number, token in enumerate((*SPECIAL, *known))}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    marks = {"unk_token": "<unk>", "mask_token": "[MASK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    marks |= {"bos_token": "<s>"} if bos else {}
    marks |= {"eos_token": "</s>"} if eos else {}
    return PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="[PAD]", **marks)


def pieces() -> PreTrainedTokenizerFast:
    """Words in pieces: 妈妈 is 妈 and ##妈, so that the two ways of pseudo-log-likelihood differ."""
    vocabulary = {token: number for number, token in enumerate((*SPECIAL, *CHARACTERS, "##妈", "##爸", "##书"))}
    inner = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token="<unk>", mask_token="[MASK]", cls_token="[CLS]", sep_token="[SEP]"
    )


def network(kind: str, *, seed: int = 0, layers: int = 2, context: int = 64, **settings: object) -> PreTrainedModel:
    """A model of that architecture, wide enough in its weights that every token matters."""
    torch.manual_seed(seed)
    size = len(SPECIAL) + len(CHARACTERS) + 3
    usual = {"vocab_size": size, "initializer_range": 0.3, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 6}
    name, shape = _shapes(layers, context)[kind]
    config = getattr(transformers, name).config_class(**(usual | shape | settings))
    found: PreTrainedModel = getattr(transformers, name)(config)
    return found.eval()


def _shapes(layers: int, context: int) -> dict[str, tuple[str, dict[str, object]]]:
    """The class and the settings of each architecture."""
    heads = {"num_hidden_layers": layers, "num_attention_heads": 2}
    shape = {"hidden_size": 32, "intermediate_size": 64, **heads, "max_position_embeddings": context}
    grouped = shape | {"num_key_value_heads": 2, "head_dim": 16}
    mixed = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 16}
    long_rope = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [3.0] * 8, "rope_theta": 1e4}
    experts = {"num_local_experts": 2, "num_experts_per_tok": 1}
    chunks = {"attention_chunk_size": 16, "layer_types": ["chunked_attention", "full_attention"]}
    return {
        "gpt_neox": ("GPTNeoXForCausalLM", shape),
        "llama": ("LlamaForCausalLM", shape),
        "gpt2": ("GPT2LMHeadModel", {"n_embd": 32, "n_layer": layers, "n_head": 2, "n_positions": context}),
        "bloom": ("BloomForCausalLM", {"hidden_size": 32, "n_layer": layers, "n_head": 2}),
        "mpt": ("MptForCausalLM", {"d_model": 32, "n_heads": 2, "n_layers": layers, "max_seq_len": context}),
        "mamba": ("MambaForCausalLM", {"hidden_size": 32, "num_hidden_layers": layers, "state_size": 4}),
        "cohere": ("CohereForCausalLM", shape | {"logit_scale": 0.0625}),
        "granite": ("GraniteForCausalLM", grouped | {"logits_scaling": 1.01}),
        "bert": ("BertForMaskedLM", shape),
        "t5": (
            "T5ForConditionalGeneration",
            {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": layers, "num_heads": 2}
            | {"decoder_start_token_id": 6, "initializer_factor": 1.0},
        ),
        # attention sees 16 positions, in the first layer or in all
        "mistral": ("MistralForCausalLM", grouped | {"sliding_window": 16}),
        "qwen2": ("Qwen2ForCausalLM", grouped | {"use_sliding_window": True} | mixed),
        "gemma2": ("Gemma2ForCausalLM", grouped | mixed | {"final_logit_softcapping": 2.0}),
        "gemma3": ("Gemma3ForCausalLM", grouped | mixed),
        "phi3": ("Phi3ForCausalLM", grouped | {"sliding_window": 16}),
        "phi3_long": (
            "Phi3ForCausalLM",
            grouped | {"rope_parameters": long_rope, "original_max_position_embeddings": 16},
        ),
        "cohere2": ("Cohere2ForCausalLM", grouped | mixed),
        "olmo3": ("Olmo3ForCausalLM", grouped | mixed),
        "gpt_oss": ("GptOssForCausalLM", grouped | mixed | experts),
        "starcoder2": ("Starcoder2ForCausalLM", grouped | {"sliding_window": 16}),
        "llama4": ("Llama4ForCausalLM", grouped | chunks | experts | {"intermediate_size_mlp": 64}),
        "modernbert": (
            "ModernBertDecoderForCausalLM",
            shape | {"local_attention": 32, "global_attn_every_n_layers": 2},
        ),
        "gpt_neo": (
            "GPTNeoForCausalLM",
            {"hidden_size": 32, "num_layers": layers, "num_heads": 2, "max_position_embeddings": context}
            | {"window_size": 16, "attention_types": [[["local", "global"], layers // 2]]},
        ),
    }


def saved(folder: Path, kind: str, *, given: PreTrainedTokenizerFast | None = None, seed: int = 0) -> Path:
    """A checkpoint in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network(kind, seed=seed).save_pretrained(folder)
    (given or tokenizer()).save_pretrained(folder)
    return folder
