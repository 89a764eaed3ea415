"""The five sizes of Zh-Pythia, which are Pythia's (Biderman et al. 2023), as configurations of transformers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bidui.errors import Place, fail

if TYPE_CHECKING:
    from transformers import GPTNeoXConfig

CONTEXT = 64  # tokens in a row, as in the paper
LSTM = "lstm"  # in a recipe, instead of a size


@dataclass(frozen=True, slots=True)
class Size:
    """The shape of a network; everything else is the same for all sizes."""

    name: str
    layers: int
    width: int
    heads: int

    @property
    def body(self) -> int:
        """The parameters of the layers and the last norm, without embedding and head."""
        return self.layers * (12 * self.width**2 + 13 * self.width) + 2 * self.width

    def parameters(self, vocabulary: int) -> int:
        """Return the number of parameters; embedding and head are not tied."""
        return self.body + 2 * vocabulary * self.width

    def flops(self, vocabulary: int, *, tokens: int) -> int:
        """Return C = 6 N D with the true N, as in section 5.2 of the paper."""
        return 6 * self.parameters(vocabulary) * tokens


SIZES = {
    size.name: size
    for size in (
        Size("14m", 6, 128, 4),
        Size("70m", 6, 512, 8),
        Size("160m", 12, 768, 12),
        Size("410m", 24, 1024, 16),
        Size("1.4b", 24, 2048, 16),
    )
}


def check_size(name: str) -> None:
    """Refuse a name that is neither a size nor `lstm`."""
    if name not in SIZES and name != LSTM:
        raise fail("size-unknown", Place(), {"value": name, "known": [*SIZES, LSTM]})


def neox_config(
    size: Size, *, vocabulary: int, context: int = CONTEXT, bos: int | None = None, eos: int | None = None
) -> "GPTNeoXConfig":
    """Return the configuration of a size for a vocabulary; rotary fraction and base are Pythia's (0.25, 10,000)."""
    from transformers import GPTNeoXConfig  # imported here because a plan of runs needs no model

    return GPTNeoXConfig(
        vocab_size=vocabulary,
        hidden_size=size.width,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.width,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": 0.25},
        use_parallel_residual=True,
        tie_word_embeddings=False,
        attention_bias=True,
        layer_norm_eps=1e-5,
        hidden_act="gelu",
        max_position_embeddings=context,
        bos_token_id=bos,
        eos_token_id=eos,
    )
