"""The token-score table: every token of every sentence of a paradigm's pairs, as a model scored it.

A row is a sentence, its tokens are lists: that is a third of the size of a row a token, and as quick to sum.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.models.model import TokenScores
from bidui.pairs import Pair
from bidui.scores.links import Floats, Totals

LengthUnit = Literal["tokens", "characters", "bytes"]

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "uid": pl.String,
    "phenomenon": pl.String,
    "pair": pl.Int32,
    "side": pl.Enum(["good", "bad"]),
    "sentence": pl.String,
    "tokens": pl.List(pl.String),
    "ids": pl.List(pl.Int32),
    "starts": pl.List(pl.Int32),
    "ends": pl.List(pl.Int32),
    "logprobs": pl.List(pl.Float32),
}


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Token scores of pairs by one model; two rows a pair, good first."""

    frame: pl.DataFrame

    def totals(self, *, unit: LengthUnit = "tokens", unigrams: Floats | None = None) -> Totals:
        """LP, length and (given unigram log-probabilities by id) U of every sentence."""
        lp = self.frame["logprobs"].list.eval(pl.element().cast(pl.Float64)).list.sum().to_numpy()
        return Totals(lp, self.lengths(unit), None if unigrams is None else self._unigrams(unigrams))

    def lengths(self, unit: LengthUnit = "tokens") -> Floats:
        """The length of every sentence."""
        if unit == "tokens":
            found = self.frame["logprobs"].list.len()
        elif unit == "characters":
            found = self.frame["sentence"].str.len_chars()
        else:
            found = self.frame["sentence"].str.len_bytes()
        return found.cast(pl.Float64).to_numpy()

    def _unigrams(self, unigrams: Floats) -> Floats:
        """Summed row by row, so that sentences of the same tokens get the same sum wherever they stand."""
        counts = self.frame["ids"].list.len().to_numpy()
        ids = self.frame["ids"].explode().drop_nulls().to_numpy()  # of a sentence without tokens, a null
        if len(ids) and (ids.min() < 0 or ids.max() >= len(unigrams)):
            raise fail("unigrams-too-few", Place(), {"known": len(unigrams), "token": int(ids.max())})
        rows = np.repeat(np.arange(len(counts)), counts)
        return np.bincount(rows, weights=unigrams[ids], minlength=len(counts)).astype(np.float64)

    def sides(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows of the good and of the bad sentences, pair by pair."""
        return np.arange(0, len(self.frame), 2), np.arange(1, len(self.frame), 2)


def score_table(pairs: Sequence[Pair], scores: Iterable[TokenScores], texts: dict[int, str]) -> ScoreTable:
    """The table of pairs from the scores of their sentences, good and bad in turn."""
    found = list(scores)
    frame = pl.DataFrame(
        {
            "uid": [pair.uid for pair in pairs for _ in range(2)],
            "phenomenon": [pair.phenomenon for pair in pairs for _ in range(2)],
            "pair": [pair.pair_id for pair in pairs for _ in range(2)],
            "side": ["good", "bad"] * len(pairs),
            "sentence": [score.sentence for score in found],
            "row": np.arange(len(found)),
        },
        schema={**{name: SCHEMA[name] for name in ("uid", "phenomenon", "pair", "side", "sentence")}, "row": pl.Int64},
    )
    joined = frame.join(_lists(found, texts), on="row", how="left", maintain_order="left")
    empty = [pl.col(name).fill_null([]) for name in ("tokens", "ids", "starts", "ends", "logprobs")]
    return ScoreTable(joined.with_columns(empty).select(list(SCHEMA)).cast(SCHEMA))  # type: ignore[arg-type]


def _lists(found: Sequence[TokenScores], texts: dict[int, str]) -> pl.DataFrame:
    """Every sentence's tokens as lists; all tokens are grouped at once, which is quicker than a list at a time."""
    lengths = [len(score) for score in found]
    ids = np.concatenate([score.ids for score in found]) if found else np.zeros(0, np.int32)
    known = np.array(sorted(texts), np.int64)
    tokens = pl.Series("tokens", [texts[number] for number in known.tolist()], pl.String)
    flat = pl.DataFrame(
        {
            "row": np.repeat(np.arange(len(found)), lengths),
            "tokens": tokens.gather(np.searchsorted(known, ids)),
            "ids": ids,
            "starts": np.concatenate([score.starts for score in found]) if found else ids,
            "ends": np.concatenate([score.ends for score in found]) if found else ids,
            "logprobs": np.concatenate([score.logprobs for score in found]) if found else ids.astype(np.float32),
        },
        schema_overrides={"row": pl.Int64},
    )
    return flat.group_by("row", maintain_order=True).agg(pl.exclude("row"))


def table_bytes(table: ScoreTable) -> bytes:
    """The table as a Parquet file."""
    out = io.BytesIO()
    table.frame.write_parquet(out, compression="zstd", statistics=False)
    return out.getvalue()


def read_table(path: Path) -> ScoreTable:
    """The table in a Parquet file."""
    try:
        frame = pl.read_parquet(path, glob=False)  # brackets in a name are no pattern
    except (OSError, pl.exceptions.PolarsError) as error:
        raise fail("scores-unreadable", Place(str(path)), {"reason": str(error).split("\n")[0]}) from error
    missing = sorted(SCHEMA.keys() - set(frame.columns))
    if missing:
        raise fail("scores-columns", Place(str(path)), {"missing": missing})
    return ScoreTable(frame.select(list(SCHEMA)))
