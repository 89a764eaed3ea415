"""Fingerprints: hashes of everything besides the sentences and the settings that decides a score.

They are stored with the scores, so that a model whose files have changed is never answered with its old scores.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bidui.files import file_hash, sha256

if TYPE_CHECKING:  # importing them takes longer than a small model
    import torch
    from transformers import PreTrainedTokenizerBase

    from bidui.models.native import NativeNetwork

# fields of config.json that say how a checkpoint was written; the dtype that a model runs in is declared by itself
_UNUSED = frozenset({"_commit_hash", "_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version"})
_SPECIAL = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


def weights_hash(network: "torch.nn.Module | NativeNetwork") -> str:
    """Return a hash of names, shapes and values; the same whatever files the weights came from.

    The head of GPT-NeoX has one name in all versions of transformers here.
    """
    import torch

    from bidui.models.native import HEAD, OLD_HEAD

    digest = hashlib.sha256()
    for name, tensor in sorted((name.replace(OLD_HEAD, HEAD), tensor) for name, tensor in network.state_dict().items()):
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        flat = tensor.detach().cpu().contiguous().reshape(-1)  # a tensor without dimensions cannot be viewed as bytes
        digest.update(flat.view(torch.uint8).numpy().data)
    return digest.hexdigest()


def config_hash(config: Mapping[str, object]) -> str:
    """Return a hash of the content of config.json."""
    return _hash(_used(config))


def _used(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _used(part) for name, part in value.items() if name not in _UNUSED}
    return value


def tokenizer_hash(tokenizer: "PreTrainedTokenizerBase") -> str:
    """Return a hash of the vocabulary: what token each id stands for."""
    digest = hashlib.sha256()
    for token, number in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]):
        digest.update(f"{number}\t{token}\n".encode())
    return digest.hexdigest()


def pipeline_hash(tokenizer: "PreTrainedTokenizerBase") -> str:
    """Return a hash of all that a tokenizer does with a text, from the normalizer to the special tokens."""
    special = {name: getattr(tokenizer, f"{name}_token_id") for name in _SPECIAL}
    if tokenizer.is_fast:
        backend = tokenizer.backend_tokenizer
        backend.no_truncation()  # as for scoring
        backend.no_padding()
        return _hash([special, backend.to_str()])
    settings = {name: value for name, value in tokenizer.init_kwargs.items() if isinstance(value, bool | int | float)}
    files = [Path(getattr(tokenizer, name, None) or "") for name in sorted(tokenizer.vocab_files_names)]
    contents = [file_hash(file) for file in files if file.is_file()]
    added = {token: number for token, number in sorted(tokenizer.get_added_vocab().items())}
    return _hash([special, type(tokenizer).__name__, settings, contents, added])


def code_hash(*parts: object) -> str | None:
    """Return a hash of the code that a checkpoint brings for its network or tokenizer; None if it brings none."""
    modules = {type(part).__module__ for part in parts}
    files = {sys.modules[name].__file__ for name in modules if name.startswith("transformers_modules.")}
    sources = {path for file in files if file for path in Path(file).parent.glob("*.py")}
    return _hash(sorted((path.name, path.read_text(encoding="utf-8")) for path in sources)) if sources else None


def _hash(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "surrogatepass"))
