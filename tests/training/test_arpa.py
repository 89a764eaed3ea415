"""ARPA files: numbers and words as they are, packed where asked for, and never half of one."""

import gzip
from math import log10
from pathlib import Path

import numpy as np
import pytest

from bidui.training import ngram
from bidui.training.ngram import write_arpa
from bidui.training.ngram_counts import Column, Table, Tables, new_column
from tests.training.ngram_oracle import read_arpa

WORDS = ("<unk>", "<s>", "</s>", "甲", "a" * 25, "乙" * 300, "b" * 24)
PROBABILITIES = (0.1, 1.0, 0.3, 3.7e-8, 1.2345e-12, 0.99999999, 0.0)
BACKOFFS = (1.0, 0.5, 1.0, 0.0, 1e-9, 0.99, 0.25)


def small(folder: Path) -> Tables:
    """Seven words, and the bigrams <s> 甲, aaa… 甲 and 乙乙乙… bbb…"""

    def column(name: str, values: object, kind: type = np.uint32) -> Column:
        made = new_column(folder / name, kind)
        made.append(np.array(values))
        return made

    unigrams = Table(
        words=column("1-words", range(7)),
        suffixes=column("1-suffixes", []),
        counts=column("1-counts", []),
        contexts=column("1-contexts", []),
        probabilities=column("1-probabilities", PROBABILITIES, np.float64),
        backoffs=column("1-backoffs", BACKOFFS, np.float64),
    )
    bigrams = Table(
        words=column("2-words", [1, 4, 5]),
        suffixes=column("2-suffixes", [3, 3, 6]),
        counts=column("2-counts", []),
        contexts=column("2-contexts", []),
        probabilities=column("2-probabilities", [0.5, 0.25, 0.125], np.float64),
        backoffs=column("2-backoffs", [], np.float64),
    )
    return Tables([unigrams, bigrams], [0, 0])


def test_a_file_is_as_written_by_hand(tmp_path: Path) -> None:
    """log10 of 0.1, 1, 0.3 … with seven decimals; 0 is -99, since KenLM does not read -inf."""
    write_arpa(small(tmp_path), WORDS, tmp_path / "m.arpa")
    assert (tmp_path / "m.arpa").read_text(encoding="utf-8").splitlines() == [
        *("\\data\\", "ngram 1=7", "ngram 2=3", "", "\\1-grams:"),
        "-1.0000000\t<unk>\t0",
        "0\t<s>\t-0.3010300",
        "-0.5228787\t</s>\t0",
        "-7.4317983\t甲\t-99.0000000",
        f"-11.9085089\t{'a' * 25}\t-9.0000000",
        f"0\t{'乙' * 300}\t-0.0043648",
        f"-99.0000000\t{'b' * 24}\t-0.6020600",
        *("", "\\2-grams:"),
        "-0.3010300\t<s> 甲",
        f"-0.6020600\t{'a' * 25} 甲",
        f"-0.9030900\t{'乙' * 300} {'b' * 24}",
        *("", "\\end\\"),
    ]


def test_lines_do_not_depend_on_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = small(tmp_path)
    write_arpa(tables, WORDS, tmp_path / "whole.arpa")
    monkeypatch.setattr(ngram, "ROWS", 2)
    write_arpa(tables, WORDS, tmp_path / "parts.arpa")
    assert (tmp_path / "parts.arpa").read_bytes() == (tmp_path / "whole.arpa").read_bytes()


def test_the_name_says_whether_it_is_packed(tmp_path: Path) -> None:
    """The packed file holds the very same, and equal models are equal files whatever they are called."""
    tables = small(tmp_path)
    for name in ("m.arpa", "m.arpa.gz", "n.arpa.gz"):
        write_arpa(tables, WORDS, tmp_path / name)
    packed = (tmp_path / "m.arpa.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "m.arpa").read_bytes()
    assert (tmp_path / "n.arpa.gz").read_bytes() == packed


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz"])
def test_kenlm_reads_it(tmp_path: Path, name: str) -> None:
    kenlm = pytest.importorskip("kenlm", reason="needs kenlm")
    write_arpa(small(tmp_path), WORDS, tmp_path / name)
    assert read_arpa(tmp_path / name)["<s>", "甲"][0] == pytest.approx(log10(0.5), abs=1e-7)
    model = kenlm.Model(str(tmp_path / name))
    scores = [score for score, _, _ in model.full_scores(f"甲 {'乙' * 300} {'b' * 24} ?", eos=False)]
    # <s> 甲; 乙… after 甲 is backed off to; 乙… bbb…; <unk> after bbb…
    assert scores == pytest.approx([log10(0.5), -99, log10(0.125), log10(0.25) - 1], abs=1e-5)


def test_what_is_interrupted_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    file = tmp_path / "out" / "m.arpa"
    file.write_text("old", encoding="utf-8")

    def interrupted(step: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_arpa(small(tmp_path), WORDS, file, on_progress=interrupted)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["m.arpa"]
    assert file.read_text(encoding="utf-8") == "old"


def test_progress_counts_every_ngram(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngram, "ROWS", 4)
    seen: list[tuple[str, int, int]] = []
    write_arpa(small(tmp_path), WORDS, tmp_path / "m.arpa", on_progress=lambda *told: seen.append(told))
    assert seen == [("writing", 4, 10), ("writing", 7, 10), ("writing", 10, 10)]
