"""N-gram models from text to file: what is counted, what is said of it, and that nothing half made stays."""

import gzip
import json
import lzma
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from math import log10
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError, OutputRefused
from bidui.files import file_hash
from bidui.training import ngram, ngram_counts
from bidui.training.documents import SourceCounts
from bidui.training.ngram import (
    FALLBACK,
    counts_of_counts,
    discounts_of,
    pruning_thresholds,
    train_ngram,
    train_ngram_on,
    write_arpa,
)
from bidui.training.ngram_counts import Column, Table, Tables, build_tables, count_ngrams, new_column, number_text
from tests.training.ngram_oracle import Values, log_probability, read_arpa, slow_model


def test_a_model_of_files_is_that_of_their_lines(tmp_path: Path) -> None:
    """Empty lines are no sentences, and a document of JSONL has as many as it has lines."""
    books = tmp_path / "books"
    books.mkdir()
    (books / "a.txt").write_bytes("妈妈看书。\n\n爸爸喝茶。\n".encode() + "爸\n".encode("gbk"))
    (books / "b.jsonl").write_text('{"body": "我喝茶。\\n你看书。"}\n', encoding="utf-8")
    seen = SourceCounts()
    made = train_ngram(books, tmp_path / "m.arpa", order=3, fallback=FALLBACK, field="body", seen=seen)
    train_ngram_on(
        ["妈妈看书。", "爸爸喝茶。", "我喝茶。", "你看书。"], tmp_path / "n.arpa", order=3, fallback=FALLBACK
    )
    assert (tmp_path / "m.arpa").read_bytes() == (tmp_path / "n.arpa").read_bytes()
    assert (made.sentences, made.tokens, made.words) == (4, 18, 9)
    assert seen.broken_encodings == 1
    said = json.loads((tmp_path / "m.arpa.json").read_text(encoding="utf-8"))
    assert said["sha256"] == file_hash(tmp_path / "m.arpa")
    assert said["sources"] == {name: file_hash(books / name) for name in ("a.txt", "b.jsonl")}
    assert (said["order"], said["unit"], said["sentences"], said["ngrams"]) == (3, "char", 4, list(made.ngrams))


def test_sentences_shorter_than_the_order_are_no_obstacle(tmp_path: Path) -> None:
    """甲 alone has a bigram and a trigram, and nothing longer."""
    made = train_ngram_on(["甲", "", "甲"], tmp_path / "m.arpa", order=5, fallback=FALLBACK)
    assert made.ngrams == (4, 3, 1, 0, 0)
    assert ("<s>", "甲", "</s>") in read_arpa(tmp_path / "m.arpa")


@pytest.mark.parametrize("sentences", [[], [""], [" ", "\t"]])
def test_a_text_without_words_is_refused(tmp_path: Path, sentences: list[str]) -> None:
    with pytest.raises(
        InputError, match=f"no words to count in {len(sentences)} sentence{'' if len(sentences) == 1 else 's'};"
    ):
        train_ngram_on(sentences, tmp_path / "m.arpa", fallback=FALLBACK)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("order", [0, 1, 7])
def test_orders_that_kenlm_does_not_read_are_refused(tmp_path: Path, order: int) -> None:
    with pytest.raises(InputError, match=f"order 2 to 6, not {order}"):
        train_ngram_on(["甲"], tmp_path / "m.arpa", order=order)


def test_a_folder_in_the_place_of_the_file_is_told_at_once(tmp_path: Path) -> None:
    def never() -> Iterator[str]:
        raise AssertionError("read before the place was looked at")
        yield ""

    with pytest.raises(InputError, match="cannot be written"):
        train_ngram_on(never(), tmp_path)


def test_an_interruption_leaves_nothing_but_the_old_model(tmp_path: Path) -> None:
    (tmp_path / "m.arpa").write_text("old", encoding="utf-8")

    def sentences() -> Iterator[str]:
        yield "甲乙"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_ngram_on(sentences(), tmp_path / "m.arpa")
    assert [path.name for path in tmp_path.iterdir()] == ["m.arpa"]
    assert (tmp_path / "m.arpa").read_text(encoding="utf-8") == "old"


def test_a_model_of_the_same_text_and_settings_is_left_and_any_other_file_is_not_overwritten(tmp_path: Path) -> None:
    """A model that took an hour is not lost to a mistyped command."""
    text, out = tmp_path / "a.txt", tmp_path / "m.arpa"
    text.write_text("甲乙丙\n甲乙\n", encoding="utf-8")
    first = train_ngram(text, out, order=2, fallback=True)
    data, time = out.read_bytes(), out.stat().st_mtime_ns
    again = train_ngram(text, out, order=2, fallback=True)
    assert (first.new, again.new, again) == (True, False, first)
    assert out.stat().st_mtime_ns == time
    with pytest.raises(OutputRefused, match=r"different settings or text: prune \(\[0, 0\], now \[0, 1\]\); give"):
        train_ngram(text, out, order=2, fallback=True, prune="0 1")
    text.write_text("甲乙\n", encoding="utf-8")
    with pytest.raises(OutputRefused, match=r"different settings or text: a\.txt; give another file, or use --force"):
        train_ngram(text, out, order=2, fallback=True)
    assert out.read_bytes() == data
    assert train_ngram(text, out, order=2, fallback=True, force=True).new
    assert out.read_bytes() != data
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(OutputRefused, match="was not made by this command or was changed since"):
        train_ngram(text, out, order=2, fallback=True)
    (tmp_path / "m.arpa.json").unlink()
    with pytest.raises(OutputRefused, match="was not made by this command"):
        train_ngram(text, out, order=2, fallback=True)
    assert out.read_text(encoding="utf-8") == "mine"


SLOW = """
import sys, time
from pathlib import Path
from bidui.training.ngram import train_ngram_on
def sentences():
    yield "甲乙"
    print("at work", flush=True)
    time.sleep(600)
train_ngram_on(sentences(), Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.name != "posix", reason="only POSIX locks folders")
def test_what_a_killed_process_left_is_removed_by_the_next_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    """Two at work on one file do not disturb each other; the second is killed, as by a lack of memory."""
    out = tmp_path / "m.arpa"
    (tmp_path / ".m.arpa.mine.part").mkdir()  # not of the form of ours
    workers = [
        subprocess.Popen([sys.executable, "-c", SLOW, str(out)], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    try:
        for worker in workers:
            assert worker.stdout is not None and worker.stdout.readline() == "at work\n"
        before = set(tmp_path.iterdir())
        assert len(before) == 3
        workers[1].kill()
        workers[1].wait()
        train_ngram_on(["甲乙"], out, order=2, fallback=FALLBACK)
        left = set(tmp_path.iterdir())
        assert len(left) == 3 and out in left and len(before & left) == 2
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    train_ngram_on(["甲乙"], out, order=2, fallback=FALLBACK)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".m.arpa.mine.part", "m.arpa"]


def test_a_full_disk_is_an_error_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(column: Column, start: int, values: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Column, "write", full)
    with pytest.raises(InputError, match=r"m\.arpa: cannot be written: No space left on device"):
        train_ngram_on(["甲乙"], tmp_path / "m.arpa", fallback=FALLBACK)
    assert list(tmp_path.iterdir()) == []


def test_every_step_is_told_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("甲乙丙\n甲乙\n", encoding="utf-8")
    told: dict[str, tuple[int, int]] = {}
    train_ngram(
        tmp_path / "a.txt",
        tmp_path / "m.arpa",
        order=2,
        fallback=FALLBACK,
        on_progress=lambda step, done, total: told.update({step: (done, total)}),
    )
    assert list(told) == ["reading", "sorting", "merging", "estimating", "writing"]
    assert all(done == total for done, total in told.values())


def test_training_needs_only_numpy() -> None:
    """A machine with a GPU may have nothing else."""
    code = "import bidui.training.ngram, sys; print({'polars', 'rich', 'typer', 'jieba', 'torch'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout == "set()\n"


# Modified Kneser-Ney smoothing against paper, against a slow program, against lmplz, and as a probability.


SHARED = os.environ.get("BIDUI_SHARED")
LMPLZ = os.environ.get("BIDUI_LMPLZ")
TEXTS = st.lists(st.text("abcdefghij", max_size=12), min_size=1, max_size=25).filter(any)


def model(
    folder: Path,
    sentences: list[str],
    order: int,
    *,
    fallback: bool = True,
    memory: int = 1 << 20,
    prune: tuple[int, ...] = (),
) -> Values:
    discounts = FALLBACK if fallback else None
    train_ngram_on(sentences, folder / "m.arpa", order=order, memory=memory, fallback=discounts, prune=prune)
    return read_arpa(folder / "m.arpa")


def tables(folder: Path, sentences: list[str], order: int) -> Tables:
    text = number_text(sentences, folder / "numbers")
    return build_tables(count_ngrams(text, folder, order=order, memory=1), folder, order=order, rows=1000)


def test_a_small_model_is_as_on_paper(tmp_path: Path) -> None:
    """ab and ac, bigrams, discounts 0.5, 1 and 1.5.

    a, b and c follow one word each and </s> follows b and c: 1 + 1 + 1 + 2 = 5. Taken off are 3 * 0.5 + 1 = 2.5, so
    half goes to the uniform distribution over a, b, c, </s> and <unk>, 0.1 each:

        p(a) = p(b) = p(c) = 0.5/5 + 0.1 = 0.2      p(</s>) = 1/5 + 0.1 = 0.3      p(<unk>) = 0.1

    After a stand b and c, once each: half of each is taken off, so b(a) = 1/2 and p(b|a) = 0.5/2 + 0.2/2 = 0.35.
    After <s> stands a, twice: one is taken off, so b(<s>) = 1/2 and p(a|<s>) = 1/2 + 0.2/2 = 0.6. After b and c stands
    </s>, once: b(b) = 1/2 and p(</s>|b) = 0.5 + 0.3/2 = 0.65.
    """
    wanted = {
        ("<unk>",): (0.1, 1),
        ("<s>",): (1, 0.5),
        ("</s>",): (0.3, 1),
        ("a",): (0.2, 0.5),
        ("b",): (0.2, 0.5),
        ("c",): (0.2, 0.5),
        ("b", "</s>"): (0.65, 1),
        ("c", "</s>"): (0.65, 1),
        ("<s>", "a"): (0.6, 1),
        ("a", "b"): (0.35, 1),
        ("a", "c"): (0.35, 1),
    }
    found = model(tmp_path, ["ab", "ac"], 2)
    assert list(found) == list(wanted)  # in suffix order, which is that of lmplz
    for gram, (probability, backoff) in wanted.items():
        assert found[gram] == pytest.approx((log10(probability), log10(backoff)), abs=1e-6)


def test_a_small_pruned_model_is_as_on_paper(tmp_path: Path) -> None:
    """ab twice and ac, bigrams that occur once pruned.

    a, b and c follow one word each and </s> follows b and c, so unigrams are those of the model above: 0.2, 0.3, 0.1.
    Of the bigrams, before pruning, two occur once, two twice and <s> a three times: y = 2 / (2 + 2 * 2) = 1/3, and the
    discounts are 1 - 2/3, 2 - 3/3 * 1/2 = 1.5 and 3. After a stand b twice and c once, which is pruned: b loses 1.5, c
    all of its 1, so b(a) = 2.5/3 and p(b|a) = 0.5/3 + 0.2 * 2.5/3 = 1/3. After <s> stands a three times and loses all:
    b(<s>) = 1 and p(a|<s>) = 0.2. After b stands </s> twice: b(b) = 1.5/2 and p(</s>|b) = 0.25 + 0.3 * 0.75 = 0.475.
    What follows c is pruned: all is backed off.
    """
    wanted = {
        ("<unk>",): (0.1, 1),
        ("<s>",): (1, 1),
        ("</s>",): (0.3, 1),
        ("a",): (0.2, 2.5 / 3),
        ("b",): (0.2, 0.75),
        ("c",): (0.2, 1),
        ("b", "</s>"): (0.475, 1),
        ("<s>", "a"): (0.2, 1),
        ("a", "b"): (1 / 3, 1),
    }
    values = model(tmp_path, ["ab", "ab", "ac"], 2, prune=(0, 1))
    assert list(values) == list(wanted)
    for gram, (probability, backoff) in wanted.items():
        assert values[gram] == pytest.approx((log10(probability), log10(backoff)), abs=1e-6)


def test_pruned_words_are_unknown_and_the_end_of_a_sentence_never_is(tmp_path: Path) -> None:
    """ab twice and ac, pruned by 3: no word but </s> is left, although it occurs only three times.

    All counts but those of </s>, 1 + 1 + 1, and 1 that </s> loses of 2, go to </s> and <unk>: 4/5, two fifths each.
    Pruned by 1, c is unknown: it loses its 1, a and b half of theirs, </s> 1, and 3/5 are divided among four.
    """
    values = model(tmp_path, ["ab", "ab", "ac"], 2, prune=(3,))
    assert set(values) == {("<unk>",), ("<s>",), ("</s>",)}
    assert values["</s>",][0] == pytest.approx(log10(0.2 + 0.4), abs=1e-6)
    assert values["<unk>",][0] == pytest.approx(log10(0.4), abs=1e-6)
    values = model(tmp_path, ["ab", "ab", "ac"], 2, prune=(1,))
    unigrams = {"<unk>": 0.15, "</s>": 0.35, "a": 0.25, "b": 0.25}
    assert {gram for gram in values if len(gram) == 1} == {("<s>",), *((word,) for word in unigrams)}
    for word, probability in unigrams.items():
        assert values[word,][0] == pytest.approx(log10(probability), abs=1e-6)


@pytest.mark.parametrize(
    ("prune", "thresholds"),
    [((), (0, 0, 0)), ("", (0, 0, 0)), ("0 1", (0, 1, 1)), ("0 0 2", (0, 0, 2)), ((2,), (2, 2, 2))],
)
def test_the_last_threshold_is_for_all_higher_orders(prune: str | tuple[int, ...], thresholds: tuple[int, ...]) -> None:
    assert pruning_thresholds(prune, order=3) == thresholds


@pytest.mark.parametrize("prune", ["0 0 0 1", "1 0", "0 -1", "0 x", "0 1.5", (0, -1), "0 ²"])
def test_thresholds_that_lmplz_refuses_are_refused(prune: str | tuple[int, ...]) -> None:
    """With decreasing thresholds, an n-gram could be kept and its ending pruned, which no ARPA file can say."""
    with pytest.raises(InputError, match="are not pruning thresholds for a model of order 3; write up to 3 whole"):
        pruning_thresholds(prune, order=3)


def test_discounts_are_as_on_paper() -> None:
    """y = 4 / (4 + 2 * 2) = 1/2; 1 - 2 y 2/4 = 1/2; 2 - 3 y 1/2 = 5/4; 3 - 4 y 1/1 = 1. Without a count of 4, 3."""
    assert discounts_of([4, 2, 1, 1]) == pytest.approx((0.5, 1.25, 1))
    assert discounts_of([4, 2, 1, 0]) == pytest.approx((0.5, 1.25, 3))


@pytest.mark.parametrize(
    "having",
    [
        [0, 2, 1, 1],
        [4, 0, 1, 1],
        [4, 2, 0, 1],
        [4, 2, 3, 1],  # 2 - 3/2 * 3/2 = -1/4
        [4, 2, 1, 2],  # 3 - 2 * 2 = -1
    ],
)
def test_where_there_are_no_discounts_there_are_none(having: list[int]) -> None:
    assert discounts_of(having) is None


def test_adjusted_counts_are_as_by_hand(tmp_path: Path) -> None:
    """aab twice and b, trigrams. a follows <s> and a, b follows a and <s>, </s> follows b.

    <s> a and <s> b keep how often they occur, 2 and 1; a a follows <s> only; a b follows a; b </s> follows a and <s>.
    """
    made = tables(tmp_path, ["aab", "b", "aab"], 3).orders
    counts = [table.counts.read(0, len(table)).tolist() for table in made]
    assert counts == [
        [0, 0, 1, 2, 2],  # <unk> <s> </s> a b
        [2, 2, 1, 1, 1],  # b </s>, <s> a, a a, <s> b, a b
        [1, 2, 2, 2],  # <s> b </s>, a b </s>, <s> a a, a a b
    ]


def test_the_last_ngram_is_counted_as_lmplz_counts_it(tmp_path: Path) -> None:
    """ab twice and bb: a follows one word, </s> one, and b three (<s>, a, b), but it occurs four times.

    b has the highest number, so it is the last. lmplz itself was asked on 400 random texts, and it mattered in 23.
    """
    assert counts_of_counts(tables(tmp_path, ["ab", "ab", "bb"], 2), 0) == [2, 0, 0, 1]


@given(
    sentences=TEXTS,
    order=st.integers(2, 5),
    fallback=st.booleans(),
    prune=st.lists(st.integers(0, 3), max_size=2).map(sorted).map(tuple),
)
def test_models_are_those_of_the_slow_program(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: list[str],
    order: int,
    fallback: bool,
    prune: tuple[int, ...],
) -> None:
    folder = tmp_path_factory.mktemp("model")
    wanted = slow_model([list(sentence) for sentence in sentences], order, fallback=fallback, prune=prune)
    if wanted is None:
        with pytest.raises(InputError, match="cannot be estimated"):
            model(folder, sentences, order, fallback=fallback, prune=prune)
        assert list(folder.iterdir()) == []
        return
    found = model(folder, sentences, order, fallback=fallback, prune=prune)
    assert found.keys() == wanted.keys()
    for gram, values in wanted.items():
        assert found[gram] == pytest.approx(values, abs=1e-5)


def test_a_text_with_discounts_of_its_own_is_as_the_slow_program_has_it(tmp_path: Path) -> None:
    """Random small texts rarely give discounts; this one does, for every order."""
    sentences = zipfian(400)
    wanted = slow_model([list(sentence) for sentence in sentences], 4)
    assert wanted is not None
    found = model(tmp_path, sentences, 4, fallback=False)
    assert found.keys() == wanted.keys()
    assert np.allclose(np.array(list(found.values())), [wanted[gram] for gram in found], rtol=0, atol=1e-5)


def zipfian(count: int) -> list[str]:
    random = np.random.default_rng(0)
    return ["".join(chr(0x4E00 + int(n) % 300) for n in random.zipf(1.5, random.integers(1, 15))) for _ in range(count)]


@given(sentences=TEXTS, order=st.integers(2, 5), prune=st.integers(0, 2), data=st.data())
def test_probabilities_sum_to_one_after_any_history(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[str], order: int, prune: int, data: st.DataObject
) -> None:
    """Over all words, </s> and <unk>: seen histories, histories with unseen words, and none at all."""
    values = model(tmp_path_factory.mktemp("model"), sentences, order, prune=(0, prune))
    words = [gram[0] for gram in values if len(gram) == 1 and gram != ("<s>",)]
    before = data.draw(st.lists(st.sampled_from([*(w for w in words if w != "</s>"), "?"]), max_size=order - 1))
    starts = data.draw(st.booleans())
    history = (*("<s>",) * starts, *before)[-(order - 1) :]
    assert sum(10 ** log_probability(values, history, word) for word in words) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("prune", [(), (1, 1, 2)])
def test_memory_does_not_change_a_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prune: tuple[int, ...]) -> None:
    """Neither how much of it there is, nor in how many pieces the work is done."""
    sentences = zipfian(60)
    model(tmp_path, sentences, 5, prune=prune)
    whole = (tmp_path / "m.arpa").read_bytes()
    monkeypatch.setattr(ngram_counts, "LEAST_ROWS", 3)
    monkeypatch.setattr(ngram, "CONTEXT_BYTES", 10)
    monkeypatch.setattr(ngram, "LOOKUP_BYTES", 30)
    for memory in (100, 1000, 1 << 14):
        model(tmp_path, sentences, 5, memory=memory, prune=prune)
        assert (tmp_path / "m.arpa").read_bytes() == whole


def test_an_order_without_discounts_is_named_with_the_numbers_and_the_fix(tmp_path: Path) -> None:
    """ab and ac: of the unigrams three have the count 1 and one has 2; of the bigrams four have 1 and one has 2."""
    with pytest.raises(InputError) as refused:
        model(tmp_path, ["ab", "ac"], 2, fallback=False)
    first, second = str(refused.value).splitlines()
    assert first.startswith(
        "the discounts of 1-grams cannot be estimated: 3, 1, 0, 0 of them have the counts 1, 2, 3 and"
    )
    assert second.startswith("the discounts of 2-grams cannot be estimated: 4, 1, 0, 0 of them")
    assert second.endswith("or use --discount-fallback")


def test_only_orders_without_discounts_fall_back(tmp_path: Path) -> None:
    """Every sentence is there twice, so no n-gram of the highest order occurs once."""
    sentences = zipfian(400)
    made = train_ngram_on(sentences * 2, tmp_path / "m.arpa", order=3, fallback=FALLBACK)
    own = train_ngram_on(sentences, tmp_path / "m.arpa", order=3)
    assert (made.smoothing.fallen_back, own.smoothing.fallen_back) == ((3,), ())
    assert made.smoothing.discounts[2] == FALLBACK


@pytest.mark.parametrize("order", [2, 4])
def test_kenlm_reads_what_the_file_says(tmp_path: Path, order: int) -> None:
    """Every word of sentences seen and unseen, after as much history as the model has."""
    kenlm = pytest.importorskip("kenlm", reason="needs kenlm")
    values = model(tmp_path, ["abcab", "bca", "aab", "cc", "abcb"], order)
    read = kenlm.Model(str(tmp_path / "m.arpa"))
    assert read.order == order
    for sentence in map("".join, product("abc?", repeat=4)):
        words = ["<s>", *sentence, "</s>"]
        for at, (found, _, unknown) in enumerate(read.full_scores(" ".join(sentence)), start=1):
            history = tuple(words[max(0, at - order + 1) : at])
            assert found == pytest.approx(log_probability(values, history, words[at]), abs=1e-5)
            assert unknown == (words[at] == "?")


@pytest.mark.skipif(not SHARED, reason="BIDUI_SHARED does not point to the folder with the models that lmplz made")
@pytest.mark.parametrize("order", [3, 5])
def test_models_are_those_of_lmplz(tmp_path: Path, order: int) -> None:
    """Every n-gram, in the same order, with its weight and its back-off."""
    folder = Path(SHARED or "", "data", "ngram")
    (tmp_path / "lmplz.arpa").write_bytes(lzma.decompress((folder / f"char-600.{order}.arpa.xz").read_bytes()))
    text = lzma.decompress((folder / "char-600.txt.xz").read_bytes()).decode()
    train_ngram_on(text.splitlines(), tmp_path / "ours.arpa", order=order, unit="blank")
    wanted, found = read_arpa(tmp_path / "lmplz.arpa"), read_arpa(tmp_path / "ours.arpa")
    assert list(found) == list(wanted)
    assert np.allclose(list(found.values()), list(wanted.values()), rtol=0, atol=1e-6)


@pytest.mark.skipif(not LMPLZ, reason="BIDUI_LMPLZ does not name the program lmplz, so it was not compared with")
@pytest.mark.parametrize("prune", [(), (0, 1), (0, 0, 1), (0, 2, 3), (1,), (1, 1, 2)])
@pytest.mark.parametrize("order", [2, 3, 5])
def test_pruned_models_are_those_of_lmplz(tmp_path: Path, order: int, prune: tuple[int, ...]) -> None:
    """The same n-grams in the same order, and the same numbers."""
    if len(prune) > order:
        pytest.skip("more thresholds than orders")
    sentences = [" ".join(sentence) for sentence in zipfian(800)]
    (tmp_path / "text").write_text("\n".join([*sentences, ""]), encoding="utf-8")
    command = [LMPLZ or "", "-o", str(order), "--discount_fallback", "-T", str(tmp_path), "-S", "50M", "--text"]
    command += [str(tmp_path / "text"), "--arpa", str(tmp_path / "lmplz.arpa")]
    subprocess.run([*command, *(["--prune", *map(str, prune)] if prune else [])], check=True, capture_output=True)
    train_ngram_on(sentences, tmp_path / "ours.arpa", order=order, unit="blank", prune=prune, fallback=FALLBACK)
    wanted, found = read_arpa(tmp_path / "lmplz.arpa"), read_arpa(tmp_path / "ours.arpa")
    assert list(found) == list(wanted)
    assert np.allclose(list(found.values()), list(wanted.values()), rtol=0, atol=1e-6)


# ARPA files: numbers and words as they are, packed where asked for, and never half of one.


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
