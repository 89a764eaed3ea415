"""Models in the format of transformers, from a folder or the hub, of the kind that their configuration says."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import torch

from bidui.errors import Place, fail
from bidui.models.causal import CausalModel
from bidui.models.conventions import decide, declaration_of
from bidui.models.model import Declared, Model, first_line
from bidui.models.native import HEAD, OLD_HEAD, NativeNetwork, load_network
from bidui.models.tokenizer_file import read_object, read_tokenizer

if TYPE_CHECKING:  # importing transformers takes longer than a small model, and those of `native` need none of it
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

    from bidui.models.masked import Metric

Kind = Literal["causal", "masked", "seq2seq"]
_LOADERS = {"causal": "AutoModelForCausalLM", "masked": "AutoModelForMaskedLM", "seq2seq": "AutoModelForSeq2SeqLM"}
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
    metric: "Metric" = "original",
    batch_tokens: int | None = None,
) -> Model:
    """Load a model with its tokenizer; without `kind`, its configuration decides.

    A causal model that `native` understands is run without transformers.
    """
    if kind in (None, "causal") and revision is None and Path(name).is_dir():
        native = _native(Path(name), device=device, dtype=dtype, bos=bos, eos=eos, batch_tokens=batch_tokens)
        if native is not None:
            return native
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]  # ours shows the sentences
    config, tokenizer = _parts(name, revision)
    form = kind or _kind(config)
    network = _network(name, revision, form, dtype, device)
    tokens = _batch_tokens(batch_tokens, device, config.vocab_size)
    declared = _declared(form, short_name(name, None), revision, network, tokenizer, dtype)
    if form != "causal" and (bos is not None or eos):
        raise fail("option-not-for", Place(), {"option": "--bos" if bos is not None else "--eos", "kind": form})
    if form == "causal":
        declaration = declaration_of(Path(name)) if Path(name).is_dir() else None
        conventions = decide(tokenizer, bos=bos, eos=eos, declaration=declaration)
        declared |= conventions.declared(tokenizer)
        return CausalModel(short_name(name, revision), network, tokenizer, conventions, declared, tokens)
    if form == "masked":
        from bidui.models.masked import MaskedModel

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
    from bidui.models.seq2seq import Seq2SeqModel, first_sentinel

    sentinel = first_sentinel(tokenizer, model=name, vocabulary=config.vocab_size)
    declared |= {"bos": None, "eos": False, "first_token": True, "sentinel": sentinel}
    return Seq2SeqModel(short_name(name, revision), network, tokenizer, sentinel, declared, tokens)


def _native(
    folder: Path, *, device: str, dtype: str, bos: str | None, eos: bool, batch_tokens: int | None
) -> CausalModel | None:
    """Load a model without transformers; None if there is anything in its files that might need it."""
    config = read_object(folder / "config.json") or {}
    network = load_network(folder, config, dtype=float_type(dtype))
    if network is None:
        return None
    version = config.get("transformers_version")
    read = read_tokenizer(folder, model_type=network.base_model.shape.family, version=version)
    if read is None or len(read.get_vocab()) <= len(read.all_special_tokens):
        return None
    tokenizer = cast("PreTrainedTokenizerBase", read)  # it has what is used of one
    move_to(network, device)
    declared = _declared("causal", short_name(str(folder), None), None, network, tokenizer, dtype)
    conventions = decide(tokenizer, bos=bos, eos=eos, declaration=declaration_of(folder))
    declared |= conventions.declared(tokenizer)
    tokens = _batch_tokens(batch_tokens, device, network.config.vocab_size)
    return CausalModel(short_name(str(folder), None), network, tokenizer, conventions, declared, tokens)


def causal_model(
    name: str, network: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", *, declaration: Mapping[str, object]
) -> CausalModel:
    """Return a causal model in memory, as `load_huggingface` would load it from a folder with that declaration."""
    device, dtype = network.device.type, str(network.dtype).removeprefix("torch.")
    conventions = decide(tokenizer, declaration=declaration)
    declared = _declared("causal", name, None, network, tokenizer, dtype) | conventions.declared(tokenizer)
    tokens = _batch_tokens(None, device, network.config.vocab_size)
    return CausalModel(name, network, tokenizer, conventions, declared, tokens)


def _declared(
    kind: str,
    model: str,
    revision: str | None,
    network: torch.nn.Module | NativeNetwork,
    tokenizer: "PreTrainedTokenizerBase",
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


def _batch_tokens(wanted: int | None, device: str, vocabulary: int) -> int:
    """Return the positions per batch: on a GPU, as many as give about four gigabytes of logits in fp32."""
    return wanted or (1024 if device == "cpu" else max(1024, (1 << 30) // vocabulary))


def _parts(name: str, revision: str | None) -> "tuple[PreTrainedConfig, PreTrainedTokenizerBase]":
    from transformers import AutoConfig, AutoTokenizer

    try:
        config = AutoConfig.from_pretrained(name, revision=revision)
    except (OSError, ValueError) as error:
        raise fail("model-unreadable", Place(name), {"reason": first_line(error)}) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, revision=revision)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise fail("tokenizer-unreadable", Place(name), {"reason": first_line(error)}) from error
    if len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens):
        # for some architectures transformers invents an empty tokenizer if the files are missing
        raise fail("tokenizer-unreadable", Place(name), {"reason": "it has no vocabulary"})
    return config, tokenizer


def _network(name: str, revision: str | None, kind: Kind, dtype: str, device: str) -> "PreTrainedModel":
    import transformers

    loader = getattr(transformers, _LOADERS[kind])
    try:
        network: PreTrainedModel = loader.from_pretrained(name, revision=revision, dtype=float_type(dtype))
    except (OSError, ValueError, RuntimeError) as error:
        raise fail("model-unreadable", Place(name), {"reason": first_line(error)}) from error
    move_to(network, device)
    network.eval()  # type: ignore[no-untyped-call]
    return network


def float_type(name: str) -> torch.dtype:
    """Return the floating-point type of that name."""
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise fail("dtype-unknown", Place(), {"dtype": name})
    return dtype


def move_to(network: torch.nn.Module | NativeNetwork, device: str) -> None:
    """Move a network to a device; one that cannot be used is an error with the reason."""
    try:
        network.to(torch.device(device))
    except (RuntimeError, AssertionError) as error:  # torch without CUDA raises the second
        raise fail("device-unusable", Place(), {"device": device, "reason": first_line(error)}) from error


def _kind(config: "PreTrainedConfig") -> Kind:
    """Return the kind by the class the checkpoint was saved from; `is_encoder_decoder` comes first."""
    if config.is_encoder_decoder:
        return "seq2seq"
    for name in config.architectures or []:
        for ending, kind in _ENDINGS.items():
            if name.endswith(ending):
                return kind  # type: ignore[return-value]
    return "causal"


def weights_hash(network: torch.nn.Module | NativeNetwork) -> str:
    """Return a hash of names, shapes and values; the same whatever files the weights came from.

    The head of GPT-NeoX has one name in all versions of transformers here.
    """
    digest = hashlib.sha256()
    for name, tensor in sorted((name.replace(OLD_HEAD, HEAD), tensor) for name, tensor in network.state_dict().items()):
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().data)
    return digest.hexdigest()


def tokenizer_hash(tokenizer: "PreTrainedTokenizerBase") -> str:
    """Return a hash of the vocabulary."""
    digest = hashlib.sha256()
    for token, number in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]):
        digest.update(f"{number}\t{token}\n".encode())
    return digest.hexdigest()


def short_name(name: str, revision: str | None) -> str:
    """Return the name of a model in tables and folders; a checkpoint of ours has the name of its run before it."""
    base = Path(name).resolve().name if Path(name).is_dir() else name.replace("/", "--")
    if base.startswith("step-") and (Path(name) / "training.json").is_file():
        base = f"{Path(name).resolve().parent.name}@{base}"
    return f"{base}@{revision}" if revision else base
