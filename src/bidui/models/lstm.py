"""LSTM language models over characters or words, as CLiMP trained them, and the folders they are kept in.

A folder holds `lstm.json` (the format, the shape, and `words` if sentences are split into words first),
`model.safetensors`, the tokenizer as transformers saves it, and `bidui.json` with what stands before a sentence.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from bidui.errors import InputError, Place, fail
from bidui.models.causal import TF32
from bidui.models.conventions import DECLARATION, Conventions, decide, declaration_of
from bidui.models.fingerprint import pipeline_hash, tokenizer_hash, weights_hash
from bidui.models.huggingface import float_type, move_to
from bidui.models.model import Declared, TokenScores, first_line, jieba_words, refuse_broken
from bidui.models.prefix_tree import PrefixRows, pack, unsorted_scores
from bidui.models.specs import short_name
from bidui.models.tokenize import Encoding, HasTokenizer, encode, tokenizer_files

# LSTM networks, and how they run over prefix trees: the state after a beginning serves all sequences that share it.
#
# Sequences are packed as for attention (`prefix_tree`), a batch being one row of positions. A batch is walked by
# depth: all its positions of one depth are one step, each from the state of its parent. So a batch holds
# `batch_tokens` states, or those of one sequence that is longer; only what the last sequence of a batch shares with
# the next is run again.

State = tuple[torch.Tensor, torch.Tensor]
LOGITS = 2**25  # at a time: 128 MiB as float32


@dataclass(frozen=True, slots=True)
class LstmShape:
    """The sizes of a network; the defaults are CLiMP's (Xiang et al. 2021), from PyTorch's word language model."""

    vocabulary: int
    embedding: int = 200
    hidden: int = 200
    layers: int = 2
    dropout: float = 0.2
    tied: bool = False  # whether the output uses the weights of the embedding

    def __post_init__(self) -> None:
        for name in ("vocabulary", "embedding", "hidden", "layers"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise fail("lstm-size", Place(part=name), {"value": value})
        if type(self.dropout) not in (int, float) or not 0 <= self.dropout < 1:
            raise fail("lstm-dropout", Place(part="dropout"), {"value": self.dropout})
        if type(self.tied) is not bool:
            raise fail("lstm-tied-value", Place(part="tied"), {"value": self.tied})
        if self.tied and self.embedding != self.hidden:
            raise fail("lstm-tied", Place(part="tied"), {"embedding": self.embedding, "hidden": self.hidden})


class LstmNetwork(nn.Module):
    """Embedding, layers and output, with dropout before, between and after the layers."""

    def __init__(self, shape: LstmShape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.embedding)
        between = shape.dropout if shape.layers > 1 else 0.0
        self.lstm = nn.LSTM(shape.embedding, shape.hidden, shape.layers, dropout=between, batch_first=True)
        self.head = nn.Linear(shape.hidden, shape.vocabulary)
        self.dropout = nn.Dropout(shape.dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        nn.init.uniform_(self.head.weight, -0.1, 0.1)
        nn.init.zeros_(self.head.bias)
        if shape.tied:
            self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor, state: State | None = None) -> tuple[torch.Tensor, State]:
        """Return the logits at each position of a batch of sequences, and the state after the last."""
        outputs, after = self.lstm(self.dropout(self.embedding(tokens)), state)
        return self.head(self.dropout(outputs)), after


def untrained(shape: LstmShape) -> LstmNetwork:
    """Make a network whose weights are replaced next, so that drawing them changes nobody's random numbers."""
    with torch.random.fork_rng(devices=[]):
        return LstmNetwork(shape)


def _outputs(network: LstmNetwork, packed: PrefixRows, row: int) -> torch.Tensor:
    """Return the output of the last layer at each position of a row."""
    begin, end = int(packed.rows[row]), int(packed.rows[row + 1])
    size = end - begin
    depths = packed.depths[begin:end]
    parents = packed.paths[packed.owners[begin:end] + np.maximum(depths - 1, 0)] - begin
    parents[depths == 0] = size  # the state before the first token, which stays zero
    order = np.argsort(depths, kind="stable")
    levels = np.split(order, np.cumsum(np.bincount(depths))[:-1])
    lstm, weight = network.lstm, network.embedding.weight
    states = weight.new_zeros(2, lstm.num_layers, size + 1, lstm.hidden_size)
    tokens = torch.from_numpy(packed.tokens[begin:end]).to(weight.device)
    for level in levels:
        here = torch.from_numpy(level).to(weight.device)
        before = states[:, :, torch.from_numpy(parents[level]).to(weight.device)]
        _, after = lstm(network.embedding(tokens[here])[:, None], (before[0], before[1]))
        states[0, :, here], states[1, :, here] = after
    return states[0, -1, :size]


def _read(
    outputs: torch.Tensor, at: NDArray[np.int64], tokens: NDArray[np.int64], *, head: nn.Linear
) -> NDArray[np.float32]:
    """Return the log-probabilities of tokens at positions, normalised in float32; the head runs once per position."""
    used, inverse = np.unique(at, return_inverse=True)
    values = np.zeros(len(at), np.float32)
    order = np.argsort(inverse, kind="stable")
    size = max(1, LOGITS // head.out_features)
    for start in range(0, len(used), size):
        stretch = slice(*np.searchsorted(inverse[order], (start, start + size)))
        chosen = order[stretch]
        logits = head(outputs[torch.from_numpy(used[start : start + size]).to(outputs.device)]).float()
        rows = torch.from_numpy(inverse[chosen] - start).to(outputs.device)
        wanted = logits[rows, torch.from_numpy(tokens[chosen]).to(outputs.device)]
        values[chosen] = (wanted - logits.logsumexp(dim=1)[rows]).cpu().numpy()
    return values


Words = Literal["jieba"]
FORMAT = 1
SHAPE = "lstm.json"
WEIGHTS = "model.safetensors"


@dataclass(slots=True, repr=False)
class LstmModel(HasTokenizer):
    """A network with its tokenizer, how sentences are split, and the conventions they are scored by."""

    name: str
    network: LstmNetwork
    tokenizer: PreTrainedTokenizerBase
    conventions: Conventions
    declared: Declared
    words: Words | None = None
    batch_tokens: int = 4096
    positions: int = 0  # that were run so far

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        split = encode if self.words is None else encode_words
        encoded = split(self.tokenizer, sentences)
        before = [] if self.conventions.bos is None else [self.conventions.bos]
        after = [] if self.conventions.eos is None else [self.conventions.eos]
        values = self.run([[*before, *tokens.ids, *after] for tokens in encoded])
        for sentence, tokens, logprobs in zip(sentences, encoded, values, strict=True):
            ids = np.array([*tokens.ids, *after], np.int32)
            end = np.full((len(after), 2), len(sentence), np.int32)
            spans = np.concatenate((tokens.spans, end))[len(ids) - len(logprobs) :]
            refuse_broken(sentence, spans[:, 1], logprobs, model=self.name)
            yield TokenScores(sentence, ids[len(ids) - len(logprobs) :], spans[:, 0], spans[:, 1], logprobs)

    @torch.inference_mode()
    def run(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """Return the log-probabilities of all tokens of each sequence but the first.

        There is no dropout; a network in training mode stays in it.
        """
        longer = [sequence for sequence in sequences if len(sequence) > 1]
        if not longer:
            return [np.zeros(0, np.float32)] * len(sequences)
        packed = pack(longer, row=self.batch_tokens)
        values = np.zeros(len(packed.edge_to), np.float32)
        training = self.network.training
        self.network.eval()
        try:
            # cuDNN would silently round the factors of float32 to ten bits in recurrent layers
            with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
                for row in range(len(packed.rows) - 1):
                    low, high = packed.edge_rows[row], packed.edge_rows[row + 1]
                    if low == high:
                        continue  # only repeated sentences
                    outputs = _outputs(self.network, packed, row)
                    self.positions += len(outputs)
                    at = packed.edge_from[low:high] - packed.rows[row]
                    values[low:high] = _read(outputs, at, packed.edge_to[low:high], head=self.network.head)
        finally:
            self.network.train(training)
        ends = np.cumsum([max(0, len(sequence) - 1) for sequence in sequences])
        return np.split(unsorted_scores(packed, values), ends[:-1])


def encode_words(tokenizer: PreTrainedTokenizerBase, sentences: Sequence[str]) -> list[Encoding]:
    """Return the words that jieba finds in every sentence, looked up in the vocabulary."""
    vocabulary, unknown = tokenizer.get_vocab(), tokenizer.unk_token_id
    encoded = []
    for sentence in sentences:
        words = jieba_words(sentence)
        spans = np.array([(start, end) for _, start, end in words], np.int32).reshape(-1, 2)
        encoded.append(
            Encoding([vocabulary.get(word, unknown) for word, _, _ in words], spans, list(range(len(words))))
        )
    return encoded


def save_lstm(
    folder: Path,
    network: LstmNetwork,
    tokenizer: PreTrainedTokenizerFast,
    declaration: Mapping[str, object],
    *,
    words: Words | None = None,
) -> None:
    """Write a folder that `load_lstm` reads; `declaration` is the content of `bidui.json`, such as `{"bos": "eos"}`."""
    _refuse_tokenizer(tokenizer, network.shape, words, place=Place(str(folder)))
    folder.mkdir(parents=True, exist_ok=True)
    shape = {"format": FORMAT, "words": words, **asdict(network.shape)}
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    if network.shape.tied:
        del weights["head.weight"]
    for name, data in tokenizer_files(tokenizer).items():
        (folder / name).write_bytes(data)
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
    """Load the model in a folder."""
    place = Path(folder)
    for name in (SHAPE, WEIGHTS, "tokenizer.json", "tokenizer_config.json"):
        if not (place / name).is_file():
            raise fail("lstm-file-missing", Place(str(place)), {"file": name})
    shape, words = _read_shape(place / SHAPE)
    try:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(place)
    except Exception as error:  # tokenizers raises nothing more specific
        raise fail("tokenizer-unreadable", Place(str(place)), {"reason": first_line(error)}) from error
    _refuse_tokenizer(tokenizer, shape, words, place=Place(str(place)))
    network = _read_network(place / WEIGHTS, shape, device=device, dtype=dtype)
    declaration = declaration_of(place)
    conventions = decide(tokenizer, bos=bos, eos=eos, declaration=declaration, vocabulary=shape.vocabulary)
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
    """Return a model in memory, as `load_lstm` would load it from a folder."""
    weight = network.embedding.weight
    declared: Declared = {
        "kind": "lstm",
        "model": name,
        "weights": weights_hash(network),
        "tokenizer": tokenizer_hash(tokenizer),
        "pipeline": pipeline_hash(tokenizer),
        "words": words and f"{words} {version(words)}",
        "dtype": str(weight.dtype).removeprefix("torch."),
        **conventions.declared(tokenizer),
    }
    tokens = batch_tokens or (4096 if weight.device.type == "cpu" else 65_536)
    return LstmModel(name, network, tokenizer, conventions, declared, words, tokens)


def _read_shape(file: Path) -> tuple[LstmShape, Words | None]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise fail("lstm-unreadable", Place(str(file)), {"reason": first_line(error)}) from error
    if not isinstance(content, dict) or "format" not in content:
        raise fail("lstm-unreadable", Place(str(file)), {"reason": "not an object with a format"})
    if content.pop("format") != FORMAT:
        raise fail("lstm-format", Place(str(file)), {"format": FORMAT})
    words = content.pop("words", None)
    if words not in (None, "jieba"):
        raise fail("lstm-words", Place(str(file), part="words"), {"value": words})
    names = {field.name for field in fields(LstmShape)}
    if content.keys() != names:
        values = {"missing": sorted(names - content.keys()), "unknown": sorted(content.keys() - names)}
        raise fail("lstm-fields", Place(str(file)), values)
    try:
        return LstmShape(**content), words
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
    if dtype == TF32:
        raise fail("tf32-not-lstm", Place(str(file)), {})
    wanted = float_type(dtype, device=device)
    try:
        weights = load_file(file)
    except (OSError, SafetensorError) as error:
        raise fail("lstm-unreadable", Place(str(file)), {"reason": first_line(error)}) from error
    network = untrained(shape)
    state = network.state_dict()
    if shape.tied:
        weights["head.weight"] = weights.get("embedding.weight", state["head.weight"])
    for name in sorted(state.keys() | weights.keys()):
        there, here = (tuple(part[name].shape) if name in part else () for part in (weights, state))
        if there != here:
            raise fail("lstm-weights", Place(str(file)), {"name": name, "found": f"{there}", "wanted": f"{here}"})
    network.load_state_dict(weights)
    move_to(network, device)
    return network.to(dtype=wanted).eval()
