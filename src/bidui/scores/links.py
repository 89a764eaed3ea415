"""Linking functions turn the token scores of sentences into one acceptability score each.

LP(x) is the sum of the log-probabilities of a sentence's tokens, U(x) that of their unigram log-probabilities, |x| the
length. The formulas are those of Liu et al. (ZhoBLiMP), section 4, with the sources they name. Each is written once,
over columns, so that a table of a million sentences and a single one are scored by the same code.

To add a linking function, write it here and enter it in `LINKS`: commands, reports and `choose` take it by that name.
A function of one's own needs no entry: it is given as it is, or as `module:function` or `file.py:function`.
"""

import importlib
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from bidui.errors import BiduiError, Place, fail
from bidui.files import file_hash
from bidui.notebooks import counted

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
    sha256: str = ""  # of the file that it was read from, if it is the user's own


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
    """Return the linking function of a name and its numbers: `lp`, `pen_lp:0.8`, `morcela:0.6,18`, `slln:0.5`.

    `module:function` and `file.py:function` are functions of your own, which take `Totals` and return one number per
    sentence; or a `Link`, which can say that it needs unigrams. The module or file is run.
    """
    name, colon, numbers = text.partition(":")
    if name not in LINKS:
        if colon:
            return _own_link(text)
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
    return link if isinstance(link, Link) else _checked(Link(getattr(link, "__name__", "custom"), link))


def as_links(links: AnyLink | Sequence[AnyLink]) -> tuple[Link, ...]:
    """Return one or several linking functions; a name given twice counts once, and two cannot share a name."""
    by_name: dict[str, Link] = {}
    origins: dict[str, object] = {}
    for given in [links] if isinstance(links, str | Link) or callable(links) else links:
        link = as_link(given)
        origin = (link.sha256 or link.name) if isinstance(given, str) else given
        if origins.setdefault(link.name, origin) != origin:
            raise fail("link-twice", Place(), {"link": link.name})
        by_name.setdefault(link.name, link)
    return tuple(by_name.values())


def _own_link(text: str) -> Link:
    """Load `module:function` or `file.py:function`; the name in tables has no folders: links:mine."""
    source, _, name = text.rpartition(":")  # a path may have a colon of its own
    if not source or not name.isidentifier():
        raise fail("link-unknown", Place(), {"link": text, "known": list(LINKS)})
    module = _load_file(Path(source), text) if source.endswith(".py") else _load_module(source, text)
    if not hasattr(module, name):
        functions = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise fail("link-no-function", Place(source), {"function": name, "known": functions})
    value = getattr(module, name)
    if not isinstance(value, Link) and not callable(value):
        raise fail("link-not-function", Place(source), {"function": name, "value": repr(value)})
    link = value if isinstance(value, Link) else Link(name, value)
    file = getattr(module, "__file__", None)
    label = f"{Path(source).stem if source.endswith('.py') else source}:{name}"
    return _checked(replace(link, name=label, sha256=file_hash(Path(file)) if file else ""))


def _load_file(path: Path, text: str) -> ModuleType:
    if not path.is_file():
        raise fail("link-no-file", Place(), {"link": text, "path": str(path)})
    spec = spec_from_file_location(f"bidui_link_{path.stem}", path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses in the file look themselves up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the user's own code raises
        raise fail("link-broken", _line(error, str(path)), {"link": text, "reason": _reason(error)}) from error
    return module


def _load_module(name: str, text: str) -> ModuleType:
    """Import a module that is installed or in the current folder, which the `bidui` program does not search itself."""
    here = str(Path.cwd())
    added = here not in sys.path and "" not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        try:
            found = find_spec(name)
        except (ImportError, ValueError, AttributeError):  # no such parent, or a name such as ..x
            found = None
        if found is None:
            raise fail("link-no-module", Place(), {"link": text, "module": name, "known": list(LINKS)})
        return importlib.import_module(name)
    except BiduiError:
        raise
    except Exception as error:
        raise fail("link-broken", _line(error, name), {"link": text, "reason": _reason(error)}) from error
    finally:
        if added:
            sys.path.remove(here)


def _checked(link: Link) -> Link:
    """Return the user's own function with its errors reported, and its result checked before anything is made of it."""

    def score(totals: Totals) -> Floats:
        try:
            result = link.score(totals)
        except BiduiError:
            raise
        except Exception as error:
            raise fail("link-raised", _line(error, ""), {"link": link.name, "reason": _reason(error)}) from error
        try:
            values = np.asarray(result, np.float64)
        except (TypeError, ValueError):
            raise fail("link-result", Place(), {"link": link.name, "type": type(result).__name__}) from None
        if values.shape != totals.logprob.shape:
            shape = "a single number" if values.ndim == 0 else f"an array of shape {values.shape}"
            raise fail("link-shape", Place(), {"link": link.name, "shape": shape, "count": len(totals.logprob)})
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values))[0])
            numbers = {"logprob": f"{totals.logprob[at]:g}", "length": f"{totals.length[at]:g}"}
            raise fail("link-not-finite", Place(), {"link": link.name, "value": f"{values[at]:g}", **numbers})
        return values

    return replace(link, score=score)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _line(error: Exception, file: str) -> Place:
    """Return the last line of the user's own code that was run, or the place of a syntax error."""
    if isinstance(error, SyntaxError):
        return Place(error.filename or file, error.lineno or 0)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    own = [frame for frame in frames if not frame.filename.startswith("<") and "site-packages" not in frame.filename]
    return Place(own[-1].filename, own[-1].lineno or 0) if own else Place(file)


def worth(good: Floats, bad: Floats) -> Floats:
    """Return 1 where the good score is higher, 0.5 where the two are equal, and 0 where the bad one is higher."""
    return np.where(good > bad, 1.0, np.where(good == bad, 0.5, 0.0))


def _named(name: str, usual: float, value: float) -> str:
    return name if value == usual else f"{name}:{value:g}"


def _unigram(totals: Totals) -> Floats:
    if totals.unigram is None:
        raise fail("no-unigrams", Place(), {})
    return totals.unigram
