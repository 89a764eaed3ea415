"""What a version of transformers, and bidui with it, make of a checkpoint; also a program, for another Python.

python -m tests.training.version_probe FOLDER SENTENCE…
"""

import json
import sys

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from bidui.models.specs import load_model

Probe = dict[str, object]


def probe(folder: str, sentences: list[str]) -> Probe:
    """Tokens and log-probabilities of sentences by transformers alone, and by bidui."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForCausalLM.from_pretrained(folder).eval()
    ids = [tokenizer.encode(sentence, add_special_tokens=False) for sentence in sentences]
    logprobs = []
    for sentence in ids:
        tokens = torch.tensor([[tokenizer.bos_token_id, *sentence]])
        with torch.inference_mode():
            values = network(tokens).logits.log_softmax(-1)[0, :-1].gather(-1, tokens[0, 1:, None])
        logprobs.append(values[:, 0].tolist())
    scored = [scores.logprobs.tolist() for scores in load_model(folder).score(sentences)]
    return {"version": transformers.__version__, "ids": ids, "logprobs": logprobs, "bidui": scored}


if __name__ == "__main__":
    print(json.dumps(probe(sys.argv[1], sys.argv[2:])))
