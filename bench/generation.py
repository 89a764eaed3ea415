"""Speed of generation at the size of the real thing, beside what was published of the original generator.

    python bench/generation.py        prints the figures that docs/benchmarks.md quotes

The original (released ZhoBLiMP code) took 428 s of CPU for 300 pairs of its 131 templates over 701 words; it is not
at hand here, so its figure is the published one, and the ratio compares CPU seconds for 118 and 131 paradigms.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from synthetic import write_synthetic

ORIGINAL_CPU_S = 428.0
RUNS = 7  # a shared machine is not equally quick all the time

LARGE = """
import resource, sys, time
from bidui.grammar.project import load_project
from bidui.grammar.network import Compiler
from bidui.grammar.generate import count_pairs, generate
project = load_project(sys.argv[1])
paradigm = project.paradigm(sys.argv[2])
n = int(sys.argv[3])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
networks = Compiler.of(project).networks(paradigm)
count = count_pairs(networks)
counted = time.perf_counter()
pairs = generate(paradigm, networks, n=n, seed=0)
end = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(f"{count} pairs; count {1000 * (counted - start):.1f} ms, {len(pairs)} draws {1000 * (end - counted):.1f} ms, "
      f"together {1000 * (end - start):.1f} ms; peak memory {peak / 1024:.0f} MB")
"""


COLD = """
import statistics, sys, time
from bidui.benchmarks import open_project
from bidui.grammar.network import Compiler
from bidui.grammar.generate import count_pairs, generate
project = open_project("zhoblimp")
drawn, counted = [], []
for paradigm in project.paradigms:
    if paradigm.status == "included":
        start = time.process_time()
        networks = Compiler.of(project).networks(paradigm)
        generate(paradigm, networks, n=10, seed=0)
        ten = time.process_time()
        count_pairs(networks)
        drawn.append(1000 * (ten - start))
        counted.append(1000 * (time.process_time() - start))
for name, found in (("ten pairs", drawn), ("ten pairs and the count", counted)):
    under = sum(ms < 20 for ms in found)
    print(f"zhoblimp, {name}, cold: median {statistics.median(found):.1f} ms, {under} of {len(found)} under 20 ms")
"""


def cpu_of(command: list[str]) -> float:
    """CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Measure and print."""
    bidui = [sys.executable, "-m", "bidui"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_synthetic(folder / "real", words=2_500)
        write_synthetic(folder / "large", words=10_000)
        generate = [*bidui, "generate", str(folder / "real"), "-n", "300", "-o"]
        runs = sorted(cpu_of([*generate, str(folder / f"pairs{run}")]) for run in range(RUNS))
        median = runs[RUNS // 2]
        print(f"118 paradigms x 300 pairs, 2,500 words, load and writing included, {RUNS} runs: CPU s ", end="")
        print(f"least {runs[0]:.2f}, median {median:.2f}, most {runs[-1]:.2f}")
        print(f"    original, published: {ORIGINAL_CPU_S:.0f} s CPU; ratio to the median {ORIGINAL_CPU_S / median:.0f}")
        real = [*bidui, "generate", "zhoblimp", "-n", "300", "-o"]
        runs = sorted(cpu_of([*real, str(folder / f"zhoblimp{run}")]) for run in range(RUNS))
        median = runs[RUNS // 2]
        print(f"zhoblimp, 118 paradigms x 300 pairs, load and writing included, {RUNS} runs: CPU s ", end="")
        print(f"least {runs[0]:.2f}, median {median:.2f}, most {runs[-1]:.2f}")
        print(f"    original, published: {ORIGINAL_CPU_S:.0f} s CPU; ratio to the median {ORIGINAL_CPU_S / median:.0f}")
        subprocess.run([sys.executable, "-c", COLD], check=True)
        for uid in ("u000", "u001", "u002", "u003", "u004", "u005"):
            print(f"first ten pairs of {uid}, 2,500 words: ", end="", flush=True)
            subprocess.run([sys.executable, "-c", LARGE, str(folder / "real"), uid, "10"], check=True)
        for uid in ("u000", "u003", "u005"):
            print(f"1,000 pairs of {uid}, 10,000 words: ", end="", flush=True)
            subprocess.run([sys.executable, "-c", LARGE, str(folder / "large"), uid, "1000"], check=True)


if __name__ == "__main__":
    main()
