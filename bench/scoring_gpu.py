"""Speed of scoring on a GPU: our way beside the published one (padded to 64, fp32, full log-softmax), in one run.

    bidui generate zhoblimp -o demo/zhoblimp
    python bench/scoring_gpu.py demo/zhoblimp        prints the figures that docs/benchmarks.md quotes

Needs torch, transformers and numpy only. Weights are random: times do not depend on them.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertForMaskedLM, GPTNeoXConfig, GPTNeoXForCausalLM, PreTrainedTokenizerFast

from bidui.models.causal import TF32, CausalModel
from bidui.models.conventions import Conventions
from bidui.models.masked import MaskedModel
from bidui.models.model import Declared
from bidui.models.tokenize import DECLARED, encode_flat

VOCABULARY = 49_953  # of Chinese-LLaMA's tokenizer, as in the paper
SHAPES = {"14M": (6, 128, 4), "160M": (12, 768, 12), "410M": (24, 1024, 16), "1.4B": (24, 2048, 16)}
PADDED_PART = {"14M": 1, "160M": 1, "410M": 4, "1.4B": 10}  # the padded way runs on every n-th batch


def main() -> None:
    """Measure and print."""
    sentences = read_sentences(Path(sys.argv[1]))
    tokenizer = character_tokenizer(sentences)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(f"{len(sentences):,} sentences, {sum(map(len, sentences)):,} tokens, {torch.__version__}, {device}")
    start = time.perf_counter()
    encode_flat(tokenizer, sentences)
    print(f"tokenizing alone, included in what follows: {time.perf_counter() - start:.2f} s")
    for name, shape in SHAPES.items():
        network = neox(*shape)
        torch.nn.Module.to(network, device)  # transformers decorates its own with types that take nothing
        scores = {}
        for dtype in ("float32", TF32, "bfloat16"):
            torch.nn.Module.to(network, torch.bfloat16 if dtype == "bfloat16" else torch.float32)
            declared: Declared = {"dtype": dtype}
            model = CausalModel(name, network, tokenizer, Conventions(1), declared, (1 << 30) // VOCABULARY, 128)
            list(model.score(sentences[:2000]))  # kernels are chosen with the first batches
            model.positions = 0
            seconds, found = timed(model, sentences)
            scores[dtype] = found
            print(f"{name} {dtype}: {seconds:.2f} s, {model.positions:,} positions, trees to {model.reach}", flush=True)
        for dtype in (TF32, "bfloat16"):
            flips = turned(scores["float32"], scores[dtype])
            print(f"{name}: {flips} of {len(sentences) // 2:,} choices turn in {dtype} (random weights)")
        if "--no-padded" in sys.argv:
            continue
        network.float()
        part = PADDED_PART[name]
        seconds = padded(network, tokenizer, sentences, part=part) * part
        print(f"{name} padded to 64, fp32: {seconds:.1f} s" + (f" (from every {part}th batch)" if part > 1 else ""))
    masked(sentences, tokenizer, device)


def read_sentences(folder: Path) -> list[str]:
    """Good and bad in turn."""
    found = []
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            found += [pair["sentence_good"], pair["sentence_bad"]]
    return found


def character_tokenizer(sentences: list[str]) -> PreTrainedTokenizerFast:
    """A token a character, declared as `bidui tokenizer train char` does."""
    tokens = ["<unk>", "<s>", "</s>", "[PAD]", "[MASK]", "[CLS]", "[SEP]", *sorted({c for s in sentences for c in s})]
    inner = Tokenizer(models.WordLevel({token: n for n, token in enumerate(tokens)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    marks = {"mask_token": "[MASK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", DECLARED: "char"}
    return PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<s>", unk_token="<unk>", **marks)


def neox(layers: int, width: int, heads: int) -> GPTNeoXForCausalLM:
    """A model of Zh-Pythia's shape."""
    config = GPTNeoXConfig(
        vocab_size=VOCABULARY,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        max_position_embeddings=64,
        initializer_range=0.08,
    )
    return GPTNeoXForCausalLM(config).eval()


def timed(model: CausalModel | MaskedModel, sentences: list[str]) -> tuple[float, np.ndarray]:
    """Seconds from sentences to token scores, tokenizing included, and the sums."""
    start = time.perf_counter()
    found = list(model.score(sentences))
    seconds = time.perf_counter() - start
    return seconds, np.array([scores.logprob for scores in found])


def turned(one: np.ndarray, other: np.ndarray) -> int:
    """How many pairs are chosen otherwise."""
    return int(((one[::2] > one[1::2]) != (other[::2] > other[1::2])).sum())


@torch.inference_mode()
def padded(
    network: GPTNeoXForCausalLM, tokenizer: PreTrainedTokenizerFast, sentences: list[str], *, part: int
) -> float:
    """The published way: batches of 100, every sentence padded to 64, the log-softmax of every position."""
    texts = ["<s>" + sentence for sentence in sentences]
    start = time.perf_counter()
    for first in range(0, len(texts), 100 * part):
        batch = tokenizer(texts[first : first + 100], padding="max_length", max_length=64, return_tensors="pt")
        ids = batch["input_ids"].to(network.device)
        logits = network(input_ids=ids, attention_mask=batch["attention_mask"].to(network.device)).logits
        logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1).sum().item()
    return time.perf_counter() - start


def masked(sentences: list[str], tokenizer: PreTrainedTokenizerFast, device: torch.device) -> None:
    """A masked model of BERT's base shape, on a tenth of the pairs."""
    network = BertForMaskedLM(BertConfig(vocab_size=21_128)).eval().to(device)
    some = sentences[: len(sentences) // 10]
    for dtype in (torch.float32, torch.bfloat16):
        network.to(dtype)
        model = MaskedModel("bert-base", network, tokenizer, {}, batch_tokens=65_536)
        list(model.score(some[:200]))
        seconds, _ = timed(model, some)
        print(f"bert-base {dtype}, pseudo-log-likelihood of {len(some):,} sentences: {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
