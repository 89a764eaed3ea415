"""The runs of a suite as tasks: one `bidui train` each, done when the run is finished and, if wanted, scored.

Before that, the corpora of the suite are checked, and made from text where they are missing.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from bidui.benchmarks import find_pairs
from bidui.errors import InputError, Place, Problem, all_problems, collect, fail
from bidui.files import Manifest, claim_folder, file_hash
from bidui.models.fingerprint import tokenizer_hash
from bidui.scale.storage import fetched, inner_path, is_remote, open_folder
from bidui.scale.tasks import Outcome, Status, Task, run_all
from bidui.scale.workers import LOCAL, THREADS, AnyOn, Needs, gpu_memory, gpu_share, parse_on
from bidui.scores.milestones import FILE
from bidui.training.checkpoints import DESCRIPTION, FINISHED, LOG, RECIPE
from bidui.training.corpus import NAME, TOKENIZER, Corpus, dropped_tokens, read_corpus
from bidui.training.documents import source_files
from bidui.training.publish import MANIFEST
from bidui.training.run import load_fitting, unscored_steps
from bidui.training.sizes import SIZES
from bidui.training.suite import PAIRS, USUAL, Suite, SuiteRun, SuiteTokenizer, suite_of
from bidui.training.tokenizers import load_tokenizer, vocabulary_counts, vocabulary_size

LATER = "later"  # instead of pairs: checkpoints are not scored now
TASKS = ".tasks"  # the folder for logs, next to those of the runs
CORPORA = "corpora"  # the folder for corpora that the suite makes
# The fields of a recipe that a suite or an option of `bidui train` sets.
OPTIONS = {"optimizer": "--recipe"} | {
    name: f"--{name}" for name in ("epochs", "batch", "context", "peak", "warmup", "milestones")
}
BIDUI = (sys.executable, "-P", "-m", "bidui")
TORCHRUN = (sys.executable, "-P", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node")
STATE = 20  # bytes per parameter while a run trains: weights, gradients, two moments of Adam, and copies in bfloat16
SPARE = 1 << 30  # bytes besides


def run_suite(
    suite: Suite | Sequence[SuiteRun],
    corpora: Mapping[str, str | Path] | None = None,
    *,
    out: str | Path,
    text: str | Path | None = None,
    device: str = "cpu",
    on: AnyOn = LOCAL,
    gpus: Mapping[str, int] | None = None,
    score: str | None = None,
    options: Sequence[str] = (),
    on_prepare: Callable[[Status], None] = lambda status: None,
    on_status: Callable[[Status], None] = lambda status: None,
) -> tuple[Outcome, ...]:
    """Train the runs of a suite that are not finished, each in a folder of `out`, those that take longest first.

    `corpora` are folders by tokenizer; those that are missing are made from `text`, if the tokenizer can be. `on` is
    where runs are trained: `local`, one after the other; `processes:N`, so many at a time; or `ray[:ADDRESS]`, on all
    machines of a cluster, which share a disk or have `out` and the corpora at URLs. `gpus` says of sizes on how many
    GPUs a run is trained, by torchrun. `score` names pairs to score checkpoints on instead of those of the suite, or
    `later`. `options` are further options of `bidui train`. Wrong inputs are reported before the first run starts. If a
    corpus cannot be made, what is returned are the tasks that make them.
    """
    place, suite = parse_on(on), suite_of(suite)
    folders, pairs = corpus_folders(suite, corpora or {}), score or suite.score or LATER
    source = Path(text) if text is not None else suite.text
    if source is not None and is_remote(out) and _without_corpus(suite, folders):
        raise fail("suite-text-remote", Place(str(out)))
    home = Path(out)
    steps = preparations(suite, folders, text=source, out=home) if source is not None else ()
    if source is not None:
        folders |= {name: str(_corpus_folder(home, name)) for name in _without_corpus(suite, folders)}
    if not any(steps):
        open_corpora(suite, folders)  # before pairs are generated, which takes longer
    if pairs != LATER:
        find_pairs(fetched(pairs) if is_remote(pairs) else pairs, n=1)
    count = place.processes if place.kind == "processes" else 1
    run = partial(run_all, folder=inner_path(out, TASKS), on=place)
    for tasks in steps:
        made = run(tasks, workers=[{}] * count, on_status=on_prepare)
        if any(outcome.state == "failed" for outcome in made):
            return made
    opened = open_corpora(suite, folders)
    memory = gpu_memory(place) if place.kind == "ray" and device == "cuda" else None
    needs = partial(run_needs, device=device, memory=memory)
    tasks = suite_tasks(
        suite,
        opened,
        out=out,
        folders=folders,
        device=device,
        score=pairs,
        options=options,
        gpus=gpus or {},
        needs=needs,
    )
    workers = suite_workers(device, processes=count) if place.kind != "ray" else [{}]
    return run(tasks, workers=workers, on_status=on_status)


def run_needs(
    run: SuiteRun, vocabulary: int, *, gpus: int = 1, device: str = "cpu", memory: int | None = None
) -> Needs:
    """Return what a run needs on a cluster whose GPUs have so much `memory`: small models share a GPU."""
    size = STATE * SIZES[run.size].parameters(vocabulary) + SPARE
    threads = os.environ.get(THREADS, "1")
    cpus = float(threads) if threads.isdecimal() else 1.0
    if device != "cuda":
        return Needs(cpus * gpus, memory=size * gpus)  # so many processes of torchrun
    return Needs(gpus, float(gpus)) if gpus > 1 or not memory else Needs(1.0, gpu_share(size, of=memory))


# Corpora: given, named by the suite, or made from text by `bidui tokenizer train` and `bidui corpus build`.


def corpus_folders(suite: Suite, given: Mapping[str, str | Path]) -> dict[str, str]:
    """Return the corpora that are given or that the suite names, by tokenizer."""
    named = {name: str(one.corpus) for name, one in suite.tokenizers.items() if one.corpus is not None}
    return named | {name: str(folder) for name, folder in given.items()}


def _without_corpus(suite: Suite, folders: Mapping[str, str | Path]) -> list[str]:
    """Return the tokenizers of runs that have no corpus but can be loaded, or trained on text."""
    used = dict.fromkeys(run.tokenizer for run in suite.runs if run.tokenizer in suite.tokenizers)
    makable = (name for name in used if suite.tokenizers[name].kind or suite.tokenizers[name].source)
    return [name for name in makable if name not in folders]


def _corpus_folder(out: Path, name: str) -> Path:
    return out / CORPORA / name


def preparations(
    suite: Suite, folders: Mapping[str, str | Path], *, text: Path, out: Path
) -> tuple[list[Task], list[Task]]:
    """Return the tasks that train tokenizers, and those that build corpora with them; what is there is checked.

    The settings of a tokenizer are part of the name of its folder, so a suite that changes them trains another.
    """
    source_files(text)  # an error if there are none
    trained, built = [], []
    for name in _without_corpus(suite, folders):
        wanted, corpus = suite.tokenizers[name], _corpus_folder(out, name)
        tokenizer = wanted.source or ""
        if wanted.kind:
            size = ("--size", str(wanted.size)) if wanted.size else ()
            folder = corpus.with_name("-".join((name, "tokenizer", wanted.kind, str(wanted.least), *size[1:])))
            tokenizer = str(folder)
            options = ("--corpus", str(text), "--out", tokenizer, "--least", str(wanted.least), *size)
            train = (*BIDUI, "tokenizer", "train", wanted.kind, *options)
            trained.append(Task(folder.name, train, (folder / "tokenizer_config.json").is_file))
        if (corpus / NAME).is_file():
            sources = {file: file_hash(path) for file, path in source_files(text)[0].items()}
            claim_folder(corpus, Manifest({}, read_corpus(corpus).sources), Manifest({}, sources), "corpus-of-another")
        build = (*BIDUI, "corpus", "build", str(text), "--tokenizer", tokenizer, "--out", str(corpus))
        built.append(Task(f"{name}-corpus", build, (corpus / NAME).is_file))
    return trained, built


def open_corpora(suite: Suite | Sequence[SuiteRun], folders: Mapping[str, str | Path]) -> dict[str, Corpus]:
    """Return the corpora of runs by tokenizer; all that are missing, too small or of another tokenizer are reported."""
    suite = suite_of(suite)
    most = {run.tokenizer: max(r.tokens for r in suite.runs if r.tokenizer == run.tokenizer) for run in suite.runs}
    corpora = {}
    with all_problems() as problems:
        for name, tokens in most.items():
            if name not in folders:
                problems.append(Problem("suite-no-corpus", Place(), {"tokenizer": name}))
                continue
            with collect(problems):
                corpora[name] = read_corpus(fetched(folders[name]))
                check_tokenizer(corpora[name], suite, name)
                context = int(suite.settings.get("context", USUAL.context))
                dropped_tokens(corpora[name], tokens=tokens, context=context)  # raises an error if there are fewer
    return corpora


def check_tokenizer(corpus: Corpus, suite: Suite, name: str) -> None:
    """Refuse a corpus that was encoded with another tokenizer than that of the suite: its name alone says nothing."""
    wanted, place = suite.tokenizers.get(name, SuiteTokenizer()), Place(str(corpus.folder))
    if wanted.vocabulary is not None and corpus.vocabulary != wanted.vocabulary:
        values = {"name": name, "own": corpus.vocabulary, "wanted": wanted.vocabulary}
        raise fail("suite-other-vocabulary", place, values)
    vocabulary = tokenizer_hash(load_tokenizer(wanted.source)) if wanted.source else wanted.hash
    if vocabulary is not None and corpus.tokenizer != vocabulary:
        values = {"name": name, "own": corpus.tokenizer[:12], "wanted": vocabulary[:12]}
        raise fail("suite-other-tokenizer", place, values)
    if wanted.kind:
        several = vocabulary_counts(load_fitting(corpus.folder / TOKENIZER, corpus)).multi_character
        if wanted.kind == "char" and several:
            raise fail("suite-not-char", place, {"name": name, "count": several})
        if wanted.kind == "word" and not several:
            raise fail("suite-not-word", place, {"name": name})


def suite_vocabularies(
    suite: Suite | Sequence[SuiteRun],
    corpora: Mapping[str, str | Path] | None = None,
    *,
    out: str | Path | None = None,
) -> dict[str, int]:
    """Return the vocabulary sizes, by tokenizer, of the corpora and sources that a suite has, for `plan_suite`."""
    suite, out = suite_of(suite), Path(out) if out else None
    folders = corpus_folders(suite, corpora or {})
    sizes = {}
    with all_problems() as problems:
        for name in dict.fromkeys(run.tokenizer for run in suite.runs):
            wanted = suite.tokenizers.get(name, SuiteTokenizer())
            made = _corpus_folder(out, name) if out and (_corpus_folder(out, name) / NAME).is_file() else None
            if folder := folders.get(name, made):
                with collect(problems):
                    corpus = read_corpus(fetched(folder))
                    check_tokenizer(corpus, suite, name)
                    sizes[name] = corpus.vocabulary
            elif wanted.source and wanted.vocabulary is None:
                with collect(problems):
                    sizes[name] = vocabulary_size(load_tokenizer(wanted.source))
    return sizes


# Runs as tasks.


def suite_tasks(
    suite: Suite | Sequence[SuiteRun],
    corpora: Mapping[str, Corpus],
    *,
    out: str | Path,
    folders: Mapping[str, str | Path] | None = None,
    device: str = "cpu",
    score: str = LATER,
    options: Sequence[str] = (),
    gpus: Mapping[str, int] | None = None,
    needs: Callable[..., Needs] = run_needs,
) -> list[Task]:
    """Return one task per run, each with a folder in `out`; a folder that holds another run is refused.

    The runs with the most FLOPs come first, so that none of them is left to be waited for at the end. `folders` are the
    corpora as others find them; `options` are further options of `bidui train`, which come after those of the suite.
    """
    suite = suite_of(suite)
    shared = [text for name, value in suite.settings.items() for text in (OPTIONS[name], f"{value}")]
    shared += ["--keep", suite.keep] if suite.keep != "all" else []
    shared += ["-n", str(suite.n)] if score != LATER and suite.n != PAIRS else []
    tasks = []
    for run in sorted(suite.runs, key=lambda run: -_flops(run, corpora)):
        corpus, spread = corpora[run.tokenizer], (gpus or {}).get(run.size, 1)
        _check_folder(inner_path(out, run.name), run, corpus, [*shared, *options])
        place = str((folders or {}).get(run.tokenizer, corpus.folder))
        data = ("--corpus", place, "--tokens", str(run.tokens), "--seed", str(run.seed), "--score", score)
        start = BIDUI if spread == 1 else (*TORCHRUN, str(spread), "-m", "bidui")
        own = ("--out", str(out), "--name", run.name, "--device", device)
        tasks.append(
            Task(
                run.name,
                (*start, "train", run.size, *data, *own, *shared, *options),
                partial(_done, inner_path(out, run.name), scored=score != LATER),
                needs(run, corpus.vocabulary, gpus=spread),
            )
        )
    return tasks


def _flops(run: SuiteRun, corpora: Mapping[str, Corpus]) -> int:
    return SIZES[run.size].flops(corpora[run.tokenizer].vocabulary, tokens=run.tokens)


def suite_workers(device: str, *, processes: int) -> list[dict[str, str]]:
    """Return what each process adds to its environment: with `cuda`, the processes take turns at the visible GPUs."""
    if device != "cuda":
        return [{}] * processes
    count = torch.cuda.device_count()  # which, unlike using a GPU, takes none of its memory
    if not count:
        raise fail("suite-device", Place(part="--device cuda"), {})
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    names = [name.strip() for name in allowed] if allowed != [""] else [str(number) for number in range(count)]
    return [{"CUDA_VISIBLE_DEVICES": names[number % count]} for number in range(processes)]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is, as far as its files say."""

    step: int = 0
    steps: int | None = None
    speed: float = 0.0  # tokens per second
    seconds: float | None = None  # that are left at this speed


def run_progress(folder: str | Path) -> RunProgress:
    """Return how many steps the run in a folder has done, of how many, and how fast it is."""
    copy = open_folder(folder, reading=True)
    with suppress(InputError):
        copy.pull(lambda name: name in (DESCRIPTION, LOG))
    step, steps, speed, per_step = 0, None, 0.0, 0
    with suppress(OSError, ValueError, KeyError, IndexError, TypeError):
        description = json.loads((copy.path / DESCRIPTION).read_text(encoding="utf-8"))
        steps, per_step = int(description["steps"]), int(description.get("tokens_per_step", 0))
        with (copy.path / LOG).open("rb") as log:
            start = max(0, (copy.path / LOG).stat().st_size - 4096)
            log.seek(start)
            texts = log.read().split(b"\n")[bool(start) : -1]  # the last part is still being written
        lines = [json.loads(text) for text in texts]
        step = int(lines[-1]["step"])
        speed = next((float(line["tokens_per_second"]) for line in reversed(lines) if "tokens_per_second" in line), 0.0)
    left = (steps - step) * per_step / speed if steps is not None and speed and per_step else None
    return RunProgress(step, steps, speed, left)


def _done(folder: str, *, scored: bool) -> bool:
    """Return whether the run in a folder is finished, and its checkpoints scored if they are to be."""
    copy = open_folder(folder, reading=True)
    if not copy.has(FINISHED):
        return False
    if scored:
        copy.pull(lambda name: name in (FINISHED, FILE) or name.endswith(f"/{MANIFEST}"))
    with suppress(InputError):  # a table that cannot be read: `bidui train` reports it
        return not scored or not unscored_steps(copy.path)
    return False


def _check_folder(folder: str, run: SuiteRun, corpus: Corpus, options: Sequence[str]) -> None:
    """Refuse the run of another corpus or other settings: if it is finished, it would be taken for this one."""
    copy = open_folder(folder, reading=True)
    copy.pull(lambda name: name == RECIPE)
    try:
        stored = json.loads((copy.path / RECIPE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # nothing yet, or `bidui train` says what is wrong with it
    settings: dict[str, object] = {"size": run.size, "tokens": run.tokens, "seed": run.seed, "corpus": corpus.hash}
    settings |= {name: getattr(USUAL, name) for name in OPTIONS} | _recipe_fields(options)
    before = Manifest({name: stored[name] for name in settings if name in stored})
    claim_folder(Path(folder), before, Manifest(settings), "run-of-another")


def _recipe_fields(options: Sequence[str]) -> dict[str, object]:
    """Return the fields of the recipe that options of `bidui train` set; wrong values are left for it to report."""
    texts = [part for option in options for part in (option.split("=", 1) if option.startswith("--") else [option])]
    values: dict[str, object] = {}
    for name, option in OPTIONS.items():
        for text in (texts[at + 1] for at, part in enumerate(texts[:-1]) if part == option):
            with suppress(ValueError):
                values[name] = type(getattr(USUAL, name))(text)
    return values
