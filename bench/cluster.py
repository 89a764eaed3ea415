"""Work on several machines: memory from 100,000 to 10,000,000 pairs, the overhead of Ray, cores, and models on a GPU.

    python bench/cluster.py memory --pairs 100000 --on processes:2
    nice python bench/cluster.py memory --pairs 10000000 --on ray --folder /scratch/pairs
    python bench/cluster.py overhead      # CPU of --on ray and --on processes:2 for the 35,400 pairs of ZhoBLiMP
    python bench/cluster.py cores         # wall clock of threads, processes and Ray workers; 4 min on a quiet machine
    python bench/cluster.py weights       # memory of two workers that share a model of 70M parameters, and of one alone
    python bench/cluster.py gpu           # six models and two training runs on one GPU, one by one and at once

Every figure is that of a process of its own and all that it starts, which are known by a variable in their environment.
The memory of a process is its proportional set size (Linux): what several processes share counts once. It is looked up
only where it is shown, since looking it up takes a fifth of a core.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bidui.files import file_hash, tool_version, write_json

MARK = "BIDUI_BENCH"
LETTERS = "的一是在不了有和人这中大为上个国我以要他"
EACH = 10_000  # pairs per paradigm
TICK = os.sysconf("SC_CLK_TCK")
FEW = 3 * (os.cpu_count() or 1)  # pairs per paradigm with which all workers start: one worker starts per 500 sentences


def make_pairs(folder: Path, count: int) -> None:
    """Write a folder of pairs as `bidui generate` does, line by line; sentences of eleven characters, all different."""
    files = {}
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, count, EACH):
        file = folder / f"p{start // EACH:05d}.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for number in range(start, min(start + EACH, count)):
                text = "".join(LETTERS[number // 20**place % 20] for place in range(6))
                record = {
                    "sentence_good": f"{text}他在这里。",
                    "sentence_bad": f"{text}他这里在。",
                    "UID": file.stem,
                    "phenomenon": "order",
                    "pairID": number - start,
                }
                lines.write(json.dumps(record, ensure_ascii=False) + "\n")
        files[file.name] = {"sha256": file_hash(file), "pairs": min(EACH, count - start)}
    manifest = {"version": tool_version(), "asked": {}, "inputs": {}, "files": files, "short": {}, "finished": True}
    write_json(folder / "manifest.json", manifest)


def write_arpa(file: Path) -> None:
    """Write a bigram model of these characters."""
    words = ["<unk>", "<s>", "</s>", *LETTERS, "里", "。"]
    ones = [f"{-1 - at / 10:.1f}\t{word}\t-0.5" for at, word in enumerate(words)]
    twos = [f"{-0.5 - at / 100:.2f}\t{one} {two}" for one in LETTERS for at, two in enumerate(LETTERS)]
    head = ["\\data\\", f"ngram 1={len(ones)}", f"ngram 2={len(twos)}", ""]
    lines = [*head, "\\1-grams:", *ones, "", "\\2-grams:", *twos, "", "\\end\\", ""]
    file.write_text("\n".join(lines), encoding="utf-8")


# Measurement: every process that has the mark in its environment.


def processes(mark: str) -> Iterator[tuple[int, str]]:
    """Yield the processes of a benchmark, and what they are: the driver, a worker or Ray's own."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (path / "environ").read_bytes():
                line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                worker = line.startswith("ray::_Worker") or "multiprocessing" in line or "bidui train" in line
                yield int(path.name), "worker" if worker else "driver" if "-m bidui" in line else "ray"
        except OSError:
            continue


def pss(process: int) -> int:
    """Return the proportional set size in bytes."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)


def cpu(process: int) -> float:
    """Return the seconds of CPU that a process has used, without its children."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


def on_gpu(process: int) -> bool:
    """Return whether a process has a GPU open."""
    with suppress(OSError):
        return any(str(file.readlink()).startswith("/dev/nvidia0") for file in Path(f"/proc/{process}/fd").iterdir())
    return False


def gpu_used() -> float:
    """Return the bytes in use on the first GPU, by whomever; 0 without one."""
    if not shutil.which("nvidia-smi"):
        return 0.0
    query = ("nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0")
    return float(subprocess.run(query, capture_output=True, text=True, check=True).stdout) * 2**20


def busy() -> float:
    """Return the seconds of CPU that all processes of this machine have used."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    return sum(int(field) for number, field in enumerate(fields[:8]) if number not in (3, 4)) / TICK


def measure(
    *commands: Sequence[str],
    every: float = 0.5,
    threads: int = 1,
    memory: bool = True,
    gpu: bool = False,
) -> dict[str, float]:
    """Run bidui commands at the same time; return wall clock, CPU, that of others, and peak memory by kind of process.

    Times are in seconds, memory in bytes. With `gpu`, also its peak memory, and the most workers that had it open.
    """
    mark = os.urandom(4).hex()
    added = {MARK: mark, "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "OMP_NUM_THREADS": str(threads)}
    environment = {**os.environ, **added}
    began, elsewhere, used = time.monotonic(), busy() - time.process_time(), dict[int, float]()
    peak = dict.fromkeys(("driver", "worker", "workers", "ray", "gpu", "sharing"), 0.0)  # of one worker, and of all
    started = [subprocess.Popen([sys.executable, "-P", "-m", "bidui", *words], env=environment) for words in commands]
    while any(process.poll() is None for process in started):
        found = list(processes(mark))
        used |= {number: max(used.get(number, 0.0), cpu(number)) for number, _ in found}
        if memory:
            sizes = [(kind, pss(number)) for number, kind in found]
            for kind in ("driver", "worker", "ray"):
                peak[kind] = max(peak[kind], *(size for other, size in sizes if other == kind), 0)
            peak["workers"] = max(peak["workers"], sum(size for kind, size in sizes if kind == "worker"))
        if gpu:
            peak["gpu"] = max(peak["gpu"], gpu_used())
            peak["sharing"] = max(peak["sharing"], sum(on_gpu(number) for number, kind in found if kind == "worker"))
        with suppress(subprocess.TimeoutExpired):
            started[0].wait(every) if started[0].poll() is None else time.sleep(min(every, 0.05))
    wall = time.monotonic() - began
    if any(process.returncode for process in started):
        raise SystemExit(max(process.returncode for process in started))
    own = sum(used.values())
    others = max(0.0, busy() - time.process_time() - elsewhere - own)
    return {"wall": wall, "cpu": own, "others": others / wall / (os.cpu_count() or 1), **peak}


def show(name: str, figures: Mapping[str, float]) -> None:
    memory = ", ".join(
        f"{kind} {figures[kind] / 1e6:,.0f} MB" for kind in ("driver", "worker", "workers", "gpu") if figures[kind]
    )
    print(f"{name}: {figures['wall']:.1f} s, {figures['cpu']:.1f} s of CPU, peak memory: {memory}", flush=True)


def memory(count: int, on: str, folder: Path) -> None:
    """Score so many pairs with a bigram model."""
    pairs, model = folder / f"pairs-{count}", folder / "bigram.arpa"
    write_arpa(model)
    if not (pairs / "manifest.json").is_file():
        make_pairs(pairs, count)
    out = folder / f"results-{count}-{on.replace(':', '-')}"
    show(
        f"{count:,} pairs, --on {on}",
        measure(("score", str(pairs), "--model", f"ngram:{model}", "--on", on, "-o", str(out)), every=2.0),
    )


def generated(folder: Path, *, n: int) -> Path:
    """Return a folder of pairs of ZhoBLiMP, which are generated once."""
    pairs = folder / f"zhoblimp-{n}"
    if not pairs.is_dir():
        words = ("generate", "zhoblimp", "-n", str(n), "-o", str(pairs))
        subprocess.run([sys.executable, "-P", "-m", "bidui", *words], check=True)
    return pairs


def command(pairs: Path, on: str, folder: Path, *more: str) -> tuple[str, ...]:
    """Return the words of a command that scores pairs into a new folder."""
    return ("score", str(pairs), *more, "--on", on, "-o", str(folder / f"out-{os.urandom(4).hex()}"))


def whole(on: str, folder: Path, *, n: int, model: tuple[str, ...] = ()) -> dict[str, float]:
    """Score pairs of ZhoBLiMP."""
    return measure(command(generated(folder, n=n), on, folder, *model))


def overhead(folder: Path) -> None:
    """Compare CPU with that of a run that has next to nothing to do, which is the start."""
    costs = {}
    for on in ("processes:2", "ray"):
        start, all_of_it = whole(on, folder, n=FEW), whole(on, folder, n=300)
        costs[on] = all_of_it["cpu"] - start["cpu"]
        show(f"start, --on {on}", start)
        show(f"35,400 pairs, --on {on}", all_of_it)
    print(f"ray / processes, start aside: {costs['ray'] / costs['processes:2']:.2f}")


def halves(pairs: Path, count: int) -> list[Path]:
    """Return folders that share out the paradigms of a folder."""
    folders = [pairs.with_name(f"{pairs.name}-{number}-of-{count}") for number in range(count)]
    for number, file in enumerate(sorted(pairs.glob("*.jsonl"))):
        target = folders[number % count] / file.name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(file.read_bytes())
    return folders


def cores(folder: Path) -> None:
    """Compare the wall clock of one thread with that of all cores, start aside, as a table; the best of two rounds.

    The last row is what the machine itself gives: as many commands as cores, each with its share of the paradigms.
    """
    count = os.cpu_count() or 1
    few, many = generated(folder, n=FEW), generated(folder, n=150)
    kinds = {
        "one process, one thread": ("local", 1, 1),
        f"one process, {count} threads": ("local", count, 1),
        f"`processes:{count}`, one thread each": (f"processes:{count}", 1, 1),
        f"`ray`, {count} workers of one thread": ("ray", 1, 1),
        f"{count} commands with a share of the pairs each": ("local", 1, count),
    }
    best: dict[tuple[str, Path], dict[str, float]] = {}
    for _ in range(2):
        for name, (on, threads, commands) in kinds.items():
            for pairs in (few, many):
                shares = halves(pairs, commands) if commands > 1 else [pairs]
                words = [command(share, on, folder) for share in shares]
                figures = measure(*words, threads=threads, memory=False)
                before = best.get((name, pairs))
                best[name, pairs] = figures if before is None or figures["wall"] < before["wall"] else before
    print(f"\n17,700 pairs, {count} cores; CPU used by others: {max(f['others'] for f in best.values()):.0%} at most\n")
    print("| | start | wall clock, start aside | one thread / this | CPU, start aside |\n|---|---|---|---|---|")
    walls = {name: best[name, many]["wall"] - best[name, few]["wall"] for name in kinds}
    first = next(iter(walls.values()))
    for name, wall in walls.items():
        used = best[name, many]["cpu"] - best[name, few]["cpu"]
        print(f"| {name} | {best[name, few]['wall']:.1f} s | {wall:.1f} s | {first / wall:.2f} | {used:.1f} s |")


def random_model(folder: Path, size: str, *, seed: int = 0) -> Path:
    """Write a model of this size with random weights and the tokenizer of the shipped model."""
    import torch
    from transformers import GPTNeoXForCausalLM

    from bidui.models.specs import DEFAULT, parse_spec
    from bidui.training.sizes import SIZES, neox_config

    model = folder / f"{size}-{seed}"
    if not model.is_dir():
        shipped = Path(parse_spec(DEFAULT).name)
        vocabulary = json.loads((shipped / "config.json").read_text())["vocab_size"]
        torch.manual_seed(seed)
        GPTNeoXForCausalLM(neox_config(SIZES[size], vocabulary=vocabulary)).save_pretrained(model)
        for file in shipped.glob("*token*"):
            (model / file.name).write_bytes(file.read_bytes())
    return model


def weights(folder: Path) -> None:
    """Compare the memory of two workers with that of one: the weights are there once."""
    model = random_model(folder, "70m")
    size = sum(file.stat().st_size for file in model.glob("*.safetensors"))
    print(f"weights: {size / 1e6:,.0f} MB")
    for on in ("processes:1", "processes:2", "ray"):
        show(f"--on {on}", whole(on, folder, n=18, model=("--model", f"hf:{model}")))


SUITE = """format: 1
tokenizers: {char: {kind: char, least: 1}}
runs: [{sizes: [14m], tokens: [200k], seeds: [0, 1]}]
train: {batch: 16, context: 128, milestones: "geometric:3"}
"""


def same(folder: Path, other: Path, *, form: str) -> str:
    """Say how many files of a form are the same in two folders."""
    files = [file for file in sorted(folder.rglob(form)) if file.is_file()]
    equal = [file for file in files if (other / file.relative_to(folder)).read_bytes() == file.read_bytes()]
    return f"{len(equal)} of {len(files)} {form} files are the same"


def gpu(folder: Path, *, device: str, sizes: Sequence[str], n: int) -> None:
    """Score with several models, and train two, one by one and then at once on the same GPU."""
    pairs = generated(folder, n=n)
    models = [random_model(folder, size, seed=number) for number, size in enumerate(sizes)]
    named = [word for model in models for word in ("--model", f"hf:{model}")]
    few = generated(folder, n=1)
    walls = {}
    for on in ("local", "ray"):
        start = measure(("score", str(few), *named, "--device", device, "--on", on, "-o", str(folder / f"few-{on}")))
        words = ("score", str(pairs), *named, "--device", device, "--on", on, "-o", str(folder / on))
        figures = measure(words, gpu=True)
        show(f"{len(models)} models ({', '.join(sizes)}), {118 * n:,} pairs, --on {on}", figures)
        print(f"  start, with {118:,} pairs: {start['wall']:.1f} s; workers that had the GPU open at once:", end=" ")
        print(f"{figures['sharing']:.0f}")
        walls[on] = figures["wall"], figures["wall"] - start["wall"]
    whole_run, aside = (one / other for one, other in zip(walls["local"], walls["ray"], strict=True))
    print(f"local / ray: {whole_run:.2f}; start aside {aside:.2f}; {same(folder / 'local', folder / 'ray', form='*')}")
    lines = [json.loads(line) for file in sorted(pairs.glob("*.jsonl")) for line in file.read_text().splitlines()]
    (folder / "text.txt").write_text("\n".join(line["sentence_good"] for line in lines * (1 + 20_000 // len(lines))))
    (folder / "suite.yaml").write_text(SUITE)
    for on in ("local", "ray"):
        out = folder / f"runs-{on}"
        words = ("suite", str(folder / "suite.yaml"), "run", "--text", str(folder / "text.txt"))
        figures = measure((*words, "--device", device, "--on", on, "-o", str(out)), gpu=True)
        show(f"a suite of two runs, --on {on}", figures)
        print(f"  runs that had the GPU open at once: {figures['sharing']:.0f}")
    print(same(folder / "runs-local", folder / "runs-ray", form="*.safetensors"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("memory", "overhead", "cores", "weights", "gpu"))
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--on", default="processes:2")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--device", default="cuda", help="of gpu; cpu tries the command out")
    parser.add_argument("--sizes", default="14m,14m,14m,14m,160m,160m", help="of the models of gpu")
    parser.add_argument("-n", type=int, default=300, help="pairs per paradigm of gpu")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if given.what == "memory":
            memory(given.pairs, given.on, folder)
        elif given.what == "gpu":
            gpu(folder, device=given.device, sizes=given.sizes.split(","), n=given.n)
        else:
            {"overhead": overhead, "cores": cores, "weights": weights}[given.what](folder)


if __name__ == "__main__":
    main()
