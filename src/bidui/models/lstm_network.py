"""LSTM networks, and how they run over prefix trees: the state after a beginning serves all that goes on from it.

Sequences are packed as for attention (`prefix_tree`), a batch being one row of positions. A batch is walked by depth:
all its positions of one depth are one step, each from the state of its parent. So a batch holds `batch_tokens` states,
or those of one sequence that is longer; only what the last sequence of a batch shares with the next is run again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from bidui.errors import Place, fail
from bidui.models.prefix_tree import Packed, pack, unsorted_scores

State = tuple[torch.Tensor, torch.Tensor]
LOGITS = 2**25  # held at a time: 128 MiB as float32


@dataclass(frozen=True, slots=True)
class LstmShape:
    """The sizes of a network; those given here are CLiMP's (Xiang et al. 2021), from PyTorch's word language model."""

    vocabulary: int
    embedding: int = 200
    hidden: int = 200
    layers: int = 2
    dropout: float = 0.2
    tied: bool = False  # the output has the weights of the embedding

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
    """Embedding, layers and output; dropout stands before, between and after the layers."""

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
        """The logits at each position of a batch of sequences, and the state after the last."""
        outputs, after = self.lstm(self.dropout(self.embedding(tokens)), state)
        return self.head(self.dropout(outputs)), after


@torch.inference_mode()
def tree_logprobs(
    network: LstmNetwork, sequences: Sequence[Sequence[int]], *, batch_tokens: int
) -> tuple[list[NDArray[np.float32]], int]:
    """The log-probabilities of all tokens of each sequence but the first, and how many positions were run.

    Each sequence has at least two tokens. There is no dropout; a network in training stays so.
    """
    training = network.training
    network.eval()
    try:
        # cuDNN would round the factors of float32 to ten bits in recurrent layers, and nobody would know
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            flat, positions = _logprobs(network, pack(sequences, row=batch_tokens))
    finally:
        network.train(training)
    ends = np.cumsum([len(sequence) - 1 for sequence in sequences])
    return np.split(flat, ends[:-1]), positions


def _logprobs(network: LstmNetwork, packed: Packed) -> tuple[NDArray[np.float32], int]:
    """The log-probabilities of all sequences, one after the other."""
    values = np.zeros(len(packed.edge_to), np.float32)
    positions = 0
    for row in range(len(packed.rows) - 1):
        low, high = packed.edge_rows[row], packed.edge_rows[row + 1]
        if low == high:
            continue  # nothing but sentences that came before
        outputs = _outputs(network, packed, row)
        positions += len(outputs)
        at = packed.edge_from[low:high] - packed.rows[row]
        values[low:high] = _read(outputs, at, packed.edge_to[low:high], head=network.head)
    return unsorted_scores(packed, values), positions


def _outputs(network: LstmNetwork, packed: Packed, row: int) -> torch.Tensor:
    """What the last layer gives at each position of a row, counted from the row's start."""
    begin, end = int(packed.rows[row]), int(packed.rows[row + 1])
    size = end - begin
    depths = packed.depths[begin:end]
    parents = packed.paths[packed.owners[begin:end], np.maximum(depths - 1, 0)] - begin
    parents[depths == 0] = size  # the state before anything, which stays zero
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
    """The log-probabilities of tokens at positions, normalised in float32; each position passes the head once."""
    used, inverse = np.unique(at, return_inverse=True)
    found = np.zeros(len(at), np.float32)
    order = np.argsort(inverse, kind="stable")
    size = max(1, LOGITS // head.out_features)
    for start in range(0, len(used), size):
        stretch = slice(*np.searchsorted(inverse[order], (start, start + size)))
        chosen = order[stretch]
        logits = head(outputs[torch.from_numpy(used[start : start + size]).to(outputs.device)]).float()
        rows = torch.from_numpy(inverse[chosen] - start).to(outputs.device)
        wanted = logits[rows, torch.from_numpy(tokens[chosen]).to(outputs.device)]
        found[chosen] = (wanted - logits.logsumexp(dim=1)[rows]).cpu().numpy()
    return found
