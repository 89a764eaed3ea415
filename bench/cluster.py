"""Work on several machines: memory from 100,000 to 10,000,000 pairs, the overhead of Ray, and scaling with the cores.

    python bench/cluster.py memory --pairs 100000 --on processes:2
    nice python bench/cluster.py memory --pairs 10000000 --on ray --folder /scratch/pairs
    python bench/cluster.py overhead      # CPU of --on ray and --on processes:2 for the 35,400 pairs of ZhoBLiMP
    python bench/cluster.py cores         # wall clock of one process, of two, and of two Ray workers
    python bench/cluster.py weights       # memory of two workers that share a model of 70M parameters, and of one alone

Every figure is that of a process of its own and all that it starts, which are known by a variable in their environment.
The memory of a process is its proportional set size (Linux): what several processes share counts once.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bidui.files import file_hash, tool_version, write_json

MARK = "BIDUI_BENCH"
LETTERS = "的一是在不了有和人这中大为上个国我以要他"
EACH = 10_000  # pairs per paradigm
TICK = os.sysconf("SC_CLK_TCK")


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
                worker = line.startswith("ray::_Worker") or "multiprocessing" in line
                yield int(path.name), "worker" if worker else "driver" if "bidui score" in line else "ray"
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


def measure(*words: str, every: float = 0.5) -> dict[str, float]:
    """Run a bidui command; return its wall clock, CPU, and peak memory by kind of process, in seconds and bytes."""
    mark = os.urandom(4).hex()
    environment = {**os.environ, MARK: mark, "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    environment.setdefault("OMP_NUM_THREADS", "1")
    began, used = time.monotonic(), dict[int, float]()
    peak = {"driver": 0, "worker": 0, "workers": 0, "ray": 0}  # of one worker, and of all together
    process = subprocess.Popen([sys.executable, "-P", "-m", "bidui", *words], env=environment)
    while process.poll() is None:
        workers = 0
        for number, kind in processes(mark):
            used[number] = max(used.get(number, 0.0), cpu(number))
            size = pss(number)
            peak[kind] = max(peak[kind], size)
            workers += size if kind == "worker" else 0
        peak["workers"] = max(peak["workers"], workers)
        time.sleep(every)
    if process.returncode:
        raise SystemExit(process.returncode)
    return {"wall": time.monotonic() - began, "cpu": sum(used.values()), **peak}


def show(name: str, figures: dict[str, float]) -> None:
    memory = ", ".join(
        f"{kind} {figures[kind] / 1e6:,.0f} MB" for kind in ("driver", "worker", "workers") if figures[kind]
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
        measure("score", str(pairs), "--model", f"ngram:{model}", "--on", on, "-o", str(out)),
    )


def whole(on: str, folder: Path, *, n: int, model: tuple[str, ...] = ()) -> dict[str, float]:
    """Score pairs of ZhoBLiMP, which are generated once."""
    pairs = folder / f"zhoblimp-{n}"
    if not pairs.is_dir():
        subprocess.run(
            [sys.executable, "-P", "-m", "bidui", "generate", "zhoblimp", "-n", str(n), "-o", str(pairs)], check=True
        )
    out = folder / f"{on.replace(':', '-')}-{n}-{os.urandom(2).hex()}"
    return measure("score", str(pairs), *model, "--on", on, "-o", str(out), every=0.1)


def overhead(folder: Path) -> None:
    """Compare CPU with that of a run that has next to nothing to do, which is the start."""
    costs = {}
    for on in ("processes:2", "ray"):
        start, all_of_it = whole(on, folder, n=1), whole(on, folder, n=300)
        costs[on] = all_of_it["cpu"] - start["cpu"]
        show(f"start, --on {on}", start)
        show(f"35,400 pairs, --on {on}", all_of_it)
    print(f"ray / processes, start aside: {costs['ray'] / costs['processes:2']:.2f}")


def cores(folder: Path) -> None:
    """Compare the wall clock of one process with that of two, start aside."""
    walls = {}
    for on in ("processes:1", "processes:2", "ray"):
        start, all_of_it = whole(on, folder, n=1), whole(on, folder, n=300)
        walls[on] = all_of_it["wall"] - start["wall"]
        show(f"35,400 pairs, --on {on}", all_of_it)
    for on in ("processes:2", "ray"):
        print(f"processes:1 / {on}, start aside: {walls['processes:1'] / walls[on]:.2f}")


def weights(folder: Path) -> None:
    """Compare the memory of two workers with that of one: the weights are there once."""
    import torch
    from transformers import GPTNeoXForCausalLM

    from bidui.models.specs import DEFAULT, parse_spec
    from bidui.training.sizes import SIZES, neox_config

    model = folder / "70m"
    if not model.is_dir():
        shipped = Path(parse_spec(DEFAULT).name)
        vocabulary = json.loads((shipped / "config.json").read_text())["vocab_size"]
        torch.manual_seed(0)
        GPTNeoXForCausalLM(neox_config(SIZES["70m"], vocabulary=vocabulary)).save_pretrained(model)
        for file in shipped.glob("*token*"):
            (model / file.name).write_bytes(file.read_bytes())
    size = sum(file.stat().st_size for file in model.glob("*.safetensors"))
    print(f"weights: {size / 1e6:,.0f} MB")
    for on in ("processes:1", "processes:2", "ray"):
        show(f"--on {on}", whole(on, folder, n=18, model=("--model", f"hf:{model}")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("memory", "overhead", "cores", "weights"))
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--on", default="processes:2")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if given.what == "memory":
            memory(given.pairs, given.on, folder)
        else:
            {"overhead": overhead, "cores": cores, "weights": weights}[given.what](folder)


if __name__ == "__main__":
    main()
