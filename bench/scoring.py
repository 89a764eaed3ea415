"""Speed and agreement of scoring on one core, beside minicons 0.3.39, lm-evaluation-harness 0.4.13 and plain padding.

    python bench/scoring.py --rivals PYTHON --rivals4 PYTHON     prints the figures that docs/benchmarks.md quotes

The rivals are no dependencies of bidui: PYTHON is the interpreter of an environment of their own, made with
`pip install torch==2.13.0 minicons==0.3.39 lm_eval==0.4.13 accelerate`. The masked scorer of minicons 0.3.39 fails with
transformers 5; `--rivals4` is an environment with `pip install torch==2.13.0 'transformers<5' minicons==0.3.39`.

Models have random weights, except for the one that comes with bidui. Every tool runs in a process of its own, one
thread, and is charged all CPU seconds of that process, start-up and loading included. Ours is the command `bidui score`
and also writes its tables of token scores; the others write a sum a sentence. Tools take turns, so that what else the
machine does is spread over all of them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast
from transformers.utils.logging import disable_progress_bar

from bidui.benchmarks import generate
from bidui.models.specs import SHIPPED
from bidui.pairs import Pair, Pairs, pairs_to_bytes
from bidui.scores.table import read_scores, score_folders

BAR = 1e-4  # how far summed log-probabilities may be apart
TOOLS = ("ours", "minicons", "lm-eval", "padded")
BATCH = 100  # sentences, of the others; what the released ZhoBLiMP code has
SPECIAL = ("<unk>", "<s>", "</s>", "[MASK]", "[CLS]", "[SEP]", "[PAD]")
FILLERS = [*range(0x4E00, 0x9FFF), *range(0x3400, 0x4DBF), *range(0x20000, 0x2A6DF)]  # blocks of CJK characters
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "POLARS_MAX_THREADS")

# Every worker is given a model, pairs as JSONL, sentences as JSON, and a file for what it found.
START = """
import json, sys, time
model, pairs, sentences, out = sys.argv[1:]
sentences = json.load(open(sentences, encoding="utf-8"))
def finish(sums, loaded, positions=None):
    json.dump({"sums": sums, "loaded": loaded, "positions": positions}, open(out, "w"))
"""

OURS = """
import bidui
from bidui.cli.main import app
score, seen = bidui.score, []
def noted(*given, on_start, **options):
    def start(model, pairs):
        seen[:] = [time.process_time(), model]
        on_start(model, pairs)
    return score(*given, on_start=start, **options)
bidui.score = noted
app(["score", pairs, "--model", model, "-o", out + ".scores"], standalone_mode=False)
finish(None, seen[0], seen[1].positions)
"""

PADDED = f"""
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(model)
network = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32).eval()
loaded = time.process_time()
sums = []
with torch.no_grad():
    for start in range(0, len(sentences), {BATCH}):
        batch = [tokenizer.bos_token + text for text in sentences[start : start + {BATCH}]]
        taken = tokenizer(batch, padding="max_length", max_length=64, truncation=True, return_tensors="pt")
        ids, seen = taken["input_ids"], taken["attention_mask"]
        logprobs = network(input_ids=ids, attention_mask=seen).logits.log_softmax(dim=-1)
        read = logprobs[:, :-1].gather(2, ids[:, 1:, None])[:, :, 0] * seen[:, 1:]
        sums += read.sum(dim=1).tolist()
finish(sums, loaded, 64 * len(sentences))
"""

MINICONS = f"""
from minicons import scorer
found = scorer.IncrementalLMScorer(model, "cpu")
loaded = time.process_time()
sums = []
for start in range(0, len(sentences), {BATCH}):
    batch = sentences[start : start + {BATCH}]
    sums += found.sequence_score(batch, reduction=lambda x: x.sum(0).item(), bos_token=True)
finish(sums, loaded)
"""

LM_EVAL = f"""
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
found = HFLM(model, device="cpu", dtype="float32", batch_size={BATCH})
assert found.prefix_token_id == found.tokenizer.bos_token_id
loaded = time.process_time()
asked = [Instance("loglikelihood", {{}}, ("", text), number) for number, text in enumerate(sentences)]
finish([value for value, _ in found.loglikelihood(asked, disable_tqdm=True)], loaded)
"""

MINICONS_MASKED = """
from minicons import scorer
found = scorer.MaskedLMScorer(model, "cpu")
loaded = time.process_time()
sums = []
for start in range(0, len(sentences), 16):
    sums += found.sequence_score(sentences[start : start + 16], reduction=lambda x: x.sum(0).item())
finish(sums, loaded)
"""


@dataclass(frozen=True)
class Shape:
    """A model, and which pairs it is given: so many of every so-many-th paradigm, from one on."""

    name: str
    network: str
    config: dict[str, Any]
    vocabulary: int
    every: int = 1
    start: int = 0
    pairs: int = 300
    timed: bool = True


@dataclass(frozen=True)
class Run:
    """What a tool found, and what it took."""

    cpu: float
    loading: float  # the part of it before the first sentence
    memory: float  # MB
    positions: int | None
    sums: NDArray[np.float64] = field(repr=False)


def _sizes(hidden: int, heads: int, layers: int = 6) -> dict[str, Any]:
    return {
        "hidden_size": hidden,
        "intermediate_size": 4 * hidden,
        "num_attention_heads": heads,
        "num_hidden_layers": layers,
        "max_position_embeddings": 512,
    }


GPT2 = {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 512}
# Where a part starts was chosen so that it has as many characters for a position run as the whole benchmark, 1.6.
SHAPES = (
    Shape("zh-14m-char", "", {}, 5_494),
    Shape("14M-3k", "GPTNeoXForCausalLM", _sizes(128, 4), 3_000),
    Shape("14M-50k", "GPTNeoXForCausalLM", _sizes(128, 4), 50_304, every=30, start=18),
    Shape("70M-3k", "GPTNeoXForCausalLM", _sizes(512, 8), 3_000, every=30, start=18),
    Shape("70M-50k", "GPTNeoXForCausalLM", _sizes(512, 8), 50_304, every=60, start=12),
    Shape("gpt2", "GPT2LMHeadModel", GPT2, 3_000, pairs=5, timed=False),
    Shape("llama", "LlamaForCausalLM", _sizes(64, 4, layers=2), 3_000, pairs=5, timed=False),
    Shape("bert", "BertForMaskedLM", _sizes(256, 4, layers=4), 3_000, pairs=5),
)


def save_model(shape: Shape, characters: list[str], folder: Path) -> None:
    """A checkpoint with random weights and a tokenizer with one token a character; or the model of that name."""
    if not shape.network:
        folder.symlink_to(SHIPPED / shape.name)
        return
    fillers = (chr(code) for code in FILLERS)
    tokens = list(dict.fromkeys((*SPECIAL, *characters, *fillers)))[: shape.vocabulary]
    inner = Tokenizer(models.WordLevel({token: number for number, token in enumerate(tokens)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    marks = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "[PAD]"}
    if "Masked" in shape.network:
        inner.post_processor = processors.TemplateProcessing(
            "[CLS] $A [SEP]", special_tokens=[("[CLS]", 4), ("[SEP]", 5)]
        )
        marks |= {"mask_token": "[MASK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=inner, **marks).save_pretrained(folder)
    described = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    described["tokenizer_class"] = "PreTrainedTokenizerFast"  # a name that transformers 4 also knows
    (folder / "tokenizer_config.json").write_text(json.dumps(described), encoding="utf-8")
    torch.manual_seed(0)
    kind = getattr(transformers, shape.network)
    marks_at = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 6}
    config = kind.config_class(**shape.config, vocab_size=shape.vocabulary, initializer_range=0.08, **marks_at)
    kind(config).save_pretrained(folder)


def run(python: str, worker: str, arguments: list[Path], out: Path) -> Run | str:
    """What a worker found, or the last line of its complaint."""
    threads = dict.fromkeys(ONE_THREAD, "1") | {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}
    command = [python, "-c", START + worker, *map(str, (*arguments, out))]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, env=os.environ | threads, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)  # as getrusage(RUSAGE_CHILDREN), but of this child alone
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if process.returncode:
            return (said.read().decode(errors="replace").strip().splitlines() or ["died"])[-1]
    found = json.loads(out.read_text())
    if found["sums"] is None:  # ours: a sum is what the written token scores add up to
        table = read_scores(score_folders(Path(f"{out}.scores"))[0]).table
        assert table.frame["sentence"].to_list() == json.loads(arguments[2].read_text(encoding="utf-8"))
        found["sums"] = table.totals().logprob
    sums = np.array(found["sums"], np.float64)
    return Run(used.ru_utime + used.ru_stime, found["loaded"], used.ru_maxrss / 1024, found["positions"], sums)


def taken(pairs: Pairs, shape: Shape, most: int) -> list[Pair]:
    """The pairs for a model: whole paradigms, so that beginnings are shared as they are in the whole benchmark."""
    paradigms = sorted(pairs.by_uid().items())[shape.start :: shape.every]
    return [pair for _, own in paradigms for pair in own[: min(most, shape.pairs)]]


def measure(shape: Shape, chosen: list[Pair], tools: dict[str, tuple[str, str]], folder: Path, runs: int) -> None:
    """Run the tools in turn and print a line for each, then ratios and agreement."""
    sentences = [side for pair in chosen for side in (pair.good, pair.bad)]
    (folder / "pairs.jsonl").write_bytes(pairs_to_bytes(chosen, format="jsonl"))
    (folder / "sentences.json").write_text(json.dumps(sentences), encoding="utf-8")
    paradigms = len({pair.uid for pair in chosen})
    print(f"\n{shape.name}: {len(chosen):,} pairs of {paradigms} paradigms, {runs} run(s) of each tool", flush=True)
    arguments = [folder / "model", folder / "pairs.jsonl", folder / "sentences.json"]
    cpu: dict[str, float] = {}
    score: dict[str, float] = {}
    sums: dict[str, NDArray[np.float64]] = {}
    turns: dict[str, list[Run | str]] = {tool: [] for tool in tools}
    for number in range(runs):
        for tool, (python, worker) in tools.items():
            turns[tool].append(run(python, worker, arguments, folder / f"{tool}-{number}"))
    for tool, found in turns.items():
        done = [one for one in found if isinstance(one, Run)]
        if len(done) < runs:
            print(f"  {tool:9} failed: {next(one for one in found if isinstance(one, str))}", flush=True)
            continue
        cpu[tool] = statistics.median(one.cpu for one in done)
        score[tool] = statistics.median(one.cpu - one.loading for one in done)
        sums[tool] = done[0].sums
        each = " ".join(f"{one.cpu:.1f}" for one in done)
        positions = f", {done[0].positions:,} positions" if done[0].positions else ""
        memory = max(one.memory for one in done)
        print(f"  {tool:9} CPU s {each}; without loading {score[tool]:.1f}; {memory:,.0f} MB{positions}", flush=True)
    rivals = [tool for tool in cpu if tool not in ("ours", "padded")]
    if shape.timed and "ours" in cpu:
        if rivals:
            best = min(rivals, key=cpu.__getitem__)
            ratios = f"{cpu[best] / cpu['ours']:.2f}, without loading {score[best] / score['ours']:.2f}"
            print(f"  best rival ({best}) / ours: {ratios}", flush=True)
        if "padded" in cpu:
            ratios = f"{cpu['padded'] / cpu['ours']:.2f}, without loading {score['padded'] / score['ours']:.2f}"
            print(f"  padded / ours: {ratios}; bar 10", flush=True)
    agree(sums)


def agree(sums: dict[str, NDArray[np.float64]]) -> None:
    """Print how far every two tools are apart, and how many pairs they decide differently."""
    names = list(sums)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            apart = float(np.abs(sums[one] - sums[other]).max())
            flipped = int(np.sum((sums[one][::2] > sums[one][1::2]) != (sums[other][::2] > sums[other][1::2])))
            verdict = "held" if apart <= BAR else "MISSED"
            print(f"  {one} - {other}: at most {apart:.1e} (bar {BAR:.0e} {verdict}), {flipped} decided otherwise")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rivals", metavar="PYTHON", help="of an environment with minicons and lm_eval")
    parser.add_argument(
        "--rivals4", metavar="PYTHON", help="of one with transformers<5 and minicons, for masked models"
    )
    parser.add_argument("--pairs-per-paradigm", type=int, default=300, help="fewer than 300 make it shorter")
    parser.add_argument("--every", type=int, help="take every so-many-th paradigm, whatever the model")
    parser.add_argument("--runs", type=int, default=1, help="of each tool; the median counts")
    parser.add_argument("--only", action="append", choices=[shape.name for shape in SHAPES], help="may be repeated")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only these; may be repeated")
    options = parser.parse_args()
    disable_progress_bar()
    versions = ", ".join(f"{name} {version(name)}" for name in ("bidui", "torch", "transformers"))
    print(f"{versions}; one thread; CPU seconds of the whole process")
    if not options.rivals:
        print("no --rivals PYTHON given: minicons and lm_eval are left out")
    if not options.rivals4:
        print("no --rivals4 PYTHON given: minicons is left out for the masked model")
    pairs = generate("zhoblimp", n=300, seed=0)
    characters = sorted({char for pair in pairs for char in pair.good + pair.bad})
    print(f"zhoblimp: {len(pairs):,} pairs, {len(characters)} characters")
    for shape in SHAPES:
        if options.only and shape.name not in options.only:
            continue
        tools = {"ours": (sys.executable, OURS)}
        if "Masked" in shape.network:
            tools |= {"minicons": (options.rivals4, MINICONS_MASKED)} if options.rivals4 else {}
        else:
            rivals = {"minicons": MINICONS, "lm-eval": LM_EVAL} if options.rivals else {}
            tools |= {tool: (options.rivals, worker) for tool, worker in rivals.items()}
            tools |= {"padded": (sys.executable, PADDED)}
        tools = {tool: found for tool, found in tools.items() if not options.tool or tool in options.tool}
        given = Shape(**(vars(shape) | ({"every": options.every, "start": 0} if options.every else {})))
        with tempfile.TemporaryDirectory() as name:
            save_model(shape, characters, Path(name) / "model")
            chosen = taken(pairs, given, options.pairs_per_paradigm)
            measure(given, chosen, tools, Path(name), options.runs)


if __name__ == "__main__":
    main()
