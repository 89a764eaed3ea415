"""Linking functions turn the token scores of sentences into one acceptability score each.

LP(x) is the sum of the log-probabilities of a sentence's tokens, U(x) that of their unigram log-probabilities, |x| the
length. The formulas are those of Liu et al. (ZhoBLiMP), section 4, with the sources they name. Each is written once,
over columns, so that a table of a million sentences and a single one are scored by the same code.

To add a linking function, write it here and enter it in `LINKS`: commands, reports and `choose` take it by that name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.frames import counted

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class Totals:
    """LP, |x| and, if unigrams are known, U of each sentence."""

    logprob: Floats
    length: Floats
    unigram: Floats | None = None

    def __repr__(self) -> str:
        unigrams = "" if self.unigram is None else ", with unigrams"
        return f"Totals of {counted(np.size(self.logprob), 'sentence')}{unigrams}"


@dataclass(frozen=True, slots=True)
class Link:
    """A linking function with the name that tables print and files store."""

    name: str
    score: Callable[[Totals], Floats]
    needs_unigrams: bool = False


def lp() -> Link:
    """LP: the log-probability itself."""
    return Link("lp", lambda x: x.logprob)


def mean_lp() -> Link:
    """LP / |x| (Lau, Clark and Lappin 2017); orders sentences as perplexity does, reversed."""
    return Link("mean_lp", lambda x: x.logprob / x.length)


def pen_lp(alpha: float = 0.8) -> Link:
    """LP / ((5 + |x|) / (5 + 1))^alpha (Lau et al. 2020, after Wu et al. 2016)."""
    return Link(_named("pen_lp", 0.8, alpha), lambda x: x.logprob / ((5 + x.length) / 6) ** alpha)


def slor() -> Link:
    """(LP - U) / |x|: the sentence compared with its words alone (Pauls and Klein 2012; Lau et al. 2017)."""
    return Link("slor", lambda x: (x.logprob - _unigram(x)) / x.length, needs_unigrams=True)


def morcela(beta: float = 1.0, gamma: float = 0.0) -> Link:
    """(LP - beta U + gamma) / |x| (Tjuatja et al. 2025); SLOR is beta 1, gamma 0."""
    name = f"morcela:{beta:g},{gamma:g}"
    return Link(name, lambda x: (x.logprob - beta * _unigram(x) + gamma) / x.length, needs_unigrams=True)


def slln_lp(alpha: float = 0.5) -> Link:
    """Sub-linear length normalisation, LP / |x|^alpha (Liu et al., section 4.3).

    alpha = 0 is LP and alpha = 1 is mean LP; 0.5 was least biased for Chinese.
    """
    return Link(f"slln:{alpha:g}", lambda x: x.logprob / x.length**alpha)


def log_norm_lp() -> Link:
    """LP / log(|x| + 1), natural logarithm."""
    return Link("log_norm", lambda x: x.logprob / np.log(x.length + 1))


LINKS: dict[str, Callable[..., Link]] = {
    "lp": lp,
    "mean_lp": mean_lp,
    "pen_lp": pen_lp,
    "slor": slor,
    "morcela": morcela,
    "slln": slln_lp,
    "log_norm": log_norm_lp,
}


def parse_link(text: str) -> Link:
    """Return the linking function of a name and its numbers: `lp`, `pen_lp:0.8`, `morcela:0.6,18`, `slln:0.5`."""
    name, _, numbers = text.partition(":")
    if name not in LINKS:
        raise fail("link-unknown", Place(), {"link": text, "known": list(LINKS)})
    make = LINKS[name]
    most = len(signature(make).parameters)
    try:
        values = [float(number) for number in numbers.split(",")] if numbers else []
    except ValueError as error:
        raise fail("link-numbers", Place(), {"link": text, "most": most}) from error
    if len(values) > most or not all(map(np.isfinite, values)):
        raise fail("link-numbers", Place(), {"link": text, "most": most})
    return make(*values)


AnyLink = str | Link | Callable[[Totals], Floats]  # a name such as slln:0.5, or a function


def as_link(link: AnyLink) -> Link:
    """Return a linking function that is given by name, as it is, or as any function of `Totals`."""
    if isinstance(link, str):
        return parse_link(link)
    return link if isinstance(link, Link) else Link(getattr(link, "__name__", "custom"), link)


def as_links(links: AnyLink | Sequence[AnyLink]) -> list[Link]:
    """Return the linking functions that are given, one or several."""
    return [as_link(link) for link in ([links] if isinstance(links, str | Link) or callable(links) else links)]


def worth(good: Floats, bad: Floats) -> Floats:
    """Return 1 where the good score is higher, 0.5 where the two are equal, and 0 where the bad one is higher."""
    return np.where(good > bad, 1.0, np.where(good == bad, 0.5, 0.0))


def _named(name: str, usual: float, value: float) -> str:
    return name if value == usual else f"{name}:{value:g}"


def _unigram(totals: Totals) -> Floats:
    if totals.unigram is None:
        raise fail("no-unigrams", Place(), {})
    return totals.unigram
