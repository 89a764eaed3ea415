"""Models in the format of transformers, from a folder or the hub, of whichever kind their configuration says."""

import hashlib
from collections.abc import Mapping
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
from bidui.models.conventions import Conventions, decide, declaration_of
from bidui.models.masked import MaskedModel, Metric
from bidui.models.model import Model
from bidui.models.seq2seq import Seq2SeqModel, first_sentinel
from bidui.models.tokenize import special_tokens

Kind = Literal["causal", "masked", "seq2seq"]
Declared = dict[str, str | int | bool | None]
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
    tokens = _batch_tokens(batch_tokens, device, config.vocab_size)
    folder = Path(name) if Path(name).is_dir() else None
    declared = _declared(found, short_name(name, None), revision, network, tokenizer, dtype)
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
    declaration = declaration_of(folder)
    conventions = decide(special_tokens(tokenizer), bos=bos, eos=eos, declaration=declaration)
    return _causal(short_name(name, revision), network, tokenizer, conventions, declared, tokens)


def causal_model(
    name: str, network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, declaration: Mapping[str, object]
) -> CausalModel:
    """A causal model that is in memory, as `load_huggingface` would give it from a folder with that declaration."""
    device, dtype = network.device.type, str(network.dtype).removeprefix("torch.")
    declared = _declared("causal", name, None, network, tokenizer, dtype)
    tokens = _batch_tokens(None, device, network.config.vocab_size)
    conventions = decide(special_tokens(tokenizer), declaration=declaration)
    return _causal(name, network, tokenizer, conventions, declared, tokens)


def _causal(
    name: str,
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    conventions: Conventions,
    declared: Declared,
    batch_tokens: int,
) -> CausalModel:
    declared |= {
        "bos": None if conventions.bos is None else str(tokenizer.convert_ids_to_tokens(conventions.bos)),
        "bos_rule": conventions.rule,
        "eos": conventions.eos is not None,
        "first_token": conventions.first_scored,
    }
    return CausalModel(name, network, tokenizer, conventions, declared, batch_tokens)


def _declared(
    kind: str,
    model: str,
    revision: str | None,
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    dtype: str,
) -> Declared:
    return {
        "kind": kind,
        "model": model,
        "revision": revision,
        "weights": weights_hash(network),
        "tokenizer": tokenizer_hash(tokenizer),
        "dtype": dtype,
    }


def _batch_tokens(asked: int | None, device: str, vocabulary: int) -> int:
    """On a GPU as many positions as make some four gigabytes of logits in fp32."""
    return asked or (1024 if device == "cpu" else max(1024, (1 << 30) // vocabulary))


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
    """What folders of scores and tables call a model; a checkpoint of ours has the name of its run before it."""
    base = Path(name).resolve().name if Path(name).is_dir() else name.replace("/", "--")
    if base.startswith("step-") and (Path(name) / "training.json").is_file():
        base = f"{Path(name).resolve().parent.name}@{base}"
    return f"{base}@{revision}" if revision else base


def first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
