"""Language models behind one protocol: sentences in, token scores out."""
