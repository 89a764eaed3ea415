"""Language models behind one protocol: sentences in, token scores out.

`model.Model` is the protocol and `TokenScores` what it gives for each sentence; open `model.py` first.
`specs.load_model` turns a spec such as `hf:FOLDER` into a model: `huggingface` loads the causal, masked and
encoder-decoder models of transformers, and `native` (with `tokenizer_file`) runs the most frequent causal ones without
it; `lstm`, `ngram`, `api` and `given` are the others. `fingerprint` hashes all that
decides a score. `conventions` decides what stands before and after a sentence, `tokenize` finds the characters that
each token covers, and `prefix_tree` packs sentences so that what they have in common at their beginnings is run only
once. Nothing here knows about pairs; `scores/` does.
"""
