"""Speed of training on a GPU: our step beside a plain loop over transformers, eager, in one run.

    python bench/training.py [--sizes 14m,70m] [--profile]      prints the table that docs/benchmarks.md quotes

Needs torch, transformers and numpy only. Rows are random and so are weights: times do not depend on them.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch
from transformers import GPTNeoXForCausalLM

from bidui.training.network import neox_hidden
from bidui.training.recipe import RunRecipe
from bidui.training.sizes import SIZES, neox_config
from bidui.training.step import Step, make_step

VOCABULARY = 49_953  # of Chinese-LLaMA's tokenizer, as in the paper
BATCH, CONTEXT = 256, 64
STEPS = {"14m": 100, "70m": 60, "160m": 40, "410m": 20, "1.4b": 10}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--vocabulary", type=int, default=VOCABULARY)
    parser.add_argument("--no-eager", action="store_true")
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, vocabulary {asked.vocabulary:,}")
    rows = np.random.RandomState(0).randint(0, asked.vocabulary, (BATCH * 40, CONTEXT)).astype(np.uint16)
    for name in asked.sizes.split(","):
        eager = 0.0 if asked.no_eager else speed(plain(name, asked.vocabulary, rows), count=max(5, STEPS[name] // 3))
        torch.cuda.empty_cache()
        began = time.perf_counter()
        step = ours(name, asked.vocabulary, rows)
        run(step, rows)(5)
        ready = time.perf_counter() - began
        torch.cuda.reset_peak_memory_stats()
        found = sorted(speed(run(step, rows), count=STEPS[name]) for _ in range(3))[1]
        memory = torch.cuda.max_memory_allocated() / 2**30
        ratio = f"{found / eager:.2f}" if eager else "-"
        print(
            f"{name}: ours {found:.4f} M tokens/s (median of 3), plain {eager:.4f}, ratio {ratio}; "
            f"ready after {ready:.0f} s, {memory:.1f} GiB, loss {float(step.loss):.3f}",
            flush=True,
        )
        if asked.profile:
            profile(step, rows)
        del step
        torch.cuda.empty_cache()


def network_of(name: str, vocabulary: int) -> GPTNeoXForCausalLM:
    """On the device from the start, since times do not depend on the weights."""
    with torch.device("cuda"):
        return GPTNeoXForCausalLM(neox_config(SIZES[name], vocabulary=vocabulary, context=CONTEXT)).train()


def plain(name: str, vocabulary: int, rows: np.ndarray) -> Callable[[int], None]:
    """What people write: the model's own loss, bf16 autocast, fused AdamW, clipping."""
    network = network_of(name, vocabulary)
    optimizer = torch.optim.AdamW(network.parameters(), lr=6e-4, fused=True)
    held = torch.from_numpy(rows.astype(np.int64)).cuda()

    def steps(count: int) -> None:
        for number in range(count):
            tokens = held[number % 40 * BATCH : (number % 40 + 1) * BATCH]
            with torch.autocast("cuda", torch.bfloat16):
                loss = network(input_ids=tokens, labels=tokens).loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()

    return steps


def ours(name: str, vocabulary: int, rows: np.ndarray) -> Step:
    """The step that `bidui train` runs."""
    recipe = RunRecipe(name, "", "", vocabulary, "line", rows.size, precision="bfloat16", mode="captured")
    network = network_of(name, vocabulary)
    return make_step(network, neox_hidden(network), network.get_output_embeddings(), rows=rows, recipe=recipe)


def run(step: Step, rows: np.ndarray) -> Callable[[int], None]:
    """Steps with the order, the rate and the reading of losses that training has."""

    def steps(count: int) -> None:
        losses = []
        for number in range(count):
            start = number % 40 * BATCH
            step.run(np.arange(start, start + BATCH), rate=6e-4, seed=0)
            losses.append(step.loss.clone())
            if number % 10 == 9:
                torch.stack(losses).tolist()

    return steps


def speed(steps: Callable[[int], None], *, count: int) -> float:
    """Million tokens a second."""
    steps(3)
    torch.cuda.synchronize()
    began = time.perf_counter()
    steps(count)
    torch.cuda.synchronize()
    return count * BATCH * CONTEXT / (time.perf_counter() - began) / 1e6


def profile(step: Step, rows: np.ndarray) -> None:
    """Where a step spends its time, by kernel."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as found:
        run(step, rows)(5)
        torch.cuda.synchronize()
    print(found.key_averages().table(sort_by="cuda_time_total", row_limit=40, max_name_column_width=70))


if __name__ == "__main__":
    main()
