"""LSTM language models over characters or words, as CLiMP trained them, and the folders they are kept in.

A folder holds `lstm.json` (the format, the shape, and `words` where sentences are divided before they are looked up),
`model.safetensors`, the tokenizer as transformers saves it, and `bidui.json` with what stands before a sentence.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from bidui.errors import InputError, Place, fail
from bidui.models.conventions import DECLARATION, Conventions, decide, declaration_of
from bidui.models.huggingface import first_line, short_name, tokenizer_hash, weights_hash
from bidui.models.lstm_network import LstmNetwork, LstmShape, tree_logprobs
from bidui.models.refusals import refuse_broken
from bidui.models.tokenizing import Encoded, encode, special_tokens, texts_of, unknown_of
from bidui.models.tokens import TokenScores

Words = Literal["jieba"]
FORMAT = 1
SHAPE = "lstm.json"
WEIGHTS = "model.safetensors"


@dataclass(slots=True)
class LstmModel:
    """A network with its tokenizer, how sentences are divided, and the conventions they are scored by."""

    name: str
    network: LstmNetwork
    tokenizer: PreTrainedTokenizerBase
    conventions: Conventions
    declared: dict[str, str | int | bool | None]
    words: Words | None = None
    batch_tokens: int = 4096
    positions: int = 0  # run so far

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """The scores of each sentence, in the given order."""
        divide = encode if self.words is None else encode_words
        encoded = divide(self.tokenizer, sentences)
        before = [] if self.conventions.bos is None else [self.conventions.bos]
        after = [] if self.conventions.eos is None else [self.conventions.eos]
        values = self.run([[*before, *found.ids, *after] for found in encoded])
        for sentence, found, logprobs in zip(sentences, encoded, values, strict=True):
            ids = np.array([*found.ids, *after], np.int32)
            end = np.full((len(after), 2), len(sentence), np.int32)
            spans = np.concatenate((found.spans, end))[len(ids) - len(logprobs) :]
            refuse_broken(sentence, spans[:, 1], logprobs, model=self.name)
            yield TokenScores(sentence, ids[len(ids) - len(logprobs) :], spans[:, 0], spans[:, 1], logprobs)

    def run(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """The log-probabilities of all tokens of each sequence but the first."""
        found: list[NDArray[np.float32]] = [np.zeros(0, np.float32)] * len(sequences)
        longer = [number for number, sequence in enumerate(sequences) if len(sequence) > 1]
        if not longer:
            return found
        chosen = [sequences[number] for number in longer]
        values, positions = tree_logprobs(self.network, chosen, batch_tokens=self.batch_tokens)
        self.positions += positions
        for number, logprobs in zip(longer, values, strict=True):
            found[number] = logprobs
        return found

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """The tokens that ids stand for, as the tokenizer writes them."""
        return texts_of(self.tokenizer, ids)

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which ids are the tokenizer's unknown token."""
        return unknown_of(self.tokenizer, ids)


def encode_words(tokenizer: PreTrainedTokenizerBase, sentences: Sequence[str]) -> list[Encoded]:
    """The words of every sentence as jieba divides it, looked up in the vocabulary."""
    vocabulary, unknown = tokenizer.get_vocab(), tokenizer.unk_token_id
    found = []
    for sentence in sentences:
        words = list(divided(sentence))
        spans = np.array([(start, end) for _, start, end in words], np.int32).reshape(-1, 2)
        found.append(Encoded([vocabulary.get(word, unknown) for word, _, _ in words], spans, list(range(len(words)))))
    return found


def divided(sentence: str) -> Iterator[tuple[str, int, int]]:
    """The words that jieba finds, with where they start and end; blanks are no words."""
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    return ((word, start, end) for word, start, end in jieba.tokenize(sentence) if not word.isspace())


def save_lstm(
    folder: Path,
    network: LstmNetwork,
    tokenizer: PreTrainedTokenizerFast,
    declaration: Mapping[str, object],
    *,
    words: Words | None = None,
) -> None:
    """Write a folder that `load_lstm` reads; `declaration` is what `bidui.json` says, such as `{"bos": "eos"}`."""
    _refuse_tokenizer(tokenizer, network.shape, words, place=Place(str(folder)))
    folder.mkdir(parents=True, exist_ok=True)
    shape = {"format": FORMAT, "words": words, **asdict(network.shape)}
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    if network.shape.tied:
        del weights["head.weight"]
    tokenizer.save_pretrained(folder)
    save_file(weights, folder / WEIGHTS)
    for name, content in ((DECLARATION, dict(declaration)), (SHAPE, shape)):
        text = json.dumps(content, ensure_ascii=False, indent=2)
        (folder / name).write_text(f"{text}\n", encoding="utf-8", newline="\n")


def load_lstm(
    folder: str | Path,
    *,
    device: str = "cpu",
    dtype: str = "float32",
    bos: str | None = None,
    eos: bool = False,
    batch_tokens: int | None = None,
) -> LstmModel:
    """The model in a folder."""
    place = Path(folder)
    for name in (SHAPE, WEIGHTS, "tokenizer.json", "tokenizer_config.json"):
        if not (place / name).is_file():
            raise fail("lstm-file-missing", Place(str(place)), {"file": name})
    shape, words = _read_shape(place / SHAPE)
    try:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(place)
    except Exception as error:  # tokenizers raises nothing more exact
        raise fail("tokenizer-unreadable", Place(str(place)), {"reason": first_line(error)}) from error
    _refuse_tokenizer(tokenizer, shape, words, place=Place(str(place)))
    network = _read_network(place / WEIGHTS, shape, device=device, dtype=dtype)
    conventions = decide(special_tokens(tokenizer), bos=bos, eos=eos, declaration=declaration_of(place))
    if conventions.bos is not None and conventions.bos >= shape.vocabulary:
        raise fail("no-bos", Place(str(place)), {"bos": conventions.bos})
    name = short_name(str(place), None)
    return lstm_model(name, network, tokenizer, conventions, words=words, batch_tokens=batch_tokens)


def lstm_model(
    name: str,
    network: LstmNetwork,
    tokenizer: PreTrainedTokenizerBase,
    conventions: Conventions,
    *,
    words: Words | None = None,
    batch_tokens: int | None = None,
) -> LstmModel:
    """A model that is in memory, as `load_lstm` would give it from a folder."""
    weight = network.embedding.weight
    bos = conventions.bos
    declared: dict[str, str | int | bool | None] = {
        "kind": "lstm",
        "model": name,
        "weights": weights_hash(network),  # type: ignore[arg-type]
        "tokenizer": tokenizer_hash(tokenizer),
        "words": words and _version(words),
        "dtype": str(weight.dtype).removeprefix("torch."),
        "bos": None if bos is None else str(tokenizer.convert_ids_to_tokens(bos)),
        "bos_rule": conventions.rule,
        "eos": conventions.eos is not None,
        "first_token": conventions.first_scored,
    }
    tokens = batch_tokens or (4096 if weight.device.type == "cpu" else 65_536)
    return LstmModel(name, network, tokenizer, conventions, declared, words, tokens)


def _read_shape(file: Path) -> tuple[LstmShape, Words | None]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise fail("lstm-unreadable", Place(str(file)), {"reason": first_line(error)}) from error
    if not isinstance(found, dict) or "format" not in found:
        raise fail("lstm-unreadable", Place(str(file)), {"reason": "not an object with a format"})
    if found.pop("format") != FORMAT:
        raise fail("lstm-format", Place(str(file)), {"format": FORMAT})
    words = found.pop("words", None)
    if words not in (None, "jieba"):
        raise fail("lstm-words", Place(str(file), part="words"), {"value": words})
    names = {field.name for field in fields(LstmShape)}
    if found.keys() != names:
        values = {"missing": sorted(names - found.keys()), "unknown": sorted(found.keys() - names)}
        raise fail("lstm-fields", Place(str(file)), values)
    try:
        return LstmShape(**found), words
    except InputError as error:
        problems = [replace(problem, place=replace(problem.place, file=str(file))) for problem in error.problems]
        raise InputError(problems) from error


def _refuse_tokenizer(
    tokenizer: PreTrainedTokenizerBase, shape: LstmShape, words: Words | None, *, place: Place
) -> None:
    tokens = max(tokenizer.get_vocab().values(), default=-1) + 1
    if tokens != shape.vocabulary:
        raise fail("lstm-vocabulary", place, {"tokens": tokens, "vocabulary": shape.vocabulary})
    if words and tokenizer.unk_token_id is None:
        raise fail("lstm-no-unknown", place, {"words": words})


def _read_network(file: Path, shape: LstmShape, *, device: str, dtype: str) -> LstmNetwork:
    wanted = getattr(torch, dtype, None)
    if not isinstance(wanted, torch.dtype) or not wanted.is_floating_point:
        raise fail("dtype-unknown", Place(), {"dtype": dtype})
    try:
        weights = load_file(file)
    except (OSError, SafetensorError) as error:
        raise fail("lstm-unreadable", Place(str(file)), {"reason": first_line(error)}) from error
    with torch.random.fork_rng(devices=[]):  # what is drawn here is thrown away, so nobody's seed may feel it
        network = LstmNetwork(shape)
    own = network.state_dict()
    if shape.tied:
        weights["head.weight"] = weights.get("embedding.weight", own["head.weight"])
    for name in sorted(own.keys() | weights.keys()):
        there, here = (tuple(part[name].shape) if name in part else () for part in (weights, own))
        if there != here:
            raise fail("lstm-weights", Place(str(file)), {"name": name, "found": f"{there}", "wanted": f"{here}"})
    network.load_state_dict(weights)
    try:
        return network.to(device=torch.device(device), dtype=wanted).eval()
    except (RuntimeError, AssertionError) as error:  # the second is what a torch without CUDA raises
        raise fail("device-unusable", Place(), {"device": device, "reason": first_line(error)}) from error


def _version(words: Words) -> str:
    import jieba

    return f"{words} {jieba.__version__}"
