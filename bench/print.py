"""Tables in print: every LaTeX table of reports on 1, 5 and 20 models, in English and Chinese, through XeLaTeX.

    python bench/print.py [--models 5] [--keep FOLDER]     prints what does not fit; ends with 1 if anything does not

The scores are made up as in bench/analysis.py, of models with names as long as real ones: on ZhoBLiMP with regions,
word frequencies and ratings; on SLING and CLiMP in one folder; on ZhoBLiMP beside the people of a study. The training
runs are those of results/. Each report is one document with all its tables, as docs/analysis.md shows; of panels with
more than 30 rows, the 30 longest are set, which decide the width. Nothing may be wider than its line by more than 2 pt,
no float higher than its page, no character missing, and no type smaller than \\footnotesize. `--keep` names a folder
that keeps the documents, to look at. This takes some minutes, and needs XeLaTeX with the packages that docs/analysis.md
names.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from analysis import CHARACTERS, MadeUp

from bidui.analysis.frequencies import read_frequencies
from bidui.analysis.people import read_people
from bidui.benchmarks import generate
from bidui.pairs import Pairs
from bidui.people.design import Design
from bidui.people.ratings import read_ratings
from bidui.people.responses import add_responses, answer_trial
from bidui.people.study import draw_study, write_study
from bidui.reports.results import MAIN, USUAL, collect, on_study
from bidui.reports.section import Extras, Settings
from bidui.reports.site import _benchmarks, _with_people, contents
from bidui.reports.tables import Table, latex
from bidui.scores.links import as_links
from bidui.scores.run import run_scoring
from bidui.scores.unigrams import UNIGRAMS, Unigrams, write_unigrams
from bidui.words import Language

COUNTS = (1, 5, 20)
PAIRS = 20  # per paradigm: enough for every table
ROWS = 30  # of a panel, the longest ones; some tables have thousands
MOST = 2.0  # points by which a box may be overfull
SMALL = (r"\tiny", r"\scriptsize", r"\fontsize", r"\resizebox", r"\scalebox", "adjustbox")
NAMES = (
    *("zh-14m-char", "zh-pythia-70m", "Qwen2.5-0.5B", "bert-base-chinese", "ngram-5", "zh-pythia-160m-seed-0"),
    *("zh-pythia-160m-seed-1", "zh-pythia-1.4b", "Qwen2.5-1.5B-Instruct", "Qwen2.5-7B", "gpt2-chinese-cluecorpussmall"),
    *("chinese-roberta-wwm-ext-large", "ernie-3.0-base-zh", "mT5-large", "Baichuan2-7B-Base", "Yi-1.5-6B"),
    *("internlm2-7b", "chatglm3-6b-base", "XLM-R-large", "lstm-wiki-2x650"),
)
DOCUMENT = r"""\documentclass%s
\usepackage{booktabs,siunitx,longtable,pdflscape}
\setcounter{LTchunksize}{1000} %% all rows of a panel at once, so that widths are known in one pass
\begin{document}
%s\end{document}
"""
CLASSES: Mapping[Language, str] = {"en": "[fontset=fandol,scheme=plain]{ctexart}", "zh": "[fontset=fandol]{ctexart}"}


@dataclass(frozen=True)
class Case:
    """A folder of results, and what a report gets in addition."""

    name: str
    results: Path
    extras: Extras = field(default_factory=Extras)
    study: Path | None = None


@dataclass
class Print:
    """What XeLaTeX says of a document: its pages, and what is wrong with which table."""

    pages: int = 0
    tables: int = 0
    faults: list[str] = field(default_factory=list)


def write_scores(pairs: Pairs, folder: Path, count: int) -> None:
    """Write scores of so many models, with unigrams."""
    bad = frozenset(pair.bad for pair in pairs) - frozenset(pair.good for pair in pairs)
    counts = np.random.default_rng(0).integers(0, 1000, CHARACTERS)
    for number, name in enumerate(NAMES[:count]):
        model = MadeUp(number, bad, name, {"kind": "made up", "weights": number, "tokenizer": "characters"})
        run_scoring(pairs, model, out=folder / name)
        (folder / name / UNIGRAMS).write_bytes(write_unigrams(Unigrams(counts, "characters")))


def write_ratings(pairs: Pairs, file: Path) -> None:
    """Write ratings of both sentences of every pair by three raters."""
    rng = np.random.default_rng(0)
    lines = ["rater\tuid\tpair\tside\trating"]
    for pair in pairs:
        for side, mean in (("good", 5), ("bad", 3)):
            rows = [f"r{rater}\t{pair.uid}\t{pair.pair_id}\t{side}\t{mean + rng.integers(-2, 3)}" for rater in range(3)]
            lines += rows
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_people(pairs: Pairs, folder: Path) -> None:
    """Write a study of two pairs per paradigm, judged by people of whom nine in ten answers are right."""
    rng = np.random.default_rng(0)
    study = draw_study(pairs, Design(per_paradigm=2, lists=4, raters=3), name="panel")
    write_study(study, folder)
    rows = []
    for trial in study.trials:
        good = 1 if trial.shown == "good-bad" else 2
        answer = good if rng.random() < 0.9 else 3 - good
        rows.append(answer_trial(study, trial, participant=f"p{trial.list}.{trial.slot}", answer=answer))
    add_responses(folder, study, rows)


def cases(folder: Path, counts: Sequence[int]) -> Iterator[Case]:
    """Make the folders of results."""
    zhoblimp = generate("zhoblimp", n=PAIRS, seed=0)
    write_ratings(zhoblimp, folder / "ratings.tsv")
    write_people(zhoblimp, folder / "panel")
    words = folder / "words.tsv"
    characters = dict.fromkeys(character for pair in zhoblimp for character in pair.good)
    words.write_text("".join(f"{word}\t{10**6 // rank}\n" for rank, word in enumerate(characters, 1)), encoding="utf-8")
    ratings, frequencies = read_ratings(folder / "ratings.tsv"), read_frequencies(words)
    extras = Extras(tuple(zhoblimp), ratings=ratings, frequencies=frequencies)
    others = {name: generate(name, n=PAIRS, seed=0) for name in ("sling", "climp")}
    for count in counts:
        own = folder / f"zhoblimp-{count}"
        write_scores(zhoblimp, own, count)
        yield Case(own.name, own, extras)
        yield Case(f"study-{count}", own, study=folder / "panel")
        both = folder / f"sling-climp-{count}"
        for name, pairs in others.items():
            write_scores(pairs, both / name, count)
        yield Case(both.name, both)
    yield Case("runs", Path(__file__).parents[1] / "results" / "zh-pythia-open")


def write_tables(case: Case, folder: Path, *, language: Language) -> None:
    """Write the LaTeX tables of a report; the figures, which take most of its time, are not saved."""
    results, extras, people = collect(case.results), case.extras, None
    if case.study is not None:
        people = read_people(case.study)
        results, extras = on_study(results, people), _with_people(extras, people)
    benchmarks = _benchmarks(results, people)
    settings = Settings(as_links(USUAL), main=MAIN, usual=True, language=language, benchmarks=benchmarks, extras=extras)
    folder.mkdir(parents=True)
    for section in contents(results, settings):
        for item in (*section.items, *section.files):
            if isinstance(item, Table):
                (folder / f"{item.name}.tex").write_text(shortened(latex(item)), encoding="utf-8")


def shortened(text: str) -> str:
    """Return a long table with the longest rows of each panel only, in their order."""
    lines: list[str] = []
    for line in text.splitlines():
        if line == r"\endfoot":
            start = len(lines)
        if line == r"\end{longtable}":
            body = lines[start + 1 :]
            longest = sorted(range(len(body)), key=lambda number: -len(body[number]))[:ROWS]
            lines[start + 1 :] = [body[number] for number in sorted(longest)]
        lines.append(line)
    return "\n".join(lines) + "\n"


def compile_tables(tables: Path, *, language: Language) -> Print:
    """Set all tables of a report in one document, and read what XeLaTeX says."""
    files = sorted(tables.glob("*.tex"))
    found = Print(tables=len(files))
    for file in files:
        text = file.read_text(encoding="utf-8")
        found.faults += [f"{file.stem}: {command}" for command in SMALL if command in text]
    inputs = "".join(f"\\typeout{{TABLE {file.stem}}}\n\\input{{{file.name}}}\n\\clearpage\n" for file in files)
    (tables / "all.tex").write_text(DOCUMENT % (CLASSES[language], inputs), encoding="utf-8")
    command = ["xelatex", "-interaction=nonstopmode", "all.tex"]
    subprocess.run(command, cwd=tables, stdout=subprocess.DEVNULL, timeout=3600, check=False)
    log = (tables / "all.log").read_text(encoding="utf-8", errors="replace")
    table = ""
    for line in log.splitlines():
        if line.startswith("TABLE "):
            table = line[6:]
        over = re.match(r"Overfull \\[hv]box \(([\d.]+)pt", line)
        if (over and float(over[1]) > MOST) or line.startswith(("Missing character", "!", "LaTeX Warning: Float too")):
            found.faults.append(f"{table}: {line}")
    pages = re.search(r"Output written on all\.pdf \((\d+) page", log)
    found.pages = int(pages[1]) if pages else 0
    return found


def main() -> int:
    """Make the reports, set their tables, and print what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=Path, help="folder for the documents; default: none is kept")
    parser.add_argument("--models", type=int, action="append", help="number of models; default: 1, 5 and 20")
    asked = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        for case in cases(Path(name), asked.models or COUNTS):
            for language in CLASSES:
                folder = (asked.keep or Path(name) / "tables") / f"{case.name}-{language}"
                write_tables(case, folder, language=language)
                found = compile_tables(folder, language=language)
                print(f"{case.name}, {language}: {found.tables} tables, {found.pages} pages", flush=True)
                for fault in dict.fromkeys(found.faults):
                    print(f"  {fault}", flush=True)
                faults += len(found.faults) + (not found.pages)
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
