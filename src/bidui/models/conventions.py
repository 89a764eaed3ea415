"""Conventions: what stands before and after a sentence, and which tokens are scored; declared, never an accident.

The rule, in this order:

1. what the user sets (`--bos`, `--eos`);
2. what the checkpoint declares in `bidui.json`, which our training writes;
3. the tokenizer's BOS; for a masked model its CLS and SEP;
4. the tokenizer's EOS instead of BOS, as the papers do for models that have none;
5. nothing: then the first token has nothing to be predicted from and is not scored.

EOS is scored only with `--eos`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bidui.errors import Place, fail
from bidui.models.model import Declared

if TYPE_CHECKING:  # importing transformers takes longer than a small model
    from transformers import PreTrainedTokenizerBase

DECLARATION = "bidui.json"


@dataclass(frozen=True, slots=True)
class Conventions:
    """The token before the sentence, the one after it, and the rule that decided."""

    bos: int | None
    eos: int | None = None  # scored at the end, if there is one
    rule: str = ""

    @property
    def first_scored(self) -> bool:
        """Whether the first token of a sentence has a score."""
        return self.bos is not None

    def declared(self, tokenizer: "PreTrainedTokenizerBase") -> Declared:
        """Return what a model declares about them."""
        return {
            "bos": None if self.bos is None else str(tokenizer.convert_ids_to_tokens(self.bos)),
            "bos_rule": self.rule,
            "eos": self.eos is not None,
            "first_token": self.first_scored,
        }


def decide(
    tokenizer: "PreTrainedTokenizerBase",
    *,
    bos: str | None = None,
    eos: bool = False,
    declaration: Mapping[str, object] | None = None,
    vocabulary: int | None = None,
) -> Conventions:
    """Decide the conventions for a causal model; `bos` is None (by rule), `none`, `bos`, `eos`, or an id.

    An id that a model with a vocabulary of that size does not have is refused.
    """
    end = tokenizer.eos_token_id if eos else None
    if eos and end is None:
        raise fail("no-eos", Place(), {})
    if bos is not None:
        return Conventions(_token(tokenizer, bos, vocabulary), end, "asked for")
    if declaration and "bos" in declaration:
        value = "none" if declaration["bos"] is None else str(declaration["bos"])
        return Conventions(_token(tokenizer, value, vocabulary), end, "declared by the model")
    if tokenizer.bos_token_id is not None:
        return Conventions(tokenizer.bos_token_id, end, "the tokenizer's BOS")
    if tokenizer.eos_token_id is not None:
        return Conventions(tokenizer.eos_token_id, end, "EOS, since the tokenizer has no BOS")
    return Conventions(None, end, "none, since the tokenizer has neither BOS nor EOS; the first token is not scored")


def _token(tokenizer: "PreTrainedTokenizerBase", bos: str, vocabulary: int | None) -> int | None:
    if bos == "none":
        return None
    if bos.isdecimal() and (vocabulary is None or int(bos) < vocabulary):
        return int(bos)
    token = getattr(tokenizer, f"{bos}_token_id") if bos in ("bos", "eos", "cls") else None
    if not isinstance(token, int):
        raise fail("no-bos", Place(), {"bos": bos})
    return token


def declaration_of(folder: Path) -> dict[str, object]:
    """Read what a checkpoint declares in `bidui.json`; empty if there is no such file."""
    file = folder / DECLARATION
    if not file.is_file():
        return {}
    try:
        declaration = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(declaration, dict):
            raise ValueError("not an object")
    except (OSError, ValueError) as error:
        raise fail("declaration-unreadable", Place(str(file)), {"reason": str(error)}) from error
    return declaration
