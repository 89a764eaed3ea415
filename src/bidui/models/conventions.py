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

from bidui.errors import Place, fail

DECLARATION = "bidui.json"


@dataclass(frozen=True, slots=True)
class Special:
    """The ids of the special tokens that a tokenizer has."""

    bos: int | None = None
    eos: int | None = None
    cls: int | None = None
    sep: int | None = None
    unk: int | None = None


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


def decide(
    special: Special, *, bos: str | None = None, eos: bool = False, declaration: Mapping[str, object] | None = None
) -> Conventions:
    """Decide the conventions for a causal model; `bos` is None (by rule), `none`, `bos`, `eos`, or an id."""
    end = special.eos if eos else None
    if eos and end is None:
        raise fail("no-eos", Place(), {})
    if bos is not None:
        return Conventions(_token(special, bos), end, "asked for")
    if declaration and "bos" in declaration:
        value = declaration["bos"]
        return Conventions(
            None if value in (None, "none") else _token(special, str(value)), end, "declared by the model"
        )
    if special.bos is not None:
        return Conventions(special.bos, end, "the tokenizer's BOS")
    if special.eos is not None:
        return Conventions(special.eos, end, "EOS, since the tokenizer has no BOS")
    return Conventions(None, end, "none, since the tokenizer has neither BOS nor EOS; the first token is not scored")


def _token(special: Special, bos: str) -> int | None:
    if bos == "none":
        return None
    if bos.isdigit():
        return int(bos)
    token = {"bos": special.bos, "eos": special.eos, "cls": special.cls}.get(bos)
    if token is None:
        raise fail("no-bos", Place(), {"bos": bos})
    return token


def declaration_of(folder: Path | None) -> dict[str, object]:
    """Read what a checkpoint declares in `bidui.json`; empty if there is no such file."""
    file = folder / DECLARATION if folder else None
    if file is None or not file.is_file():
        return {}
    try:
        declaration = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise fail("declaration-unreadable", Place(str(file)), {"reason": str(error)}) from error
    if not isinstance(declaration, dict):
        raise fail("declaration-unreadable", Place(str(file)), {"reason": "not an object"})
    return declaration
