"""Tokenizers: loading those of Hugging Face and sentencepiece, saving them, and the counts of the paper's Table 4."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from transformers import AutoTokenizer, BertGenerationTokenizer, PreTrainedTokenizerBase

from bidui.errors import Place, fail
from bidui.models.huggingface import first_line
from bidui.pairs import write_new_folder


@dataclass(frozen=True, slots=True)
class VocabularyCounts:
    """The three columns of Table 4 of Liu et al. (ZhoBLiMP)."""

    all: int
    single_character: int
    multi_character: int


def load_tokenizer(name: str | Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a Hugging Face folder or hub name, or of a sentencepiece `.model` file.

    A `.model` file is run by sentencepiece itself. Converted to merges, as transformers would, the one of
    Chinese-LLaMA divides two fifths of all lines otherwise: its pieces were merged from two models, 18,212 of them
    have the same score, and sentencepiece takes the leftmost of equals, which no list of merges can say.
    """
    path = Path(name)
    try:
        if path.suffix == ".model" and path.is_file():
            # transformers' plain wrapper of sentencepiece; the pad and sep that it adds would be new ids
            return BertGenerationTokenizer(str(path), pad_token=None, sep_token=None)
        found: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(str(name))
    except ImportError as error:
        raise fail("needs-extra", Place(str(name)), {"package": "sentencepiece", "extra": "lm"}) from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
        raise fail("tokenizer-missing", Place(str(name)), {"reason": first_line(error)}) from error
    if len(found.get_vocab()) <= len(found.all_special_tokens):
        raise fail("tokenizer-missing", Place(str(name)), {"reason": "it has no vocabulary"})
    return found


def save_tokenizer(tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Put a tokenizer into a folder that is not there or empty; `AutoTokenizer` and `load_tokenizer` load it."""
    write_new_folder(folder, tokenizer_files(tokenizer).items())


def tokenizer_files(tokenizer: PreTrainedTokenizerBase) -> dict[str, bytes]:
    """The files of a tokenizer, by name; the same whether it was just trained or loaded, by any version."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir()) if path.is_file()}
    settings = json.loads(files["tokenizer_config.json"])
    if settings.get("tokenizer_class") == "TokenizersBackend":
        settings["tokenizer_class"] = "PreTrainedTokenizerFast"  # the name that transformers 4 has for it, and 5 too
    kept = {name: value for name, value in sorted(settings.items()) if name not in ("is_local", "local_files_only")}
    files["tokenizer_config.json"] = (json.dumps(kept, ensure_ascii=False, indent=2) + "\n").encode()
    return files


def vocabulary_size(tokenizer: PreTrainedTokenizerBase) -> int:
    """The rows an embedding needs: one more than the greatest id."""
    return max(tokenizer.get_vocab().values()) + 1


def vocabulary_counts(tokenizer: PreTrainedTokenizerBase) -> VocabularyCounts:
    """How many entries there are, and how many of them contain Chinese characters: one character, or several.

    Chinese characters are those from U+4E00 to U+9FFF, and all characters of the text that a token stands for count,
    the blank that sentencepiece writes ▁ too: ▁我 has two. So the Chinese-LLaMA tokenizer has 49,953 entries, 6,963 of
    one character and 10,876 of several. Table 4 prints these very numbers with the last two exchanged in that row,
    and only there: its `char` has 11,116 of one character and none of several.
    """
    vocabulary = tokenizer.get_vocab()
    text_of = _spelling(tokenizer)
    texts = [text_of(token) for token in vocabulary]
    lengths = [len(text) for text in texts if any("\u4e00" <= char <= "\u9fff" for char in text)]
    return VocabularyCounts(len(vocabulary), lengths.count(1), sum(length > 1 for length in lengths))


def _spelling(tokenizer: PreTrainedTokenizerBase) -> Callable[[str], str]:
    """How the text of a token is found from the way it is written in the vocabulary."""
    if not tokenizer.is_fast:
        return lambda token: token
    written = json.loads(tokenizer.backend_tokenizer.to_str())
    if '"ByteLevel"' in json.dumps([written["decoder"], written["pre_tokenizer"]]):
        bytes_of = _byte_characters()
        # part of a character is no text
        return lambda token: bytes(bytes_of.get(char, 0) for char in token).decode("utf-8", "ignore")
    within = written["model"].get("continuing_subword_prefix") or ""  # ## of BERT
    return lambda token: token.removeprefix(within)


def _byte_characters() -> dict[str, int]:
    """The characters by which GPT-2 and its successors write the 256 bytes."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + n): byte for n, byte in enumerate(hidden)}
