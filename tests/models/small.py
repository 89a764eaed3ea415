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


def network(kind: str, *, seed: int = 0, layers: int = 2, context: int = 64) -> PreTrainedModel:
    """A model of that architecture, wide enough in its weights that every token matters."""
    torch.manual_seed(seed)
    size = len(SPECIAL) + len(CHARACTERS) + 3
    usual = {"vocab_size": size, "initializer_range": 0.3, "bos_token_id": 1, "eos_token_id": 2}
    shapes: dict[str, tuple[str, dict[str, object]]] = {
        "gpt_neox": ("GPTNeoXForCausalLM", _shape(layers) | {"max_position_embeddings": context}),
        "llama": ("LlamaForCausalLM", _shape(layers) | {"max_position_embeddings": context}),
        "gemma2": (
            "Gemma2ForCausalLM",
            _shape(layers) | {"head_dim": 16, "num_key_value_heads": 2, "final_logit_softcapping": 2.0},
        ),
        "gpt2": ("GPT2LMHeadModel", {"n_embd": 32, "n_layer": layers, "n_head": 2, "n_positions": context}),
        "bloom": ("BloomForCausalLM", {"hidden_size": 32, "n_layer": layers, "n_head": 2}),
        "mamba": ("MambaForCausalLM", {"hidden_size": 32, "num_hidden_layers": layers, "state_size": 4}),
        "bert": ("BertForMaskedLM", _shape(layers) | {"max_position_embeddings": context}),
        "t5": (
            "T5ForConditionalGeneration",
            {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": layers, "num_heads": 2}
            | {"decoder_start_token_id": 6, "pad_token_id": 6, "initializer_factor": 1.0},
        ),
    }
    name, shape = shapes[kind]
    config = getattr(transformers, name).config_class(**(usual | shape))
    found: PreTrainedModel = getattr(transformers, name)(config)
    return found.eval()


def _shape(layers: int) -> dict[str, object]:
    heads = {"num_hidden_layers": layers, "num_attention_heads": 2}
    return {"hidden_size": 32, "intermediate_size": 64, **heads}


def saved(folder: Path, kind: str, *, given: PreTrainedTokenizerFast | None = None, seed: int = 0) -> Path:
    """A checkpoint in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network(kind, seed=seed).save_pretrained(folder)
    (given or tokenizer()).save_pretrained(folder)
    return folder
