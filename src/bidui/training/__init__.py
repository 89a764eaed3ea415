"""Training: tokenizers, corpora, and language models from scratch."""
