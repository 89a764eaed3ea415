"""Suite files: a suite of training runs as YAML, read with the place of every problem.

    format: 1
    description: Two sizes on two amounts of text, with three seeds each.
    text: books/                         # from which tokenizers and corpora are made; or --text
    tokenizers:
      char: {kind: char, least: 3}       # or kind: word, with a size
      cllama: {source: chinese_llama.model, vocabulary: 49953, corpus: shards/}
    runs:                                # all combinations of each group
    - {sizes: [14m, 70m], tokens: [1M, 10M], seeds: [0, 1, 2], tokenizers: [char]}
    - {sizes: [14m], tokens: [1M], tokenizers: [cllama]}
    train: {batch: 64, peak: 0.001}      # options of `bidui train` for all runs
    score: zhoblimp                      # pairs to score every checkpoint on
    n: 20                                # pairs per paradigm
    speed: {14m: 8000}                   # tokens per second, for the plan

Paths are relative to the file.
"""

import re
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Numbers
from dataclasses import replace
from itertools import product
from pathlib import Path

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.yaml import Fields, Scalar, Sequence, parse_document, read_text
from bidui.grammar.yaml import Mapping as YamlMapping
from bidui.training.recipe import RunRecipe, milestone_steps, token_count
from bidui.training.sizes import SIZES
from bidui.training.suite import PAIRS, PAPER_TOKENIZERS, SEEDS, USUAL, Suite, SuiteRun, SuiteTokenizer, zh_pythia

SHIPPED = Path(__file__).parent / "suites"
PAPER = "zh-pythia"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")  # of a tokenizer, since it is part of the names of folders
# The settings of `train:`, called like the options of `bidui train`.
SETTINGS: dict[str, Callable[[str], int | float | str]] = {
    **{"recipe": str, "milestones": str, "peak": float, "warmup": float},
    **dict.fromkeys(("epochs", "batch", "context"), int),
}


def suite_names() -> list[str]:
    """Return the names of the suites that come with bidui."""
    return [PAPER, *sorted(file.stem for file in SHIPPED.glob("*.yaml"))]


def read_suite(name: str | Path, *, seeds: Numbers[int] = ()) -> Suite:
    """Return a suite by its name, `zh-pythia` or `small`, or from a YAML file; `seeds` replace those of all runs."""
    if str(name) == PAPER:
        return Suite(zh_pythia(seeds=seeds or SEEDS), PAPER_TOKENIZERS)
    shipped = str(name) in suite_names()
    file = SHIPPED / f"{name}.yaml" if shipped else Path(name)
    if not file.is_file() and file.suffix not in (".yaml", ".yml"):
        raise fail("suite-unknown", Place(), {"value": str(name), "known": suite_names()})
    document = parse_document(read_text(file, name=str(file)), name=str(file))
    problems: list[Problem] = []
    suite = _suite(Fields(document, problems), file.parent)
    if errors := [problem for problem in problems if problem.severity == "error"]:
        raise InputError(sorted(errors, key=lambda problem: problem.place))
    if not seeds:
        return suite
    runs = (replace(run, seed=seed) for run in suite.runs for seed in seeds)
    return replace(suite, runs=tuple(dict.fromkeys(runs)))


def _suite(fields: Fields, folder: Path) -> Suite:
    fields.format()
    train = fields.sub("train")
    settings = _settings(train) if train else {}
    tokenizers = _tokenizers(fields, folder)
    text = fields.text("text")
    suite = Suite(
        runs=_runs(fields, tokenizers, settings),
        tokenizers=tokenizers,
        settings=settings,
        keep="last" if train and train.choice("keep", ("all", "last"), "all") == "last" else "all",
        score=fields.text("score") or None,
        n=_number(fields, "n") or PAIRS,
        text=folder / text if text else None,
        speed=_speeds(fields),
        description=fields.text("description"),
    )
    if train:
        train.unknown()
    fields.unknown()
    return suite


def _settings(train: Fields) -> dict[str, int | float | str]:
    """Read the settings of all runs; each is checked by the recipe itself."""
    settings: dict[str, int | float | str] = {}
    for key, kind in SETTINGS.items():
        scalar = train.scalar(key)
        if scalar is None:
            continue
        try:
            value = kind(scalar.text)
        except ValueError:
            train.report("suite-number", scalar, {"key": key, "value": scalar.text})
            continue
        name = "optimizer" if key == "recipe" else key
        batch = {"micro_batch": value} if key == "batch" else {}  # or it would not divide the batch
        try:
            recipe = RunRecipe("14m", "", "", 1, "", 1, **{name: value}, **batch)  # type: ignore[arg-type]
            milestone_steps(recipe.milestones, steps=1)
            settings[name] = value
        except InputError as error:
            place = train.place(scalar)
            train.problems += [replace(problem, place=place) for problem in error.problems]
    return settings


def _tokenizers(fields: Fields, folder: Path) -> dict[str, SuiteTokenizer]:
    every = fields.sub("tokenizers")
    if every is None:
        if fields.mapping.get("tokenizers") is None:
            fields.report("key-missing", None, {"key": "tokenizers"})
        return {}
    tokenizers = {}
    for key, _ in every.mapping.entries:
        tokenizer = every.sub(key.text)
        if not NAME.fullmatch(key.text):
            fields.report("suite-name", key, {"value": key.text})
        if tokenizer is not None:
            tokenizers[key.text] = _tokenizer(tokenizer, folder)
    return tokenizers


def _tokenizer(fields: Fields, folder: Path) -> SuiteTokenizer:
    kind, source, corpus = fields.scalar("kind"), fields.text("source"), fields.text("corpus")
    if (kind is None) == (not source):
        fields.report("suite-tokenizer-kind")
    chosen = fields.choice("kind", ("char", "word"), "char") if kind else None
    least, size, vocabulary = (_number(fields, key) for key in ("least", "size", "vocabulary"))
    for key, fits in (("least", kind is not None), ("size", chosen == "word")):
        if fields.mapping.get(key) is not None and not fits:
            fields.report("suite-not-trained", fields.mapping.get(key), {"key": key})
    fields.unknown()
    return SuiteTokenizer(
        kind=chosen,  # type: ignore[arg-type]
        least=least or SuiteTokenizer().least,
        size=size,
        # a name of the hub is no path
        source=str(folder / source) if source and (folder / source).exists() else source or None,
        vocabulary=vocabulary,
        corpus=folder / corpus if corpus else None,
    )


def _runs(
    fields: Fields, tokenizers: Mapping[str, SuiteTokenizer], settings: Mapping[str, int | float | str]
) -> tuple[SuiteRun, ...]:
    """Return all combinations of every group; one that two groups give is reported."""
    node = fields.node("runs")
    if node is None:
        fields.report("key-missing", None, {"key": "runs"})
    elif not isinstance(node, Sequence) or not node.items:
        fields.report("not-a-list", node, {"key": "runs"})
    lines: dict[SuiteRun, int] = {}
    for group in node.items if isinstance(node, Sequence) else ():
        if not isinstance(group, YamlMapping):
            fields.report("not-a-mapping", group, {"what": "runs"})
            continue
        part = Fields(group, fields.problems)
        sizes = [scalar.text for scalar in _required(part, "sizes") if _known(part, scalar, "sizes", list(SIZES))]
        counts = [count for scalar in _required(part, "tokens") if (count := _tokens(part, scalar, settings))]
        seeds = [seed for scalar in part.texts("seeds") if (seed := _seed(part, scalar)) is not None]
        named = part.texts("tokenizers")
        names = [name.text for name in named if _known(part, name, "tokenizers", list(tokenizers))]
        part.unknown()
        for size, count, name, seed in product(sizes, counts, names if named else tokenizers, seeds or [0]):
            run = SuiteRun(size, name, count, seed)
            if run in lines:
                part.report("suite-run-twice", group, {"name": run.name, "line": lines[run]})
            lines.setdefault(run, group.place.line)
    return tuple(lines)


def _required(fields: Fields, key: str) -> list[Scalar]:
    scalars = fields.texts(key)
    node = fields.mapping.get(key)
    if node is None:
        fields.report("key-missing", None, {"key": key})
    elif isinstance(node, Sequence) and not node.items:
        fields.report("not-a-list", node, {"key": key})
    return scalars


def _known(fields: Fields, scalar: Scalar, key: str, allowed: list[str]) -> bool:
    if scalar.text not in allowed:
        fields.report("value-not-allowed", scalar, {"key": key, "value": scalar.text, "allowed": allowed})
    return scalar.text in allowed


def _tokens(fields: Fields, scalar: Scalar, settings: Mapping[str, int | float | str]) -> int | None:
    """Return a number of tokens that is enough for one step."""
    try:
        count = token_count(scalar.text)
    except InputError:
        fields.report("tokens-text", scalar, {"value": scalar.text})
        return None
    step = int(settings.get("batch", USUAL.batch)) * int(settings.get("context", USUAL.context))
    if count < step:
        fields.report("too-few-tokens", scalar, {"tokens": count, "needed": step})
        return None
    return count


def _seed(fields: Fields, scalar: Scalar) -> int | None:
    if not scalar.text.isdecimal() or not int(scalar.text[:11]) < 2**32:
        fields.report("recipe-seed", scalar, {"value": scalar.text})
        return None
    return int(scalar.text)


def _number(fields: Fields, key: str) -> int | None:
    scalar = fields.scalar(key)
    if scalar is None:
        return None
    if not re.fullmatch("[1-9][0-9]{0,8}", scalar.text):
        fields.report("suite-number", scalar, {"key": key, "value": scalar.text})
        return None
    return int(scalar.text)


def _speeds(fields: Fields) -> dict[str, float]:
    sizes = fields.sub("speed")
    if sizes is None:
        return {}
    speeds = {size: _number(sizes, size) for size in SIZES}
    sizes.unknown()
    return {size: float(number) for size, number in speeds.items() if number}
