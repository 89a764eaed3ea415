"""Runs the commands of an installed bidui, each of which must succeed; run by matrix.py with the Python to be tried.

python smoke.py plain|lm        in an empty folder
"""

import subprocess
import sys
from pathlib import Path

BIDUI = str(Path(sys.executable).parent / "bidui")
PAIRS = """sentence_good,sentence_bad,UID,phenomenon
我喝茶,我茶喝,order,syntax
他喝茶,他茶喝,order,syntax
"""
GIVEN = """
import json
for line in ("我喝茶", "我茶喝", "他喝茶", "他茶喝"):
    print(json.dumps({"sentence": line, "tokens": list(line), "logprobs": [-1 - n for n, _ in enumerate(line)]}))
"""
API = """
import bidui
print(bidui.__version__)
pairs = bidui.generate("zhoblimp", n=1, seed=0)
assert len(pairs) == 118 and pairs.frame.height == 118
scores = bidui.score("pairs.csv", "given:given.jsonl")
print(bidui.accuracy(bidui.choose(scores, "slln:0.5"), by="phenomenon"))
from fastapi import FastAPI
import bidui.web.app
"""


def run(*words: object, code: int = 0) -> None:
    command = [str(word) for word in words]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode != code or "Traceback" in done.stderr:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")


def main(extra: str) -> None:
    Path("pairs.csv").write_text(PAIRS, "utf-8")
    Path("text.txt").write_text("我喝茶\n他喝茶\n我们喝热茶\n他们喝冷水\n" * 20, "utf-8")
    given = subprocess.run([sys.executable, "-c", GIVEN], capture_output=True, check=True)
    Path("given.jsonl").write_bytes(given.stdout)
    run(BIDUI, "--help")
    run(BIDUI, "score", "--help")
    run(BIDUI, "new", "mine")
    run(BIDUI, "check", "mine", "--seconds", 0)
    run(BIDUI, "generate", "mine", "-n", 20, "-o", "pairs")
    run(BIDUI, "generate", "mine", "-n", 20, "-o", "parquet", "--format", "parquet")
    run(BIDUI, "diversity", "parquet")
    run(BIDUI, "export-lm-eval", "pairs", "-o", "tasks")
    run(BIDUI, "export-classic", "mine", "-o", "classic", code=1)  # it says which paradigms the format cannot hold
    run(BIDUI, "score", "pairs.csv", "--model", "given:given.jsonl")
    for shown in ("table", "csv", "json", "latex"):
        run(BIDUI, "compare", "results", "--format", shown)
    run(BIDUI, "compare", "results", "--by", "phenomenon")
    run(BIDUI, "report", "results", "-o", "report")
    run(BIDUI, "score", "pairs.csv", "--model", "none.arpa", code=2)
    run(BIDUI, "suite", "zh-pythia")
    run(sys.executable, "-c", API)
    if extra == "lm":
        run(BIDUI, "ngram", "text.txt", "-o", "m.arpa", "--order", 2, "--discount-fallback")
        run(BIDUI, "score", "pairs.csv", "--model", "m.arpa")
        run(BIDUI, "score", "pairs.csv")
        run(BIDUI, "tokenizer", "train", "char", "--corpus", "text.txt", "-o", "tok", "--least", 1)
        run(BIDUI, "corpus", "build", "text.txt", "--tokenizer", "tok", "-o", "shards")
        small = ("--tokens", 256, "--context", 16, "--batch", 2)
        run(BIDUI, "train", "lstm", "--corpus", "shards", *small, "-o", "runs", "--score", "pairs.csv")
    else:  # without torch, what needs it says so
        run(BIDUI, "score", "pairs.csv", "--model", "bidui:zh-14m-char", code=2)


if __name__ == "__main__":
    main(sys.argv[1])
