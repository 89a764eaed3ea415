"""Model specs, the values of `--model`, and how they are loaded."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl

from bidui.errors import Place, Problem, fail, import_failed
from bidui.files import natural
from bidui.scale.storage import fetched, is_remote, matching, url_of

if TYPE_CHECKING:
    from bidui.models.model import Model

SHIPPED = Path(__file__).parent / "shipped"  # models that come with the package
DEFAULT = "bidui:zh-14m-char"
KINDS = {
    "bidui": "a model that comes with bidui: bidui:zh-14m-char, the default",
    "hf": "a model of transformers: a folder, or a hub name, also with @revision; ?kind=causal|masked|seq2seq,"
    " ?pll=original|within_word_l2r",
    "ngram": "an n-gram model, ARPA or KenLM's binary; ?unit=char|word|jieba|lexicon, ?boundaries=yes|no",
    "lstm": "an LSTM, a folder with lstm.json",
    "given": "log-probabilities from a JSONL file with sentence, tokens and logprobs",
    "api": "a server with /v1/completions that echoes the prompt, such as vLLM: api:http://host:8000?model=NAME,"
    " ?per_second=5; the key is taken from BIDUI_API_KEY",
}
_OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {  # by kind, with their values; those of api are free
    "hf": {"kind": ("causal", "masked", "seq2seq"), "pll": ("original", "within_word_l2r")},
    "ngram": {"unit": ("char", "word", "jieba", "lexicon"), "boundaries": ("yes", "no")},
    "api": {"model": (), "per_second": ()},
}


@dataclass(frozen=True, slots=True)
class Spec:
    """The parts of a spec such as `hf:runs/a@step-10?kind=causal`."""

    kind: str
    name: str
    revision: str | None = None
    options: dict[str, str] = field(default_factory=dict)


def parse_spec(text: str) -> Spec:
    """Parse a spec; without a kind, a folder is `lstm:` or `hf:`, and the suffix of a file decides."""
    kind, colon, rest = text.partition(":")
    if not colon or kind not in KINDS:
        kind, rest = _guess(text), text
    if kind != "api" and is_remote(rest):
        rest = url_of(rest)
    name, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    known = _OPTIONS.get(kind, {})
    for option, value in options.items():
        if option not in known:
            raise fail("spec-option", Place(), {"spec": text, "option": option, "known": sorted(known)})
        if known[option] and value not in known[option]:
            raise fail("spec-value", Place(), {"spec": text, "value": value, "allowed": known[option]})
    revision = None
    if kind == "hf" and "@" in name and not Path(name).exists():
        name, _, revision = name.rpartition("@")
    if not name:
        raise fail("spec-empty", Place(), {"spec": text})
    if kind == "bidui":
        shipped = sorted(path.name for path in SHIPPED.iterdir() if (path / "config.json").is_file())
        if name not in shipped:
            raise fail("spec-not-shipped", Place(), {"name": name, "known": shipped})
        return Spec("hf", str(SHIPPED / name))
    return Spec(kind, name, revision, options)


def _guess(text: str) -> str:
    name = text.partition("?")[0]
    if name.endswith((".arpa", ".arpa.gz", ".binary", ".klm", ".lm")):
        return "ngram"
    if (Path(name) / "lstm.json").is_file():
        return "lstm"
    return "given" if name.endswith(".jsonl") else "hf"


def model_kinds() -> dict[str, str]:
    """Return the kinds of model that a spec may name before its colon, each with a description."""
    return dict(KINDS)


def expand_specs(texts: str | Iterable[str]) -> list[str]:
    """Replace each spec with `*` by one for every folder or file that it matches, in order; no match is an error.

    Without any spec, the model that comes with bidui is taken.
    """
    specs: list[str] = []
    for text in [texts] if isinstance(texts, str) else [*texts] or [DEFAULT]:
        kind, colon, rest = text.partition(":")
        prefix, pattern = (f"{kind}:", rest) if colon and kind in KINDS else ("", text)
        name, mark, query = pattern.partition("?")
        if "*" not in name:
            specs.append(text)
            continue
        root = Path(name).anchor  # a pattern must be relative to something
        found = matching(url_of(name)) if is_remote(name) else Path(root).glob(str(Path(name).relative_to(root)))
        matches = sorted(map(str, found), key=natural)
        if not matches:
            raise fail("spec-no-match", Place(), {"spec": text})
        specs += [f"{prefix}{match}{mark}{query}" for match in matches]
    return list(dict.fromkeys(specs))


# Labels: what a model is called in tables and folders


def short_name(name: str, revision: str | None = None) -> str:
    """Return the name of a model in tables and folders; a checkpoint of ours has the name of its run before it."""
    base = Path(name).resolve().name if Path(name).is_dir() else name.replace("/", "--")
    if base.startswith("step-") and (Path(name) / "training.json").is_file():
        base = f"{Path(name).resolve().parent.name}@{base}"
    return f"{base}@{revision}" if revision else base


def path_labels(text: str, name: str) -> list[str]:
    """Return the name of a model, and longer ones with more and more of its path: final, b--final, runs--b--final."""
    spec = parse_spec(text)
    if spec.kind == "api" or not Path(spec.name).exists():
        return [name]
    parents = Path(spec.name).resolve().parent.parts[1:]
    if parents and name.startswith(f"{parents[-1]}@"):  # a checkpoint has the name of its run already
        parents = parents[:-1]
    return [name, *("--".join((*parents[start:], name)) for start in reversed(range(len(parents))))]


def model_labels(specs: Sequence[str]) -> list[str | None]:
    """Return labels for models that are scored together where their names are the same, and None where they are not.

    Of `runs/a/final` and `runs/b/final`, the labels are `a--final` and `b--final`. Two specs of one model, which differ
    only in their options, have no such labels and are an error.
    """
    choices = [path_labels(spec, _file_name(spec)) for spec in specs]
    labels: list[str | None] = []
    for spec, own in zip(specs, choices, strict=True):
        clashes = [(other, theirs) for other, theirs in zip(specs, choices, strict=True) if theirs[0] == own[0]]
        if same := next((other for other, theirs in clashes if other != spec and theirs == own), None):
            raise fail("labels-same", Place(), {"first": same, "second": spec, "label": own[0]})
        if len(clashes) == 1:
            labels.append(None)
            continue
        others = {label for other, theirs in clashes if other != spec for label in theirs}
        labels.append(next((label for label in own if label not in others), None))
    return labels


def _file_name(text: str) -> str:
    """Return the name that a model will have when it is loaded."""
    spec = parse_spec(text)
    if spec.kind == "api":
        return spec.options.get("model", "").replace("/", "--")
    if spec.kind in ("given", "ngram"):
        return Path(spec.name).stem if spec.kind == "given" else Path(spec.name).name.split(".")[0]
    return short_name(spec.name, spec.revision)


def model_hint(text: str) -> Problem | None:
    """Say, before the model of a spec is loaded, that reading it will be slow, and what to do; usually nothing."""
    spec = parse_spec(text)
    if spec.kind != "ngram":
        return None
    from bidui.models.ngram import large_arpa

    return large_arpa(Path(spec.name))


def _refuse_run(path: Path) -> None:
    """Refuse the folder of a training run, or a checkpoint that it does not have, and name its last checkpoint."""
    run = path if path.is_dir() else path.parent
    steps = sorted((step for step in run.glob("step-*") if step.is_dir()), key=natural)
    if not steps or not (run / "recipe.json").is_file():
        return
    if path.is_dir():
        raise fail("model-is-run", Place(str(path)), {"last": str(steps[-1]), "pattern": str(run / "step-*")})
    raise fail("model-not-step", Place(str(path)), {"last": str(steps[-1])})


def load_model(
    text: str | Path,
    *,
    device: Literal["cpu", "cuda"] | str = "cpu",
    dtype: str = "float32",
    batch_tokens: int | None = None,
    bos: str | None = None,
    eos: bool = False,
    cache: str | Path | None = None,
    trust_remote_code: bool = False,
) -> "Model":
    """Load the model of a spec: `hf:FOLDER`, `ngram:FILE`, `lstm:FOLDER`, `given:FILE`, `api:URL`, `bidui:NAME`.

    `bos` is `bos`, `eos`, `none` or an id, and by default follows `conventions`; with `eos`, the end of the sentence is
    scored too. `cache` is a folder for the answers of a server. With `trust_remote_code`, a model of transformers that
    brings Python code of its own may run it.
    """
    spec = parse_spec(str(text))
    if spec.kind != "api" and is_remote(spec.name):
        spec = replace(spec, name=str(fetched(spec.name)))
    if spec.kind in ("given", "ngram", "api"):
        options = {"--bos": bos is not None, "--eos": eos, "--dtype": dtype != "float32"}
        for option, used in options.items():
            if used:  # it would have no effect, and nobody would know
                raise fail("option-not-for", Place(), {"option": option, "kind": spec.kind})
    if spec.kind == "given":
        from bidui.models.given import load_given

        return load_given(spec.name)
    if spec.kind == "ngram":
        from bidui.models.ngram import load_ngram

        boundaries = {"yes": True, "no": False}.get(spec.options.get("boundaries", ""))
        return load_ngram(spec.name, unit=spec.options.get("unit", "char"), boundaries=boundaries)  # type: ignore[arg-type]
    if spec.kind == "api":
        from bidui.models.api import load_api

        if "model" not in spec.options:
            raise fail("spec-api-model", Place(), {"spec": str(text)})
        value = spec.options.get("per_second", "")
        try:
            rate = float(value) if "per_second" in spec.options else None
        except ValueError:
            rate = 0.0
        if rate is not None and not 0 < rate < float("inf"):
            raise fail("spec-value", Place(), {"spec": str(text), "value": value, "allowed": ("a number above 0",)})
        key = os.environ.get("BIDUI_API_KEY")
        return load_api(
            spec.name, spec.options["model"], key=key, cache=Path(cache) if cache else None, per_second=rate
        )
    _refuse_run(Path(spec.name))
    settings: dict[str, Any] = {"device": device, "dtype": dtype, "bos": bos, "eos": eos, "batch_tokens": batch_tokens}
    try:
        if spec.kind == "lstm":
            from bidui.models.lstm import load_lstm

            return load_lstm(spec.name, **settings)
        from bidui.models.huggingface import load_huggingface

        settings |= {"kind": spec.options.get("kind"), "metric": spec.options.get("pll", "original")}
        return load_huggingface(spec.name, revision=spec.revision, trust_remote_code=trust_remote_code, **settings)
    except ImportError as error:
        raise import_failed(error, extra="lm") from error
