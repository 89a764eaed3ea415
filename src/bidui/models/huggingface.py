"""Models in the format of transformers, from a folder or the hub, of whichever kind their configuration says."""

import hashlib
from pathlib import Path
from typing import Literal

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils.logging import disable_progress_bar

from bidui.errors import Place, fail
from bidui.models.causal import CausalModel
from bidui.models.conventions import decide
from bidui.models.masked import MaskedModel, Metric
from bidui.models.seq2seq import Seq2SeqModel, first_sentinel
from bidui.models.tokenizing import special_tokens
from bidui.models.tokens import Model

Kind = Literal["causal", "masked", "seq2seq"]
_LOADERS = {"causal": AutoModelForCausalLM, "masked": AutoModelForMaskedLM, "seq2seq": AutoModelForSeq2SeqLM}
_ENDINGS = {"ForMaskedLM": "masked", "ForPreTraining": "masked", "ForConditionalGeneration": "seq2seq"}


def load_huggingface(
    name: str,
    *,
    revision: str | None = None,
    kind: Kind | None = None,
    device: str = "cpu",
    dtype: str = "float32",
    bos: str | None = None,
    eos: bool = False,
    metric: Metric = "original",
    batch_tokens: int | None = None,
) -> Model:
    """The model of that name with its tokenizer; the kind is found in its configuration unless given."""
    disable_progress_bar()  # type: ignore[no-untyped-call]  # ours shows the sentences
    config, tokenizer = _parts(name, revision)
    found = kind or _kind(config)
    network = _network(name, revision, found, dtype, device)
    # on a GPU as many positions as make some four gigabytes of logits in fp32
    tokens = batch_tokens or (1024 if device == "cpu" else max(1024, (1 << 30) // config.vocab_size))
    folder = Path(name) if Path(name).is_dir() else None
    declared: dict[str, str | int | bool | None] = {
        "kind": found,
        "model": Path(name).name,
        "revision": revision,
        "weights": weights_hash(network),
        "tokenizer": tokenizer_hash(tokenizer),
        "dtype": dtype,
    }
    if found != "causal" and (bos is not None or eos):
        raise fail("option-not-for", Place(), {"option": "--bos" if bos is not None else "--eos", "kind": found})
    if found == "masked":
        if metric != "original" and not tokenizer.is_fast:
            raise fail("pll-needs-words", Place(name), {})
        if tokenizer.mask_token_id is None:
            raise fail("no-mask", Place(name), {})
        declared |= {
            "pll": metric,
            "bos": None if tokenizer.cls_token is None else str(tokenizer.cls_token),
            "eos": False,
            "first_token": True,
        }
        return MaskedModel(short_name(name, revision), network, tokenizer, declared, metric, tokens)
    if found == "seq2seq":
        declared |= {"bos": None, "eos": False, "first_token": True}
        sentinel = first_sentinel(tokenizer, model=name)
        return Seq2SeqModel(short_name(name, revision), network, tokenizer, sentinel, declared, tokens)
    conventions = decide(special_tokens(tokenizer), bos=bos, eos=eos, folder=folder)
    text = None if conventions.bos is None else str(tokenizer.convert_ids_to_tokens(conventions.bos))
    declared |= {"bos": text, "bos_rule": conventions.rule, "eos": eos, "first_token": conventions.first_scored}
    return CausalModel(short_name(name, revision), network, tokenizer, conventions, declared, tokens)


def _parts(name: str, revision: str | None) -> tuple[PreTrainedConfig, PreTrainedTokenizerBase]:
    try:
        config = AutoConfig.from_pretrained(name, revision=revision)
    except (OSError, ValueError) as error:
        raise fail("model-unreadable", Place(name), {"reason": first_line(error)}) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, revision=revision)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise fail("tokenizer-unreadable", Place(name), {"reason": first_line(error)}) from error
    if len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens):
        # for some architectures transformers makes up an empty tokenizer where the files are missing
        raise fail("tokenizer-unreadable", Place(name), {"reason": "it has no vocabulary"})
    return config, tokenizer


def _network(name: str, revision: str | None, kind: Kind, dtype: str, device: str) -> PreTrainedModel:
    wanted = getattr(torch, dtype, None)
    if not isinstance(wanted, torch.dtype) or not wanted.is_floating_point:
        raise fail("dtype-unknown", Place(), {"dtype": dtype})
    try:
        network: PreTrainedModel = _LOADERS[kind].from_pretrained(name, revision=revision, dtype=wanted)
    except (OSError, ValueError, RuntimeError) as error:
        raise fail("model-unreadable", Place(name), {"reason": first_line(error)}) from error
    try:
        network.to(torch.device(device))  # type: ignore[arg-type]  # its stubs take the method for a function
    except (RuntimeError, AssertionError) as error:  # the second is what a torch without CUDA raises
        raise fail("device-unusable", Place(), {"device": device, "reason": first_line(error)}) from error
    network.eval()  # type: ignore[no-untyped-call]
    return network


def _kind(config: PreTrainedConfig) -> Kind:
    """By the class the checkpoint was saved from; an encoder-decoder is one whatever it is called."""
    if config.is_encoder_decoder:
        return "seq2seq"
    for name in config.architectures or []:
        for ending, kind in _ENDINGS.items():
            if name.endswith(ending):
                return kind  # type: ignore[return-value]
    return "causal"


def weights_hash(network: PreTrainedModel) -> str:
    """A hash of names, shapes and values; the same whatever files the weights came from."""
    found = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        found.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        found.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return found.hexdigest()


def tokenizer_hash(tokenizer: PreTrainedTokenizerBase) -> str:
    found = hashlib.sha256()
    for token, number in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]):
        found.update(f"{number}\t{token}\n".encode())
    return found.hexdigest()


def short_name(name: str, revision: str | None) -> str:
    base = Path(name).resolve().name if Path(name).is_dir() else name.replace("/", "--")
    return f"{base}@{revision}" if revision else base


def first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
