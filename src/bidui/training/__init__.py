"""Training: tokenizers, corpora, and language models from scratch.

In comes text (`documents`). `tokenizers` trains a tokenizer on it, `build` encodes it as a shuffled stream of token
ids, and `corpus` reads that stream as rows. `run.train` is the whole of a training run and the file to open first: a
`Recipe` and a corpus give a network (`network`, in one of the `sizes`), which `loop` trains `step` by step;
`checkpoints` is what the run's folder holds, and checkpoints are scored on pairs as they are saved. `suite` lists the
runs of the paper and their costs. `ngram` estimates n-gram models, with the counting in `ngram_counts`. Out come model
folders that `bidui score` loads.

This room needs torch, transformers, tokenizers, numpy and safetensors, and nothing else until pairs are scored.
"""
