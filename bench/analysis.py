"""Speed of analysis: ten models on the 35,400 pairs of the benchmark, from stored scores to tables.

    python bench/analysis.py        prints the figures that docs/benchmarks.md quotes

The log-probabilities are made up (a token a character, bad sentences a little less likely); the pairs, the files and
the commands are real. Every step runs in a process of its own, with two threads, and reads all files anew; imports and
reading are included.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.benchmarks import generate
from bidui.models.model import Declared, TokenScores
from bidui.scores.run import run_scoring
from bidui.scores.unigrams import UNIGRAMS, Unigrams, write_unigrams

MODELS = 10
RUNS = 3  # a shared machine is not equally quick all the time
CHARACTERS = 0x10000
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "POLARS_MAX_THREADS")

START = """
import sys
from pathlib import Path
from bidui.analysis.length_bias import alpha_grid, best_setting, held_out, morcela_grid, sweep
from bidui.analysis.length_bias import fit_morcela, held_out_morcela, morcela_interval
from bidui.scores.choices import choose_from, length_split
from bidui.scores.links import parse_link
from bidui.scores.run import read_totals
from bidui.scores.table import score_folders
folders = score_folders(Path(sys.argv[1]))
def totals():
    for folder in folders:
        yield read_totals(folder, unigrams=folder / "unigrams.json")[1]
"""
STEPS = {
    "every linking function and an alpha sweep of 21 steps, ten models": """
LINKS = "lp mean_lp pen_lp slln:0.5 log_norm slor morcela:0.6,18".split()
for found in totals():
    for name in LINKS:
        choices = choose_from(found, parse_link(name))
        length_split(choices), choices.worth.mean(), choices.ties, choices.near_ties
    sweep(found, alpha_grid())
""",
    "best alpha, its interval of 1,000 resamples, and held out, by delta and by accuracy, ten models": """
for found in totals():
    for by in ("delta", "accuracy"):
        best_setting(found, alpha_grid(), by=by, seed=0), held_out(found, alpha_grid(), by=by, seed=0)
""",
    "MORCELA: the grid of 110 settings, held out, and the fit, held out, ten models": """
for found in totals():
    held_out(found, morcela_grid(), by="accuracy", seed=0), fit_morcela(found), held_out_morcela(found, seed=0)
""",
    "MORCELA: the interval of the fit, 200 resamples, one model": """
morcela_interval(next(totals()), seed=0)
""",
}


@dataclass
class MadeUp:
    """A model that thinks little of bad sentences, and of every token what a seed says."""

    seed: int
    bad: frozenset[str]
    name: str = ""
    declared: dict[str, str | int | bool | None] = field(default_factory=dict)

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """A token a character."""
        rng = np.random.default_rng(self.seed)
        for sentence in sentences:
            ids = np.array([ord(char) % CHARACTERS for char in sentence], np.int32)
            at = np.arange(len(ids), dtype=np.int32)
            logprobs = -rng.gamma(2, 2, len(ids)) - (4 / len(ids) if sentence in self.bad else 0)
            yield TokenScores(sentence, ids, at, at + 1, logprobs.astype(np.float32))

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """The characters."""
        return {number: chr(number) for number in ids}

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """None."""
        return ids < 0


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and of the processors, and megabytes at the peak."""

    clock: float
    cpu: float
    peak: float


def make_scores(folder: Path) -> None:
    """Scores of ten models, with unigrams."""
    pairs = generate("zhoblimp", n=300, seed=0)
    bad = frozenset(pair.bad for pair in pairs) - frozenset(pair.good for pair in pairs)
    counts = np.random.default_rng(0).integers(0, 1000, CHARACTERS)
    for number in range(MODELS):
        declared: Declared = {"kind": "made up", "weights": number, "tokenizer": "characters"}
        model = MadeUp(number, bad, f"model-{number}", declared)
        run_scoring(pairs, model, out=folder / model.name)
        (folder / model.name / UNIGRAMS).write_bytes(write_unigrams(Unigrams(counts, "characters")))
    size = sum(file.stat().st_size for file in (folder / "model-0").glob("*.parquet"))
    print(f"{MODELS} models x {len(pairs):,} pairs, {size / 1e6:.1f} MB of scores each; the best of {RUNS} runs")


def cost(command: list[str]) -> Cost:
    """What a command takes, its start included."""
    environment = {**os.environ, **dict.fromkeys(THREADS, "2"), "COLUMNS": "100"}
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    clock = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(clock, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        # by itself, since a process is charged with the memory of the one that started it
        subprocess.run([sys.executable, __file__, name], check=True)
        compare = [sys.executable, "-m", "bidui", "compare", name]
        usual = [part for link in ("lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm") for part in ("--link", link)]
        commands = {"bidui compare, five linking functions": [*compare, *usual]}
        commands["bidui compare, SLOR and MORCELA as well"] = compare
        commands["bidui report"] = [sys.executable, "-m", "bidui", "report", name, "-o", f"{name}/report"]
        commands |= {title: [sys.executable, "-c", START + code, name] for title, code in STEPS.items()}
        for title, command in commands.items():
            found = [cost(command) for _ in range(RUNS)]
            clock, cpu, peak = (min(getattr(one, part) for one in found) for part in ("clock", "cpu", "peak"))
            print(f"{title}: {clock:.2f} s, {cpu:.2f} s of CPU, peak memory {peak:.0f} MB", flush=True)


if __name__ == "__main__":
    make_scores(Path(sys.argv[1])) if sys.argv[1:] else main()
