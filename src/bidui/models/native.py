"""GPT-NeoX, Llama and Qwen (2, 2.5 and 3) run in plain torch, without transformers.

Importing transformers takes longer than scoring thousands of pairs with a small model. So a folder whose
`config.json` is understood to the last field is run here: a field that is not known, or has a value that is not, leaves
the folder to transformers, and so do weights that are missing, left over or of another shape. Weights have the names
that transformers gives them; scores equal its scores up to rounding, and fingerprints are the same.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch.nn import functional

from bidui.models.tokenizer_file import read_object

Weights = dict[str, torch.Tensor]

ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "gelu": functional.gelu,
    "gelu_fast": partial(functional.gelu, approximate="tanh"),
    "gelu_new": partial(functional.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
    "silu": functional.silu,
}
ARCHITECTURES = {
    "gpt_neox": "GPTNeoXForCausalLM",
    "llama": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
}
# Fields that change no score, because they are about training, generation, storage, or how a class was written.
WITHOUT_EFFECT = {
    *("_attn_implementation_autoset", "_name_or_path", "architectures", "attention_dropout", "bos_token_id"),
    *("classifier_dropout", "dtype", "eos_token_id", "gradient_checkpointing", "hidden_dropout", "id2label"),
    *("initializer_range", "is_decoder", "label2id", "max_window_layers", "model_type", "output_attentions"),
    *("output_hidden_states", "pad_token_id", "problem_type", "return_dict", "sliding_window", "tokenizer_class"),
    *("torch_dtype", "transformers_version", "unsloth_version", "use_cache"),
}
# Fields that must have this value, where they are there at all.
FIXED = {
    "add_cross_attention": False,
    "chunk_size_feed_forward": 0,
    "is_encoder_decoder": False,
    "pretraining_tp": 1,
    "use_sliding_window": False,
}
USUAL = {"hidden_act", "hidden_size", "intermediate_size", "max_position_embeddings", "num_attention_heads"}
USUAL |= {"num_hidden_layers", "rope_parameters", "rope_scaling", "rope_theta", "tie_word_embeddings", "vocab_size"}
NEOX = {"attention_bias", "layer_norm_eps", "partial_rotary_factor", "rotary_emb_base", "rotary_pct"}
NEOX |= {"use_parallel_residual"}
LLAMA = {"head_dim", "layer_types", "num_key_value_heads", "rms_norm_eps"}
FIELDS = {
    "gpt_neox": USUAL | NEOX,
    "llama": USUAL | LLAMA - {"layer_types"} | {"attention_bias", "mlp_bias"},
    "qwen2": USUAL | LLAMA - {"head_dim"},
    "qwen3": USUAL | LLAMA | {"attention_bias"},
}
HEAD, OLD_HEAD = "lm_head.weight", "embed_out.weight"  # the second in GPT-NeoX, before transformers 5.20
LEFT_OVER = ("attention.bias", "attention.masked_bias", "rotary_emb.inv_freq")  # in old files, and never read


@dataclass(frozen=True, slots=True)
class Shape:
    """What the fields of a configuration say, in one form for all architectures."""

    family: str
    vocabulary: int
    width: int
    inner: int  # the width inside the feed-forward part
    layers: int
    heads: int
    pairs: int  # heads of keys and values
    head: int  # the width of a head
    context: int
    epsilon: float  # of the norms
    activation: str
    bias: bool  # in attention
    inner_bias: bool  # in the feed-forward part
    parallel: bool  # whether the feed-forward part reads what attention reads
    tied: bool  # whether the head has the weights of the embedding
    rope: Mapping[str, float | str]


def read_shape(config: Mapping[str, Any]) -> Shape | None:
    """Return the shape that a configuration describes; None if it says anything that is not known here."""
    family = config.get("model_type")
    if family not in ARCHITECTURES or config.get("architectures") != [ARCHITECTURES[family]]:
        return None
    if config.keys() - FIELDS[family] - WITHOUT_EFFECT - FIXED.keys():
        return None
    if any(config.get(name, value) not in (value, None) for name, value in FIXED.items()):
        return None
    layers, layer_types = config.get("num_hidden_layers"), config.get("layer_types")
    if layer_types is not None and layer_types != ["full_attention"] * int(layers or 0):
        return None
    rope = _read_rope(config, family)
    try:
        heads, width = config["num_attention_heads"], config["hidden_size"]
        neox = family == "gpt_neox"
        shape = Shape(
            family=family,
            vocabulary=config["vocab_size"],
            width=width,
            inner=config["intermediate_size"],
            layers=config["num_hidden_layers"],
            heads=heads,
            pairs=heads if neox else config.get("num_key_value_heads") or (heads if family == "llama" else 0),
            head=config["head_dim"] if family == "qwen3" else config.get("head_dim") or width // heads,
            context=config["max_position_embeddings"],
            epsilon=config.get("layer_norm_eps", 1e-5) if neox else config["rms_norm_eps"],
            activation=config["hidden_act"],
            bias=config.get("attention_bias", neox),
            inner_bias=neox or config.get("mlp_bias", False),
            parallel=neox and config.get("use_parallel_residual", True),
            tied=config.get("tie_word_embeddings", False),
            rope=rope or {},
        )
    except (KeyError, TypeError, ZeroDivisionError):
        return None
    return shape if rope is not None and _makes_sense(shape) else None


def _makes_sense(shape: Shape) -> bool:
    """Whether the values have the types and relations that the forward pass relies on."""
    numbers = (shape.vocabulary, shape.width, shape.inner, shape.layers, shape.heads, shape.pairs, shape.head)
    switches = (shape.bias, shape.inner_bias, shape.parallel, shape.tied)
    return (
        all(type(number) is int and number > 0 for number in (*numbers, shape.context))
        and all(isinstance(switch, bool) for switch in switches)
        and isinstance(shape.epsilon, float)
        and shape.activation in ACTIVATIONS
        and shape.heads % shape.pairs == 0
        and (shape.width % shape.heads == 0 or shape.family == "qwen3")
        and shape.head % 2 == 0
    )


def _read_rope(config: Mapping[str, Any], family: str) -> dict[str, float | str] | None:
    """Return the parameters of the rotary embedding, from the places where versions of transformers put them."""
    given = [config[name] for name in ("rope_parameters", "rope_scaling") if config.get(name)]
    if len(given) > 1 or not all(isinstance(one, dict) for one in given):
        return None
    rope = dict(given[0]) if given else {}
    kinds = {rope.pop(name) for name in ("rope_type", "type") if isinstance(rope.get(name), str)} or {"default"}
    theta, part = ("rotary_emb_base", "rotary_pct") if family == "gpt_neox" else ("rope_theta", "")
    rope.setdefault("rope_theta", config.get(theta, 10_000.0))
    rope.setdefault("partial_rotary_factor", config.get(part, 0.25 if family == "gpt_neox" else 1.0))
    # names of other versions for the same two must not say anything else
    for name, other in (("rope_theta", "rope_theta"), ("partial_rotary_factor", "partial_rotary_factor")):
        if config.get(other, rope[name]) != rope[name]:
            return None
    kind = kinds.pop()
    needed = {"default": set(), "linear": {"factor"}}
    needed["llama3"] = {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"}
    wanted = {"rope_theta", "partial_rotary_factor"} | needed.get(kind, set())
    if kinds or kind not in needed or rope.keys() != wanted:
        return None
    if not all(type(value) in (int, float) and value > 0 for value in rope.values()):
        return None
    if family != "gpt_neox" and rope["partial_rotary_factor"] != 1:
        return None
    return {"kind": kind, **rope}


def read_weights(folder: Path, shape: Shape, dtype: torch.dtype) -> Weights | None:
    """Read the weights of a folder in a floating-point type; None unless they are exactly those of the shape."""
    from safetensors import SafetensorError, safe_open

    files = [folder / "model.safetensors"]
    if not files[0].is_file():
        index = read_object(folder / "model.safetensors.index.json") or {}
        places = index.get("weight_map")
        if not isinstance(places, dict):
            return None
        files = [folder / str(name) for name in sorted(set(places.values()))]
    weights: Weights = {}
    try:
        for file in files:
            with safe_open(file, framework="pt") as opened:
                if (opened.metadata() or {}).get("format") != "pt":
                    return None
                for name in opened.keys():  # noqa: SIM118  # it is no dictionary
                    if not name.endswith(LEFT_OVER):
                        weights[name.replace(OLD_HEAD, HEAD)] = opened.get_tensor(name)
    except (OSError, SafetensorError):
        return None
    if shape.tied:
        embedding = weights.get(_embedding(shape))
        if embedding is None or not torch.equal(weights.setdefault(HEAD, embedding), embedding):
            return None
    if {name: tuple(tensor.shape) for name, tensor in weights.items()} != _sizes(shape):
        return None
    if any(tensor.dtype not in (torch.float32, torch.float16, torch.bfloat16) for tensor in weights.values()):
        return None
    return {name: tensor.to(dtype) for name, tensor in weights.items()}


def _embedding(shape: Shape) -> str:
    return "gpt_neox.embed_in.weight" if shape.family == "gpt_neox" else "model.embed_tokens.weight"


def _norm_names(shape: Shape) -> tuple[str, str]:
    """Return where the layers are, and the name of the norm after them."""
    return (
        ("gpt_neox.layers", "gpt_neox.final_layer_norm")
        if shape.family == "gpt_neox"
        else ("model.layers", "model.norm")
    )


def _sizes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the names and sizes of all weights."""
    width, inner, queries, pairs = shape.width, shape.inner, shape.heads * shape.head, shape.pairs * shape.head
    neox = shape.family == "gpt_neox"
    layer: dict[str, tuple[tuple[int, ...], bool]] = {  # sizes, and whether there is a bias
        "input_layernorm": ((width,), neox),
        "post_attention_layernorm": ((width,), neox),
    }
    if neox:
        layer |= {
            "attention.query_key_value": ((3 * width, width), shape.bias),
            "attention.dense": ((width, width), shape.bias),
            "mlp.dense_h_to_4h": ((inner, width), True),
            "mlp.dense_4h_to_h": ((width, inner), True),
        }
    else:
        inward = shape.bias or shape.family == "qwen2"
        layer |= {
            "self_attn.q_proj": ((queries, width), inward),
            "self_attn.k_proj": ((pairs, width), inward),
            "self_attn.v_proj": ((pairs, width), inward),
            "self_attn.o_proj": ((width, queries), shape.bias),
            "mlp.gate_proj": ((inner, width), shape.inner_bias),
            "mlp.up_proj": ((inner, width), shape.inner_bias),
            "mlp.down_proj": ((width, inner), shape.inner_bias),
        }
    if shape.family == "qwen3":
        layer |= {f"self_attn.{name}_norm": ((shape.head,), False) for name in "qk"}
    layers, last = _norm_names(shape)
    parts = {f"{layers}.{n}.{name}": part for n in range(shape.layers) for name, part in layer.items()}
    parts[last] = ((width,), neox)
    sizes = {f"{name}.weight": size for name, (size, _) in parts.items()}
    sizes |= {f"{name}.bias": size[:1] for name, (size, bias) in parts.items() if bias}
    table = (shape.vocabulary, width)
    return sizes | {_embedding(shape): table, HEAD: table}


def frequencies(shape: Shape) -> torch.Tensor:
    """Return the frequencies of the rotary embedding, one for each pair of dimensions that is turned."""
    rope = {name: value for name, value in shape.rope.items() if not isinstance(value, str)}
    size = int(shape.head * rope["partial_rotary_factor"])
    plain = 1.0 / (rope["rope_theta"] ** (torch.arange(0, size, 2, dtype=torch.float) / size))
    if shape.rope["kind"] == "default":
        return plain
    slow = plain / rope["factor"]
    if shape.rope["kind"] == "linear":
        return slow
    # llama3: short waves stay, long ones are slowed down, and those in between are mixed
    low, high, length = rope["low_freq_factor"], rope["high_freq_factor"], rope["original_max_position_embeddings"]
    waves = 2 * math.pi / plain
    share = (length / waves - low) / (high - low)
    between = (1 - share) * slow + share * plain
    return torch.where(waves < length / high, plain, torch.where(waves > length / low, slow, between))


@dataclass(frozen=True, slots=True)
class NativeConfig:
    """The fields of config.json, with those that a causal model asks for by name."""

    fields: Mapping[str, Any]
    max_position_embeddings: int
    vocab_size: int

    def to_dict(self) -> dict[str, Any]:
        """Return all fields."""
        return dict(self.fields)


@dataclass
class NativeNetwork:
    """A network of one of the architectures, which `causal` can run like one of transformers."""

    config: NativeConfig
    base_model: "NativeBody"
    head: torch.nn.Linear

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.head.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """The type of the weights."""
        return self.head.weight.dtype

    def to(self, device: torch.device) -> None:
        """Move the weights to a device."""
        weights = self.base_model.weights
        for name, tensor in weights.items():
            weights[name] = tensor.to(device)
        if self.base_model.shape.tied:
            weights[HEAD] = weights[_embedding(self.base_model.shape)]
        self.base_model.turns = self.base_model.turns.to(device)
        self.head.weight = torch.nn.Parameter(weights[HEAD], requires_grad=False)

    def state_dict(self) -> Weights:
        """Return the weights by their names."""
        return self.base_model.weights

    def parameters(self) -> Iterator[torch.Tensor]:
        """Yield the weights; those of a head that is tied to the embedding are there once, as in transformers."""
        yield from {id(tensor): tensor for tensor in self.base_model.weights.values()}.values()

    def get_output_embeddings(self) -> torch.nn.Linear:
        """Return the head."""
        return self.head

    def __call__(self, **inputs: Any) -> Any:
        """Return the logits of all positions."""
        return SimpleNamespace(logits=self.head(self.base_model(**inputs).last_hidden_state))


@dataclass
class NativeBody:
    """A network without its head."""

    shape: Shape
    weights: Weights
    turns: torch.Tensor  # frequencies of the rotary embedding

    @property
    def dtype(self) -> torch.dtype:
        """The type of the weights."""
        return self.weights[HEAD].dtype

    def __call__(self, **inputs: Any) -> Any:
        """Return the last hidden states, with what `forward` takes."""
        return self.forward(**inputs)

    def forward(
        self,
        *,
        input_ids: torch.Tensor,
        position_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        use_cache: bool = False,
    ) -> Any:
        """Run rows of tokens; without positions and mask, every row is one sequence. There is no cache to use."""
        return SimpleNamespace(last_hidden_state=self.hidden(input_ids, position_ids, attention_mask))

    def hidden(
        self, tokens: torch.Tensor, depths: torch.Tensor | None = None, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the input of the head for rows of tokens; without depths and mask, every row is one sequence."""
        if depths is None:
            depths = torch.arange(tokens.shape[1], device=tokens.device)[None]
        # an angle for every head, so that turning is a product of plain arrays
        angles = (depths[..., None].float() * self.turns)[:, :, None].expand(-1, -1, self.shape.heads, -1)
        rotation = (angles.cos().to(self.dtype), angles.sin().to(self.dtype))
        table, again = self.weights[_embedding(self.shape)], None
        if tokens.device.type == "cpu":  # what the first layer does to tokens before they meet is done once for each
            tokens, again = torch.unique(tokens, return_inverse=True)
        states = functional.embedding(tokens, table)
        layers, last = _norm_names(self.shape)
        for number in range(self.shape.layers):
            states = self._layer(f"{layers}.{number}.", states, again, rotation, mask)
            again = None
        return self._norm(last, states)

    def _layer(
        self,
        name: str,
        states: torch.Tensor,
        again: torch.Tensor | None,
        rotation: tuple[torch.Tensor, torch.Tensor],
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """Run a layer; `again` are the numbers of the states at each position, if those of equal tokens are shared."""
        queries, keys, values = self._project(name, self._norm(f"{name}input_layernorm", states))
        beside = self._feed(name, states) if self.shape.parallel else None
        if again is not None:
            queries, keys, values, states = queries[again], keys[again], values[again], states[again]
            beside = None if beside is None else beside[again]
        attended = self._attend(name, queries, keys, values, rotation, mask)
        if beside is not None:
            return beside.add_(attended).add_(states)
        states = attended.add_(states)
        return self._feed(name, states).add_(states)

    def _project(self, name: str, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return queries, keys and values, by heads."""
        shape = self.shape
        if shape.family == "gpt_neox":
            joint = self._linear(f"{name}attention.query_key_value", states)
            joint = joint.view(*joint.shape[:-1], shape.heads, 3, shape.head)
            return joint[..., 0, :], joint[..., 1, :], joint[..., 2, :]
        parts = [self._linear(f"{name}self_attn.{part}_proj", states) for part in "qkv"]
        queries, keys, values = (part.view(*part.shape[:-1], -1, shape.head) for part in parts)
        if shape.family == "qwen3":
            queries = self._norm(f"{name}self_attn.q_norm", queries)
            keys = self._norm(f"{name}self_attn.k_norm", keys)
        return queries, keys, values

    def _attend(
        self,
        name: str,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        rotation: tuple[torch.Tensor, torch.Tensor],
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        for states in (queries, keys):
            _turn(states, *rotation)
        if self.shape.pairs != self.shape.heads:
            times = self.shape.heads // self.shape.pairs
            keys, values = keys.repeat_interleave(times, 2), values.repeat_interleave(times, 2)
        seen = _attention(queries.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2), mask)
        dense = "attention.dense" if self.shape.family == "gpt_neox" else "self_attn.o_proj"
        return self._linear(f"{name}{dense}", seen.transpose(1, 2).flatten(2))

    def _feed(self, name: str, states: torch.Tensor) -> torch.Tensor:
        """Return what the feed-forward part adds to states."""
        states, act = self._norm(f"{name}post_attention_layernorm", states), ACTIVATIONS[self.shape.activation]
        if self.shape.family == "gpt_neox":
            return self._linear(f"{name}mlp.dense_4h_to_h", act(self._linear(f"{name}mlp.dense_h_to_4h", states)))
        gate = act(self._linear(f"{name}mlp.gate_proj", states))
        return self._linear(f"{name}mlp.down_proj", gate.mul_(self._linear(f"{name}mlp.up_proj", states)))

    def _linear(self, name: str, states: torch.Tensor) -> torch.Tensor:
        return functional.linear(states, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"))

    def _norm(self, name: str, states: torch.Tensor) -> torch.Tensor:
        """Normalise states, as LayerNorm where there is a bias, otherwise by their root mean square in fp32."""
        weight, bias = self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias")
        if bias is not None:
            return functional.layer_norm(states, weight.shape, weight, bias, self.shape.epsilon)
        exact = states.float()
        scale = exact.square().mean(-1, keepdim=True).add_(self.shape.epsilon).rsqrt_()
        return weight * (exact * scale).to(states.dtype)


def _turn(states: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> None:
    """Turn the first dimensions of each head, in place: the n-th of their first half with the n-th of the second."""
    size, heads = cosines.shape[-1], states.shape[-2]
    cosines, sines = cosines[:, :, :heads], sines[:, :, :heads]
    first, second = states[..., :size].contiguous(), states[..., size : 2 * size].contiguous()
    states[..., :size] = torch.addcmul(first * cosines, second, sines, value=-1)
    states[..., size : 2 * size] = torch.addcmul(second * cosines, first, sines)


def _attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor | None
) -> torch.Tensor:
    """Attend to earlier positions, all of them or those of a mask.

    A mask costs as much for positions that are not seen, so on a CPU a row is done in parts, each of which leaves out
    the positions after it. That saves a quarter of the time, and gives the same bits.
    """
    length = queries.shape[2]
    if mask is None:
        return functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    if queries.device.type != "cpu" or length < 64:
        return functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
    ends = [length * part // 4 for part in range(5)]
    parts = [
        functional.scaled_dot_product_attention(
            queries[:, :, start:end], keys[:, :, :end], values[:, :, :end], attn_mask=mask[:, :, start:end, :end]
        )
        for start, end in pairwise(ends)
    ]
    return torch.cat(parts, 2)


def load_network(folder: Path, config: Mapping[str, Any], *, dtype: torch.dtype) -> NativeNetwork | None:
    """Load the network of a folder; None if anything about it is not known here."""
    shape = read_shape(config)
    if shape is None or (folder / "adapter_config.json").exists():
        return None
    weights = read_weights(folder, shape, dtype)
    if weights is None:
        return None
    head = torch.nn.Linear(shape.width, shape.vocabulary, bias=False, device="meta")  # its own weights are not needed
    head.weight = torch.nn.Parameter(weights[HEAD], requires_grad=False)
    described = NativeConfig(config, shape.context, shape.vocabulary)
    return NativeNetwork(described, NativeBody(shape, weights, frequencies(shape)), head)
