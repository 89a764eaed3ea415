"""Models in the format of transformers, from a folder or the hub, of the kind that their configuration says."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import torch

from bidui.errors import Place, fail
from bidui.models.causal import TF32, CausalModel
from bidui.models.conventions import DECLARATION, decide, declaration_of
from bidui.models.fingerprint import code_hash, config_hash, pipeline_hash, tokenizer_hash, weights_hash
from bidui.models.model import Declared, Model, first_line
from bidui.models.native import NativeNetwork, load_network
from bidui.models.specs import short_name
from bidui.models.tokenizer_file import read_object, read_tokenizer

if TYPE_CHECKING:  # importing transformers takes longer than a small model, and those of `native` need none of it
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

    from bidui.models.masked import Metric

Kind = Literal["causal", "masked", "seq2seq"]
_LOADERS = {"causal": "AutoModelForCausalLM", "masked": "AutoModelForMaskedLM", "seq2seq": "AutoModelForSeq2SeqLM"}
_MASKED = ("ForMaskedLM", "ForPreTraining")  # the ends of the names of classes
_NO_LANGUAGE_MODEL = re.compile(r"For(\w*Classification|QuestionAnswering|MultipleChoice|NextSentencePrediction)$")
PROBE = 8  # tokens by which it is found out whether a model sees the tokens that come later


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
    trust_remote_code: bool = False,
) -> Model:
    """Load a model with its tokenizer; without `kind`, its configuration decides.

    A causal model that `native` understands is run without transformers.
    """
    refuse_revision(name, revision)
    if kind in (None, "causal") and revision is None and Path(name).is_dir():
        native = _native(Path(name), device=device, dtype=dtype, bos=bos, eos=eos, batch_tokens=batch_tokens)
        if native is not None:
            return native
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]  # ours shows the sentences
    source = {"revision": revision, "trust_remote_code": trust_remote_code}
    config, content, tokenizer = _parts(name, source)
    form = kind or _kind(config, model=name)
    if form != "causal" and (bos is not None or eos):
        raise fail("option-not-for", Place(), {"option": "--bos" if bos is not None else "--eos", "kind": form})
    network = _network(name, source, config, content, form, dtype, device)
    vocabulary = _vocabulary(config)
    tokens = _batch_tokens(batch_tokens, device, vocabulary)
    declared = _declared(form, short_name(name, None), revision, network, tokenizer, dtype, content)
    if form == "causal":
        declaration = _declaration(name, revision)
        conventions = decide(tokenizer, bos=bos, eos=eos, declaration=declaration, vocabulary=vocabulary)
        refuse_direction(network, tokenizer, kind=form, model=name)
        declared |= conventions.declared(tokenizer)
        return CausalModel(short_name(name, revision), network, tokenizer, conventions, declared, tokens)
    if form == "masked":
        from bidui.models.masked import MaskedModel

        if metric != "original" and not tokenizer.is_fast:
            raise fail("pll-needs-words", Place(name), {})
        if tokenizer.mask_token_id is None:
            raise fail("no-mask", Place(name), {})
        refuse_direction(network, tokenizer, kind=form, model=name)
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
    network = load_network(folder, config, dtype=float_type(dtype, device=device))
    if network is None:
        return None
    version = config.get("transformers_version")
    read = read_tokenizer(folder, model_type=network.base_model.shape.family, version=version)
    if read is None or len(read.get_vocab()) <= len(read.all_special_tokens):
        return None
    tokenizer = cast("PreTrainedTokenizerBase", read)  # it has what is used of one
    move_to(network, device)
    declared = _declared("causal", short_name(str(folder), None), None, network, tokenizer, dtype, config)
    declaration, vocabulary = declaration_of(folder), network.config.vocab_size
    conventions = decide(tokenizer, bos=bos, eos=eos, declaration=declaration, vocabulary=vocabulary)
    declared |= conventions.declared(tokenizer)
    tokens = _batch_tokens(batch_tokens, device, vocabulary)
    return CausalModel(short_name(str(folder), None), network, tokenizer, conventions, declared, tokens)


def _declaration(name: str, revision: str | None) -> dict[str, object]:
    """Read `bidui.json` in the folder of a model, or in its repository on the hub, where `bidui push` puts it."""
    if Path(name).is_dir():
        return declaration_of(Path(name))
    from transformers.utils.hub import cached_file

    try:
        file = cached_file(name, DECLARATION, revision=revision, _raise_exceptions_for_missing_entries=False)
    except OSError as error:
        raise fail("model-unreadable", Place(name), {"reason": first_line(error)}) from error
    return declaration_of(Path(file).parent) if file else {}


def causal_model(
    name: str, network: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", *, declaration: Mapping[str, object]
) -> CausalModel:
    """Return a causal model in memory, as `load_huggingface` would load it from a folder with that declaration."""
    device, dtype = network.device.type, str(network.dtype).removeprefix("torch.")
    conventions = decide(tokenizer, declaration=declaration)
    content = json.loads(network.config.to_json_string())
    declared = _declared("causal", name, None, network, tokenizer, dtype, content) | conventions.declared(tokenizer)
    tokens = _batch_tokens(None, device, network.config.vocab_size)
    return CausalModel(name, network, tokenizer, conventions, declared, tokens)


def refuse_revision(name: str, revision: str | None) -> None:
    """Refuse a revision of a folder: only the hub has revisions, and a folder would be read as it is."""
    if revision is not None and Path(name).is_dir():
        inside = Path(name) / revision
        near = [f"hf:{inside}"] if inside.is_dir() else []
        raise fail("revision-of-folder", Place(name), {"revision": revision, "near": near})


def _declared(
    kind: str,
    model: str,
    revision: str | None,
    network: torch.nn.Module | NativeNetwork,
    tokenizer: "PreTrainedTokenizerBase",
    dtype: str,
    content: Mapping[str, object],
) -> Declared:
    code = code_hash(network, tokenizer)
    return {
        "kind": kind,
        "model": model,
        "revision": revision,
        "weights": weights_hash(network),
        "config": config_hash(content),
        "tokenizer": tokenizer_hash(tokenizer),
        "pipeline": pipeline_hash(tokenizer),
        "dtype": dtype,
        **({"code": code} if code else {}),
    }


def _batch_tokens(wanted: int | None, device: str, vocabulary: int) -> int:
    """Return the positions per batch: on a GPU, as many as give about four gigabytes of logits in fp32."""
    return wanted or (1024 if device == "cpu" else max(1024, (1 << 30) // vocabulary))


def _vocabulary(config: "PreTrainedConfig") -> int:
    """Return the number of token ids; a model that also takes images has it in the part for text."""
    return int(getattr(config.get_text_config(), "vocab_size", 1 << 17))


def _parts(
    name: str, source: Mapping[str, Any]
) -> "tuple[PreTrainedConfig, dict[str, object], PreTrainedTokenizerBase]":
    """Return the configuration, the content of its file, and the tokenizer."""
    from transformers import AutoConfig, AutoTokenizer, PretrainedConfig

    with _problems(name, source):
        config = AutoConfig.from_pretrained(name, **source)
        content, _ = PretrainedConfig.get_config_dict(name, revision=source["revision"])
    with _problems(name, source, tokenizer=True):
        tokenizer = AutoTokenizer.from_pretrained(name, **source)
    if len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens):
        # for some architectures transformers invents an empty tokenizer if the files are missing
        raise fail("tokenizer-unreadable", Place(name), {"reason": "it has no vocabulary"})
    return config, content, tokenizer


@contextmanager
def _problems(name: str, source: Mapping[str, Any], *, tokenizer: bool = False) -> Iterator[None]:
    """Turn every error of transformers into a problem: a checkpoint with code of its own can raise anything."""
    try:
        yield
    except Exception as error:
        if "trust_remote_code" in str(error) and not source["trust_remote_code"]:
            raise fail("needs-remote-code", Place(name), {}) from error
        reason = first_line(error) or type(error).__name__
        if tokenizer:
            raise fail("tokenizer-unreadable", Place(name), {"reason": reason}) from error
        raise fail("model-unreadable", Place(name), {"reason": reason}) from error


def _network(
    name: str,
    source: Mapping[str, Any],
    config: "PreTrainedConfig",
    content: Mapping[str, object],
    kind: Kind,
    dtype: str,
    device: str,
) -> "PreTrainedModel":
    wanted = float_type(dtype, device=device)
    with _problems(name, source), _quiet():
        network, info = _loader(config, kind, code=source["trust_remote_code"]).from_pretrained(
            name, dtype=wanted, output_loading_info=True, ignore_mismatched_sizes=True, **source
        )
    refuse_incomplete(network, info, tied=content.get("tie_word_embeddings") is not False, model=name)
    move_to(network, device)
    network.eval()
    loaded: PreTrainedModel = network
    return loaded


def _loader(config: "PreTrainedConfig", kind: Kind, *, code: bool) -> Any:
    """Return the class that loads a model: for a decoder that may not bring its own `code`, the one it was saved from.

    The automatic classes do not know the decoders of all models that also take images.
    """
    import transformers

    saved_from = (config.architectures or [""])[0]
    decoder = kind == "causal" and not config.is_encoder_decoder and not code
    if decoder and saved_from.endswith(("ForCausalLM", "ForConditionalGeneration")):
        return getattr(transformers, saved_from, transformers.AutoModelForCausalLM)
    return getattr(transformers, _LOADERS[kind])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from printing a table of weights: what it says is checked and becomes a problem."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(level)


def refuse_incomplete(network: "PreTrainedModel", info: Mapping[str, Any], *, tied: bool, model: str) -> None:
    """Refuse a network some of whose weights the checkpoint does not have, or has in another shape, or has more of.

    transformers would draw the missing ones at random, and uses the embedding in place of a missing head of T5 even if
    the configuration says that the two are not `tied`. Weights for other tasks may be left over, but not further
    layers, or further parts of a layer that the network has.
    """
    state = network.state_dict()
    for other in sorted(info["mismatched_keys"]):  # names, in transformers 5 with both shapes
        name = other if isinstance(other, str) else other[0]
        raise fail("weights-shape", Place(model), {"name": name, "wanted": tuple(state[name].shape)})
    missing = sorted(info["missing_keys"])
    if not missing and not tied and network.config.is_encoder_decoder:
        head, embedding = network.get_output_embeddings(), network.get_input_embeddings()  # type: ignore[no-untyped-call]
        missing = [name for name, part in network.named_modules() if part is head and part.weight is embedding.weight]
    if missing:
        values = {"count": len(missing), "names": missing, "class": type(network).__name__}
        raise fail("weights-missing", Place(model), values)
    numbered = {re.sub(r"\d+", "0", name) for name in state}
    modules = {name.rpartition(".")[0] for name in state if "." in name}
    if getattr(network.config.get_text_config(), "num_nextn_predict_layers", 0):
        numbered = set()  # layers that only predict further tokens, which some models have, are rightly left out
    unused = [
        name
        for name in sorted(info["unexpected_keys"])
        if re.sub(r"\d+", "0", name) in numbered or name.rpartition(".")[0] in modules
    ]
    if unused:
        values = {"count": len(unused), "names": unused, "class": type(network).__name__}
        raise fail("weights-unused", Place(model), values)


def refuse_direction(
    network: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", *, kind: Literal["causal", "masked"], model: str
) -> None:
    """Refuse a causal network that sees the tokens after the one it predicts, and a masked one that does not.

    The last of a few tokens is replaced. In a causal model no earlier prediction may change by more than rounding;
    what replacing the first token does to later predictions says how large a real change is.
    """
    special = {*tokenizer.all_special_ids, *tokenizer.get_added_vocab().values()}
    most = _vocabulary(network.config)
    plain = sorted(set(range(most)) & set(tokenizer.get_vocab().values()) - special) or range(most)
    chosen = [plain[len(plain) * place // (PROBE + 2)] for place in range(PROBE + 2)]
    first, last, *tokens = chosen
    try:
        rows = [_logprobs(network, row, kind) for row in (tokens, [*tokens[:-1], last], [first, *tokens[1:]])]
    except Exception as error:  # whatever the forward pass of some architecture may raise
        values = {"dtype": str(network.dtype).removeprefix("torch."), "reason": first_line(error)}
        raise fail("model-not-runnable", Place(model), values) from error
    before, later, earlier = (row.nan_to_num(neginf=0.0) for row in rows)
    change = float((later - before)[:-1].abs().mean(dim=1).max())
    context = float((earlier - before)[1:].abs().mean(dim=1).max())
    rounding = torch.finfo(network.dtype).eps * float(before.abs().mean())
    if kind == "causal" and change > max(0.05 * context, rounding):
        raise fail("model-not-causal", Place(model), {"change": f"{change:.2g}"})
    if kind == "masked" and change < 0.01 * context:
        raise fail("model-not-masked", Place(model), {})


@torch.inference_mode()
def _logprobs(network: "PreTrainedModel", tokens: list[int], kind: Kind) -> torch.Tensor:
    settings = {"use_cache": False} if kind == "causal" else {}
    logits: torch.Tensor = network(input_ids=torch.tensor([tokens], device=network.device), **settings).logits
    return logits[0].float().log_softmax(dim=-1)


def float_type(name: str, *, device: str) -> torch.dtype:
    """Return the floating-point type of that name; weights in TF32 are fp32, and only CUDA rounds their products."""
    if name == TF32:
        if torch.device(device).type != "cuda":
            raise fail("tf32-not-here", Place(), {"device": device})
        return torch.float32
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


def _kind(config: "PreTrainedConfig", *, model: str) -> Kind:
    """Return the kind by the class the checkpoint was saved from; `is_encoder_decoder` comes first.

    A class such as Gemma3ForConditionalGeneration, which takes images but has no encoder for text, is causal.
    """
    for name in config.architectures or []:
        if _NO_LANGUAGE_MODEL.search(name):
            raise fail("not-a-language-model", Place(model), {"class": name})
    if config.is_encoder_decoder:
        return "seq2seq"
    return "masked" if any(name.endswith(_MASKED) for name in config.architectures or []) else "causal"
