"""Tokenizers from `tokenizer.json` alone, without transformers, where that gives the same tokens.

transformers also reads `tokenizer_config.json` and its kin, may add tokens, and builds the pipelines of some classes
itself, whatever `tokenizer.json` says. A folder is read here only if none of that makes a difference, which every
setting must be known for; otherwise `read_tokenizer` returns None, and transformers has to load it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
# Settings that change no token: what is added around a text, what is printed, and where files came from.
WITHOUT_EFFECT = {
    *("add_bos_token", "add_eos_token", "backend", "bidui", "chat_template", "clean_up_tokenization_spaces", "errors"),
    *("is_local", "local_files_only", "model_input_names", "model_max_length", "name_or_path", "padding_side"),
    *("special_tokens_map_file", "tokenizer_class", "trim_offsets", "truncation_side"),
}
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
PLAIN = {"PreTrainedTokenizerFast", "TokenizersBackend"}  # classes that take the pipeline from tokenizer.json
QWEN_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
SPLIT = {"type": "Split", "pattern": {"Regex": QWEN_WORDS}, "behavior": "Isolated", "invert": False}
NOTHING_ADDED = {
    "type": "TemplateProcessing",
    "single": [{"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {},
}
# What the classes that build their own pipelines put in place of the parts of tokenizer.json.
BUILT: dict[str, dict[str, Any]] = {
    "GPTNeoXTokenizer": {"pre_tokenizer": BYTES, "post_processor": NOTHING_ADDED},
    "Qwen2Tokenizer": {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [SPLIT, BYTES | {"use_regex": False}]}},
}
PLAIN_BPE: dict[str, Any] = {
    **{"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": ""},
    **dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), False),
}
PATCHED = 100_000  # transformers repairs larger vocabularies if config.json does not say its version


@dataclass(frozen=True, slots=True)
class FileTokenizer:
    """A tokenizer with what `conventions`, `tokenize` and the fingerprints use of those of transformers."""

    backend_tokenizer: Tokenizer
    init_kwargs: Mapping[str, object]
    special: Mapping[str, str] = field(default_factory=dict)  # bos_token and so on, as far as there are any
    is_fast: bool = True

    @property
    def bos_token_id(self) -> int | None:
        """The token at the beginning of a text."""
        return self._number("bos_token")

    @property
    def eos_token_id(self) -> int | None:
        """The token at the end of a text."""
        return self._number("eos_token")

    @property
    def cls_token_id(self) -> int | None:
        """The token that stands for the whole text."""
        return self._number("cls_token")

    @property
    def unk_token_id(self) -> int | None:
        """The token that stands for what is not in the vocabulary."""
        return self._number("unk_token")

    @property
    def sep_token_id(self) -> int | None:
        """The token between two texts."""
        return self._number("sep_token")

    @property
    def pad_token_id(self) -> int | None:
        """The token that fills up shorter texts."""
        return self._number("pad_token")

    @property
    def mask_token_id(self) -> int | None:
        """The token that stands for a hidden one."""
        return self._number("mask_token")

    def _number(self, name: str) -> int | None:
        token = self.special.get(name)
        return None if token is None else self.backend_tokenizer.token_to_id(token)

    @property
    def all_special_tokens(self) -> list[str]:
        """The special tokens that have names."""
        return list(dict.fromkeys(self.special.values()))

    @property
    def all_special_ids(self) -> list[int]:
        """The ids of the special tokens that have names."""
        ids = map(self.backend_tokenizer.token_to_id, self.all_special_tokens)
        return [number for number in ids if number is not None]

    def get_vocab(self) -> dict[str, int]:
        """Return the ids of all tokens."""
        return self.backend_tokenizer.get_vocab(with_added_tokens=True)

    def convert_ids_to_tokens(self, ids: int | list[int]) -> str | list[str | None] | None:
        """Return the token of an id, or those of several; None for an id that has none."""
        if isinstance(ids, int):
            return self.backend_tokenizer.id_to_token(ids)
        return [self.backend_tokenizer.id_to_token(number) for number in ids]


def read_tokenizer(folder: Path, *, model_type: str, version: str | None) -> FileTokenizer | None:
    """Read the tokenizer of a model of that type, saved by that version; None if transformers may see it otherwise."""
    settings, written = read_object(folder / "tokenizer_config.json"), read_object(folder / "tokenizer.json")
    if settings is None or written is None:
        return None
    added = written.get("added_tokens")
    if not isinstance(added, list) or not _only_known(settings, added) or not _repeated(folder, settings):
        return None
    parts = _built_parts(written, settings, model_type=model_type)
    if parts is None:
        return None
    written |= parts
    special = {name: text for name in SPECIAL if (text := _content(settings.get(name))) is not None}
    try:
        backend = Tokenizer.from_str(json.dumps(written))
    except Exception:  # what `tokenizers` raises has no class of its own; transformers will say what is wrong
        return None
    if version is None and backend.get_vocab_size() > PATCHED:
        return None
    return FileTokenizer(backend, settings, special)


def read_object(file: Path) -> dict[str, Any] | None:
    """Read the JSON object in a file; None if there is none."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _content(token: object) -> str | None:
    """Return the text of a token, which may be given with flags."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else None


def _only_known(settings: Mapping[str, Any], added: list[Any]) -> bool:
    """Whether every setting is known, and the tokens that it names are special tokens of tokenizer.json already."""
    harmless = {"add_prefix_space": (None, False), "split_special_tokens": (None, False)}
    named = {name: settings[name] for name in SPECIAL if settings.get(name) is not None}
    lists = [settings.get(name) or [] for name in ("additional_special_tokens", "extra_special_tokens")]
    for name, value in settings.items():
        if name in harmless and value not in harmless[name]:
            return False
        known = {*SPECIAL, *WITHOUT_EFFECT, *harmless}
        if name not in known | {"added_tokens_decoder", "additional_special_tokens", "extra_special_tokens"}:
            return False
    if not all(isinstance(tokens, list) for tokens in lists):
        return False
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    special = {token["content"] for token in added if plain.items() <= token.items()}
    if not {_content(token) for token in (*named.values(), *lists[0], *lists[1])} <= special:
        return False
    if "added_tokens_decoder" not in settings:
        return True
    flags = {str(token["id"]): {name: token[name] for name in ("content", *FLAGS)} for token in added}
    return bool(settings["added_tokens_decoder"] == flags)


def _repeated(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether the older files with tokens only repeat the settings."""
    if (folder / "added_tokens.json").exists() and "added_tokens_decoder" not in settings:
        return False
    if not (folder / "special_tokens_map.json").exists():
        return True
    older = read_object(folder / "special_tokens_map.json")
    if older is None:
        return False
    same = {name: _content(value) == _content(settings.get(name)) for name, value in older.items() if name in SPECIAL}
    rest = {name: value == settings.get(name) for name, value in older.items() if name not in SPECIAL}
    return all(same.values()) and all(rest.values())


def _built_parts(written: Mapping[str, Any], settings: Mapping[str, Any], *, model_type: str) -> dict[str, Any] | None:
    """Return the parts that transformers replaces in tokenizer.json; None if that may change a token."""
    kind = str(settings.get("tokenizer_class"))
    steps = written.get("pre_tokenizer")
    if written.get("truncation") or written.get("padding") or '"add_prefix_space": true' in json.dumps(steps):
        return None
    if kind in PLAIN and model_type != "qwen2":  # transformers takes Qwen's class for every model of type qwen2
        return {} if written.get("post_processor") else {"post_processor": NOTHING_ADDED}
    built = BUILT.get("Qwen2Tokenizer" if kind in PLAIN else kind.removesuffix("Fast"))
    # such a class has special tokens of its own where the settings name none
    if built is None or not {"bos_token", "eos_token", "unk_token"} <= settings.keys():
        return None
    model = written.get("model") or {}
    if model.keys() - PLAIN_BPE.keys() - {"vocab", "merges"} or written.get("normalizer") != {"type": "NFC"}:
        return None
    if any((model.get(name) or default) != default for name, default in PLAIN_BPE.items()):
        return None
    if _without_spans(steps) != _without_spans(built["pre_tokenizer"]):
        return None
    return {**built, "model": {**model, **PLAIN_BPE}, "decoder": BYTES | {"add_prefix_space": True}}


def _without_spans(step: Any) -> Any:
    """Return a step before the model without what only a step after it uses."""
    if not isinstance(step, dict):
        return step
    if step.get("type") == "Sequence":
        return [_without_spans(part) for part in step.get("pretokenizers", [])]
    whole = {"use_regex": True, **step} if step.get("type") == "ByteLevel" else step
    return {name: value for name, value in whole.items() if name != "trim_offsets"}
