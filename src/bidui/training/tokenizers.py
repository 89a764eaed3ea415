"""Tokenizers: train them, load those of Hugging Face and sentencepiece, save them, and count their vocabularies."""

import heapq
import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Thread
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from tokenizers.trainers import BpeTrainer
from transformers import AutoTokenizer, BertGenerationTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from bidui.errors import Place, fail, import_failed
from bidui.files import check_new_folder, write_new_folder
from bidui.models.fingerprint import tokenizer_hash
from bidui.models.lstm import encode_words
from bidui.models.model import first_line, jieba_words
from bidui.models.tokenize import DECLARED, declared_kind, encode, tokenizer_files
from bidui.training.documents import SourceCounts, read_documents


@dataclass(frozen=True, slots=True)
class VocabularyCounts:
    """The three columns of Table 4 of Liu et al. (ZhoBLiMP)."""

    all: int
    single_character: int
    multi_character: int


def load_tokenizer(name: str | Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a Hugging Face folder or hub name, or of a sentencepiece `.model` file.

    A `.model` file is run by sentencepiece itself. Converted to merges, as transformers would do, that of Chinese-LLaMA
    tokenizes 40% of the lines differently: its pieces were merged from two models, 18,212 of them have the same score,
    and sentencepiece takes the leftmost of equals, which no list of merges can express.
    """
    path = Path(name)
    try:
        if path.suffix == ".model" and path.is_file():
            # transformers' plain wrapper of sentencepiece; the pad and sep that it adds would be new ids
            return BertGenerationTokenizer(str(path), pad_token=None, sep_token=None)
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(str(name))
    except ImportError as error:
        raise import_failed(error, extra="lm", place=Place(str(name))) from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
        raise fail("tokenizer-missing", Place(str(name)), {"reason": first_line(error)}) from error
    if len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens):
        raise fail("tokenizer-missing", Place(str(name)), {"reason": "it has no vocabulary"})
    return tokenizer


def save_tokenizer(tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Write a tokenizer to a folder that is absent or empty; `AutoTokenizer` and `load_tokenizer` load it."""
    write_new_folder(folder, tokenizer_files(tokenizer).items())


def vocabulary_size(tokenizer: PreTrainedTokenizerBase) -> int:
    """Return the number of rows that an embedding needs: one more than the greatest id."""
    return max(tokenizer.get_vocab().values()) + 1


def vocabulary_counts(tokenizer: PreTrainedTokenizerBase) -> VocabularyCounts:
    """Count the entries, and those with Chinese characters that have one character, or several.

    Chinese characters are those from U+4E00 to U+9FFF. All characters of the text that a token stands for count, and so
    does the blank that sentencepiece writes ▁: ▁我 has two. So the Chinese-LLaMA tokenizer has 49,953 entries, 6,963 of
    one character and 10,876 of several. Table 4 prints these numbers with the last two exchanged in that row, and only
    there: its `char` has 11,116 of one character and none of several.
    """
    vocabulary = tokenizer.get_vocab()
    texts = list(map(_spelling(tokenizer), vocabulary))
    lengths = [len(text) for text in texts if any("\u4e00" <= char <= "\u9fff" for char in text)]
    return VocabularyCounts(len(vocabulary), lengths.count(1), sum(length > 1 for length in lengths))


def _spelling(tokenizer: PreTrainedTokenizerBase) -> Callable[[str], str]:
    """Return a function from a token, as the vocabulary writes it, to its text."""
    if not tokenizer.is_fast:
        return lambda token: token
    written = json.loads(tokenizer.backend_tokenizer.to_str())
    if '"ByteLevel"' in json.dumps([written["decoder"], written["pre_tokenizer"]]):
        bytes_of = _byte_characters()
        # part of a character is not text
        return lambda token: bytes(bytes_of.get(char, 0) for char in token).decode("utf-8", "ignore")
    within = written["model"].get("continuing_subword_prefix") or ""  # ## of BERT
    return lambda token: token.removeprefix(within)


def _byte_characters() -> dict[str, int]:
    """Return the characters by which GPT-2 and its successors write the 256 bytes."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + n): byte for n, byte in enumerate(hidden)}


# Training: one token per character, characters merged into words by BPE, or the words that jieba finds.
#
# The same texts in any order give the same tokenizer. The first two kinds have the same characters, the most frequent
# first and equals by code point. The newline is always a token, since it joins documents.

SPECIAL = ("<unk>", "<s>", "</s>", "<pad>")
CHARACTERS = r"[\s\S]"
# Runs of Chinese characters, runs of other letters, and single other characters: a word never crosses their bounds.
BLANKS = r"\s+"
RUNS = r"\p{Han}+|[^\P{L}\p{Han}]+|[\s\S]"
LONGEST_WORD = 8  # characters; longer words are phrases that some source repeats


@dataclass(frozen=True, slots=True)
class TokenizerDescription:
    """A tokenizer's vocabulary, special tokens and hash, and the tokens of a sentence."""

    counts: VocabularyCounts
    bos: str | None
    eos: str | None
    unknown: str | None
    hash: str
    tokens: list[str]


def describe_tokenizer(name: str | Path, *, sentence: str = "") -> TokenizerDescription:
    """Describe the tokenizer of a folder, hub name or sentencepiece file, and how it splits a sentence."""
    tokenizer = load_tokenizer(name)
    (encoding,) = (encode_words if declared_kind(tokenizer) == "jieba" else encode)(tokenizer, [sentence])
    return TokenizerDescription(
        vocabulary_counts(tokenizer),
        tokenizer.bos_token,
        tokenizer.eos_token,
        tokenizer.unk_token,
        tokenizer_hash(tokenizer),
        list(tokenizer.convert_ids_to_tokens(encoding.ids)),
    )


def train_tokenizer(
    kind: Literal["char", "word", "jieba"],
    source: str | Path,
    *,
    out: str | Path | None = None,
    size: int | None = None,
    least: int = 8,
    field: str = "text",
    seen: SourceCounts | None = None,
    on_progress: Callable[[str, int, int], None] = lambda activity, done, total: None,
) -> PreTrainedTokenizerFast:
    """Train a tokenizer on a file or folder of text, and write it to the folder `out`, if given.

    `size` is the size of the vocabulary, by default 20,000 for `word` and 50,000 for `jieba`; for `char` it follows
    from `least`, the number of times that a character or word must occur.
    """
    if kind == "char" and size is not None:
        raise fail("tokenizer-no-size", Place(), {})
    if out is not None:
        check_new_folder(Path(out))
    source, seen = Path(source), SourceCounts() if seen is None else seen

    def texts() -> Iterator[str]:
        yield from read_documents(source, field=field, seen=seen, on_progress=on_progress)
        if kind == "word":
            on_progress("merging", 0, 0)

    if kind == "char":
        tokenizer = train_char(texts(), least=least)
    elif kind == "word":
        tokenizer = train_word(texts(), size=size or 20_000, least=least)
    else:
        tokenizer = train_jieba(texts(), size=size or 50_000, least=least)
    seen.refuse_nothing(source)
    if out is not None:
        save_tokenizer(tokenizer, Path(out))
    return tokenizer


def train_char(texts: Iterable[str], *, least: int = 8) -> PreTrainedTokenizerFast:
    """Train a tokenizer with one token for every character that occurs at least `least` times."""
    counts = np.zeros(0x110000, np.int64)
    deque(_counted(texts, counts), maxlen=0)  # only the counts matter
    vocabulary = _numbered(_alphabet(counts, least=least))
    return _tokenizer(models.WordLevel(vocabulary, unk_token=SPECIAL[0]), CHARACTERS, "char")


def train_word(
    texts: Iterable[str], *, size: int = 20_000, least: int = 8, most: int = 20_000_000
) -> PreTrainedTokenizerFast:
    """Train a vocabulary of `size`: characters that occur at least `least` times, and words that BPE merges from them.

    Words are learned from at most `most` characters of text, since BPE takes about 120 bytes of memory for each: whole
    texts, chosen by their hashes. A text without enough repetitions gives fewer words.
    """
    counts = np.zeros(0x110000, np.int64)
    sample = _sample(_counted(texts, counts), most=most)
    alphabet = _alphabet(counts, least=least)
    words = size - len(SPECIAL) - len(alphabet)
    if words < 0:
        raise fail("tokenizer-size", Place(), {"size": size, "least": size - words})
    merges = _merges(sample, words=words, least=least)
    vocabulary = _numbered(dict.fromkeys([*alphabet, *(left + right for left, right in merges)]))
    return _tokenizer(models.BPE(vocabulary, merges, unk_token=SPECIAL[0]), RUNS, "word")


def train_jieba(texts: Iterable[str], *, size: int = 50_000, least: int = 8) -> PreTrainedTokenizerFast:
    """Train a vocabulary of at most `size`: the most frequent words that jieba finds, each at least `least` times.

    The files of a tokenizer cannot hold jieba, so transformers alone splits at blanks only. It is for LSTM models over
    words; bidui runs jieba before it looks words up, in training and in scoring.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(word for word, _, _ in jieba_words(text))
    frequent = sorted((word for word in counts if counts[word] >= least), key=lambda word: (-counts[word], word))
    chosen = ["\n", *frequent][: max(size - len(SPECIAL), 1)]
    return _tokenizer(models.WordLevel(_numbered(chosen), unk_token=SPECIAL[0]), BLANKS, "jieba")


def _counted(texts: Iterable[str], counts: NDArray[np.int64]) -> Iterator[str]:
    """Yield the texts; the number of occurrences of each code point is added to `counts`."""
    for text in texts:
        codes, numbers = np.unique(np.frombuffer(text.encode("utf-32-le"), "<u4"), return_counts=True)
        counts[codes] += numbers
        yield text


def _alphabet(counts: NDArray[np.int64], *, least: int) -> list[str]:
    codes = np.union1d(np.flatnonzero(counts >= max(least, 1)), [ord("\n")])
    return [chr(code) for code in codes[np.argsort(-counts[codes], kind="stable")]]


def _sample(texts: Iterable[str], *, most: int) -> list[str]:
    """Return the texts with the smallest hashes that together have at most `most` characters."""
    chosen: list[tuple[int, str]] = []  # a heap with the greatest hash on top
    size, limit = 0, 1 << 64
    for text in texts:
        place = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
        if place >= limit:  # greater than one that was dropped; keeping it would make the order of texts matter
            continue
        heapq.heappush(chosen, (-place, text))
        size += len(text)
        while size > most:
            greatest, dropped = heapq.heappop(chosen)
            size, limit = size - len(dropped), -greatest
    return [text for _, text in chosen]


def _merges(texts: list[str], *, words: int, least: int) -> list[tuple[str, str]]:
    """Return the pairs that BPE merges, in order, until there are `words` words."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(RUNS), "isolated")
    # Its alphabet has all characters. Those rarer than `least` are in no pair that occurs often enough.
    size = words + len(set().union(*texts))
    longest = LONGEST_WORD + 1  # the trainer takes only shorter words
    trainer = BpeTrainer(vocab_size=size, min_frequency=max(least, 2), max_token_length=longest, show_progress=False)
    _interruptibly(lambda: inner.train_from_iterator(texts, trainer))
    return [(left, right) for left, right in json.loads(inner.to_str())["model"]["merges"]]


def _interruptibly(work: Callable[[], None]) -> None:
    """Run work that takes minutes in a thread, so that Ctrl-C can stop it."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if failed:
        raise failed[0]


def _numbered(tokens: Iterable[str]) -> dict[str, int]:
    return {token: number for number, token in enumerate((*SPECIAL, *tokens))}


def _tokenizer(model: models.Model, runs: str, kind: str) -> PreTrainedTokenizerFast:
    inner = Tokenizer(model)
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(runs), "removed" if runs == BLANKS else "isolated")
    inner.decoder = decoders.Fuse()
    unknown, bos, eos, pad = SPECIAL
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=inner,
        unk_token=unknown,
        bos_token=bos,
        eos_token=eos,
        pad_token=pad,
        clean_up_tokenization_spaces=False,
        **{DECLARED: kind},
    )
