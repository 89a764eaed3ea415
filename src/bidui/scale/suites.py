"""The runs of a suite as tasks: one `bidui train` each, done when the run is finished and, if wanted, scored.

Before that, the corpora of the suite are checked, and made from text where they are missing.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import torch

from bidui.benchmarks import find_pairs
from bidui.errors import InputError, Place, Problem, all_problems, collect, fail
from bidui.files import Manifest, claim_folder, file_hash
from bidui.models.fingerprint import tokenizer_hash
from bidui.scale.tasks import Outcome, Status, Task, run_all
from bidui.training.checkpoints import DESCRIPTION, FINISHED, LOG, RECIPE
from bidui.training.corpus import NAME, TOKENIZER, Corpus, dropped_tokens, read_corpus
from bidui.training.documents import source_files
from bidui.training.run import load_fitting, unscored_steps
from bidui.training.suite import PAIRS, USUAL, Suite, SuiteRun, SuiteTokenizer, suite_of
from bidui.training.tokenizers import load_tokenizer, vocabulary_counts, vocabulary_size

LATER = "later"  # instead of pairs: checkpoints are not scored now
TASKS = ".tasks"  # the folder for logs and claims, next to those of the runs
CORPORA = "corpora"  # the folder for corpora that the suite makes
# The fields of a recipe that a suite or an option of `bidui train` sets.
OPTIONS = {"optimizer": "--recipe"} | {
    name: f"--{name}" for name in ("epochs", "batch", "context", "peak", "warmup", "milestones")
}
BIDUI = (sys.executable, "-P", "-m", "bidui")


def run_suite(
    suite: Suite | Sequence[SuiteRun],
    corpora: Mapping[str, str | Path] | None = None,
    *,
    out: str | Path,
    text: str | Path | None = None,
    device: str = "cpu",
    processes: int = 1,
    score: str | None = None,
    options: Sequence[str] = (),
    stale_seconds: float = 900.0,
    on_prepare: Callable[[Status], None] = lambda status: None,
    on_status: Callable[[Status], None] = lambda status: None,
) -> tuple[Outcome, ...]:
    """Train the runs of a suite that are not finished, `processes` at a time, each in a folder of `out`.

    `corpora` are folders by tokenizer; those that are missing are made from `text`, if the tokenizer can be. `score`
    names pairs to score checkpoints on instead of those of the suite, or `later`. `options` are further options of
    `bidui train`. Wrong inputs are reported before the first run starts. A run that another machine left for
    `stale_seconds` is taken over. If a corpus cannot be made, what is returned are the tasks that make them.
    """
    suite, out = suite_of(suite), Path(out)
    folders, pairs = corpus_folders(suite, corpora or {}), score or suite.score or LATER
    source = Path(text) if text is not None else suite.text
    steps = preparations(suite, folders, text=source, out=out) if source is not None else ()
    if source is not None:
        folders |= {name: _corpus_folder(out, name) for name in _without_corpus(suite, folders)}
    if not any(steps):
        open_corpora(suite, folders)  # before pairs are generated, which takes longer
    if pairs != LATER:
        find_pairs(pairs, n=1)
    run = partial(run_all, folder=out / TASKS, stale=stale_seconds)
    for tasks in steps:
        made = run(tasks, workers=[{}] * processes, on_status=on_prepare)
        if any(outcome.state == "failed" for outcome in made):
            return made
    opened = open_corpora(suite, folders)
    tasks = suite_tasks(suite, opened, out=out, device=device, score=pairs, options=options)
    return run(tasks, workers=suite_workers(device, processes=processes), on_status=on_status)


# Corpora: given, named by the suite, or made from text by `bidui tokenizer train` and `bidui corpus build`.


def corpus_folders(suite: Suite, given: Mapping[str, str | Path]) -> dict[str, Path]:
    """Return the corpora that are given or that the suite names, by tokenizer."""
    named = {name: one.corpus for name, one in suite.tokenizers.items() if one.corpus is not None}
    return named | {name: Path(folder) for name, folder in given.items()}


def _without_corpus(suite: Suite, folders: Mapping[str, Path]) -> list[str]:
    """Return the tokenizers of runs that have no corpus but can be loaded, or trained on text."""
    used = dict.fromkeys(run.tokenizer for run in suite.runs if run.tokenizer in suite.tokenizers)
    makable = (name for name in used if suite.tokenizers[name].kind or suite.tokenizers[name].source)
    return [name for name in makable if name not in folders]


def _corpus_folder(out: Path, name: str) -> Path:
    return out / CORPORA / name


def preparations(suite: Suite, folders: Mapping[str, Path], *, text: Path, out: Path) -> tuple[list[Task], list[Task]]:
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


def open_corpora(suite: Suite | Sequence[SuiteRun], folders: Mapping[str, Path]) -> dict[str, Corpus]:
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
                corpora[name] = read_corpus(folders[name])
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
                    corpus = read_corpus(folder)
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
    out: Path,
    device: str = "cpu",
    score: str = LATER,
    options: Sequence[str] = (),
) -> list[Task]:
    """Return one task per run, each with a folder in `out`; a folder that holds another run is refused.

    `options` are further options of `bidui train`, which come after those of the suite.
    """
    suite = suite_of(suite)
    shared = [text for name, value in suite.settings.items() for text in (OPTIONS[name], f"{value}")]
    shared += ["--keep", suite.keep] if suite.keep != "all" else []
    shared += ["-n", str(suite.n)] if score != LATER and suite.n != PAIRS else []
    tasks = []
    for run in suite.runs:
        corpus, folder = corpora[run.tokenizer], out / run.name
        _check_folder(folder, run, corpus, [*shared, *options])
        data = ("--corpus", str(corpus.folder), "--tokens", str(run.tokens), "--seed", str(run.seed), "--score", score)
        place = ("--out", str(out), "--name", run.name)
        command = (*BIDUI, "train", run.size, *data, *place, "--device", device, *shared, *options)
        tasks.append(Task(run.name, command, partial(_done, folder, scored=score != LATER)))
    return tasks


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


def run_progress(folder: str | Path) -> tuple[int, int | None]:
    """Return how many steps the run in a folder has done, and of how many, as far as its files say."""
    folder = Path(folder)
    done, steps = 0, None
    with suppress(OSError, ValueError, KeyError, IndexError):
        steps = int(json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))["steps"])
        with (folder / LOG).open("rb") as log:
            log.seek(max(0, (folder / LOG).stat().st_size - 4096))
            lines = log.read().split(b"\n")[:-1]  # the last part is still being written
        done = int(json.loads(lines[-1])["step"])
    return done, steps


def _done(folder: Path, *, scored: bool) -> bool:
    if not (folder / FINISHED).is_file():
        return False
    with suppress(InputError):  # a table that cannot be read: `bidui train` reports it
        return not scored or not unscored_steps(folder)
    return False


def _check_folder(folder: Path, run: SuiteRun, corpus: Corpus, options: Sequence[str]) -> None:
    """Refuse the run of another corpus or other settings: if it is finished, it would be taken for this one."""
    try:
        stored = json.loads((folder / RECIPE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # nothing yet, or `bidui train` says what is wrong with it
    settings: dict[str, object] = {"size": run.size, "tokens": run.tokens, "seed": run.seed, "corpus": corpus.hash}
    settings |= {name: getattr(USUAL, name) for name in OPTIONS} | _recipe_fields(options)
    before = Manifest({name: stored[name] for name in settings if name in stored})
    claim_folder(folder, before, Manifest(settings), "run-of-another")


def _recipe_fields(options: Sequence[str]) -> dict[str, object]:
    """Return the fields of the recipe that options of `bidui train` set; wrong values are left for it to report."""
    texts = [part for option in options for part in (option.split("=", 1) if option.startswith("--") else [option])]
    values: dict[str, object] = {}
    for name, option in OPTIONS.items():
        for text in (texts[at + 1] for at, part in enumerate(texts[:-1]) if part == option):
            with suppress(ValueError):
                values[name] = type(getattr(USUAL, name))(text)
    return values
