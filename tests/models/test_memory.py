"""Memory: one very long sentence, alone or among many short ones, needs no more than its hidden states."""

import subprocess
import sys

import pytest

WORKER = """
import resource, sys
import numpy as np
import torch
from bidui.models.causal import CausalModel
from bidui.models.conventions import Conventions
from tests.models.small import network, tokenizer

torch.set_num_threads(1)
found = network(sys.argv[1], context=8192, vocab_size=50_000)
scored = CausalModel("m", found, tokenizer(), Conventions(1), {})
draw = np.random.default_rng(0)
short = draw.integers(8, 50_000, (200, 10)).astype(np.int32)
scored.run(short.ravel(), np.full(200, 10))  # what any run needs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
flat = np.append(np.tile(short, (40, 1)).ravel(), draw.integers(8, 50_000, 6_000).astype(np.int32))
values = scored.run(flat, np.append(np.full(8_000, 10), 6_000))
assert np.isfinite(values).all() and len(values) == 8_000 * 9 + 5_999
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
@pytest.mark.parametrize("kind", ["llama", "cohere"])  # a product, and a head that the network runs
def test_a_sentence_of_six_thousand_tokens_takes_little_memory(kind: str) -> None:
    """Its logits alone would be 1.2 GB, and a table of 8,001 sentences by the longest 0.4 GB for each number."""
    done = subprocess.run([sys.executable, "-c", WORKER, kind], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 400  # MB
