"""Scoring runs: nothing is done twice, nothing is half done, and what is broken is named."""

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bidui
from bidui.errors import InputError, OutputRefused
from bidui.models.model import TokenScores
from bidui.pairs import Pair, Pairs
from bidui.scores import run
from bidui.scores.choices import pair_totals
from bidui.scores.run import read_totals, run_scoring, score
from bidui.scores.table import read_scores, score_folders
from bidui.scores.unigrams import Unigrams, write_unigrams

from .small import Counting, pair, paradigms

ROOT = Path(__file__).parent.parent.parent
UIDS = ("a", "b", "c", "d")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every paradigm, which has six sentences, is handed to the model alone, and entered in the manifest at once."""
    monkeypatch.setattr(run, "TOGETHER", 6)
    monkeypatch.setattr(run, "PAUSE", -1.0)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_run_leaves_a_file_a_paradigm_and_the_manifest(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []
    done = run_scoring(paradigms(), Counting(), out=tmp_path, on_paradigm=lambda uid, n: seen.append((uid, n)))
    assert (done.done, done.kept, done.repaired) == (UIDS, (), ())
    assert seen == [(uid, 3) for uid in UIDS]
    assert names(tmp_path) == ["a.parquet", "b.parquet", "c.parquet", "d.parquet", "scores.json"]
    stored = read_scores(tmp_path)
    manifest, table = stored.manifest, stored.table
    assert manifest == done.manifest
    assert (manifest.model, manifest.declared) == ("counting", {"kind": "counting", "dtype": "f4"})
    # 甲a乙 is -1 - 9 - 2, and 丙 after it -3 more
    assert table.totals().logprob.tolist()[:4] == [-12, -15, -14, -17]
    assert table.frame.equals(score(paradigms(), Counting()).table.frame)


def test_a_second_run_asks_the_model_nothing(tmp_path: Path) -> None:
    run_scoring(paradigms(), Counting(), out=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    again, seen = Counting(), []
    done = run_scoring(paradigms(), again, out=tmp_path, on_paradigm=lambda uid, n: seen.append((uid, n)))
    assert again.asked == []
    assert (done.done, done.kept, done.repaired) == ((), UIDS, ())
    assert seen == [(uid, 3) for uid in UIDS]  # progress gets to its end
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_sentence_is_asked_once_however_often_it_comes(tmp_path: Path) -> None:
    pairs = Pairs((pair("a", 0, "甲", "乙"), pair("a", 1, "甲", "丙"), pair("b", 0, "乙", "甲")))
    model = Counting()
    run_scoring(pairs, model, out=tmp_path)
    assert model.asked == [["甲", "乙", "丙"]]
    assert read_scores(tmp_path).table.totals().logprob.tolist() == [-1, -2, -1, -3, -2, -1]


@pytest.mark.usefixtures("alone")
def test_a_run_that_broke_goes_on_where_it_was(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="broke at 甲c乙"):
        run_scoring(paradigms(), Counting(breaks_at="甲c乙乙"), out=tmp_path)
    assert sorted(read_scores(tmp_path).manifest.shards) == ["a", "b"]
    model = Counting()
    done = run_scoring(paradigms(), model, out=tmp_path)
    assert (done.done, done.kept, done.repaired) == (("c", "d"), ("a", "b"), ())
    assert [asked[0] for asked in model.asked] == ["甲c乙", "甲d乙"]
    assert read_scores(tmp_path).table.frame.equals(score(paradigms(), Counting()).table.frame)


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


SPOILERS = [flip, lambda file: file.write_bytes(b""), Path.unlink]


@pytest.mark.parametrize("spoil", SPOILERS, ids=["a bit", "empty", "gone"])
def test_a_broken_file_is_made_anew_and_named(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    run_scoring(paradigms(), Counting(), out=tmp_path)
    whole = (tmp_path / "b.parquet").read_bytes()
    spoil(tmp_path / "b.parquet")
    model = Counting()
    done = run_scoring(paradigms(), model, out=tmp_path)
    assert (done.done, done.kept, done.repaired) == (("b",), ("a", "c", "d"), ("b",))
    assert {sentence[1] for asked in model.asked for sentence in asked} == {"b"}
    assert (tmp_path / "b.parquet").read_bytes() == whole


@pytest.mark.parametrize("spoil", SPOILERS, ids=["a bit", "empty", "gone"])
def test_scores_with_a_broken_file_are_not_read(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    """An accuracy over the rest would look like one over all."""
    run_scoring(paradigms(), Counting(), out=tmp_path)
    spoil(tmp_path / "b.parquet")
    for read in (read_scores, read_totals):
        with pytest.raises(InputError, match=r"b\.parquet: is missing, or was changed .* run bidui score again"):
            read(tmp_path)


def write_counts(file: Path, *, tokenizer: str) -> Path:
    """Counts of <unk>, 甲, 乙, 丙, 丁, 戊: 1, 2, 4, 1, 4, 4 of 16."""
    file.write_bytes(write_unigrams(Unigrams(np.array([1, 2, 4, 1, 4, 4]), tokenizer)))
    return file


def test_totals_are_those_of_the_whole_table(tmp_path: Path) -> None:
    """They are read without the tokens, so that comparing many models takes little time."""
    run_scoring(paradigms(), Counting(declared={"tokenizer": "t"}), out=tmp_path / "scores")
    file = write_counts(tmp_path / "counts.json", tokenizer="t")
    stored = read_scores(tmp_path / "scores")
    manifest, table = stored.manifest, stored.table
    unigrams = np.log(np.array([1, 2, 4, 1, 4, 4]) / 16)
    for known, expected in ((None, pair_totals(table)), (file, pair_totals(table, unigrams=unigrams))):
        same, found = read_totals(tmp_path / "scores", unigrams=known, smoothing=0)
        assert same == manifest
        assert (found.uids.tolist(), found.phenomena.tolist()) == (expected.uids.tolist(), expected.phenomena.tolist())
        assert found.pairs.tolist() == expected.pairs.tolist()
        assert found.logprob.tolist() == expected.logprob.tolist()
        assert {unit: one.tolist() for unit, one in found.lengths.items()} == {
            unit: one.tolist() for unit, one in expected.lengths.items()
        }
        if known is None:
            assert found.unigram is None
        else:  # 甲a乙: 1/8, 1/16, 1/4
            assert found.unigram is not None
            assert found.unigram[0] == pytest.approx(-(3 + 4 + 2) * log(2))
            assert found.unigram == pytest.approx(expected.unigram)


def test_unigrams_of_another_tokenizer_make_no_totals(tmp_path: Path) -> None:
    run_scoring(paradigms(), Counting(declared={"tokenizer": "t"}), out=tmp_path / "scores")
    file = write_counts(tmp_path / "counts.json", tokenizer="another")
    with pytest.raises(InputError, match="counted with another tokenizer"):
        read_totals(tmp_path / "scores", unigrams=file)


def test_a_file_that_is_no_table_is_named_though_the_manifest_has_its_hash(tmp_path: Path) -> None:
    """As when scores were made by another program: files are read together, and the message must name the one."""
    run_scoring(paradigms(), Counting(), out=tmp_path)
    (tmp_path / "c.parquet").write_bytes(b"no table")
    manifest = json.loads((tmp_path / "scores.json").read_text())
    manifest["shards"]["c"]["file"] = hashlib.sha256(b"no table").hexdigest()
    (tmp_path / "scores.json").write_text(json.dumps(manifest))
    for read in (read_scores, read_totals):
        with pytest.raises(InputError, match=r"c\.parquet: cannot be read as scores"):
            read(tmp_path)


def test_no_pairs_are_no_totals(tmp_path: Path) -> None:
    run_scoring(Pairs(), Counting(), out=tmp_path)
    assert len(read_totals(tmp_path)[1]) == 0


def test_a_folder_without_scores_is_told(tmp_path: Path) -> None:
    for look in (read_scores, read_totals, score_folders):
        with pytest.raises(InputError, match="no scores here; make some with bidui score"):
            look(tmp_path)
    with pytest.raises(InputError, match="no scores here"):
        score_folders(tmp_path / "none")


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "{}"),
        '{"model": "m", "declared": {}, "shards": []}',
        '{"model": "m", "declared": {}, "shards": {"a": {"colour": "red"}}}',
    ],
)
def test_a_broken_manifest_is_a_clear_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "scores.json").write_text(text)
    with pytest.raises(InputError, match=r"scores\.json: cannot be read .* remove the folder and score again"):
        read_scores(tmp_path)
    with pytest.raises(InputError, match="remove the folder and score again"):
        run_scoring(paradigms(), Counting(), out=tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        pair("b", 2, "甲b丁", "甲b乙乙丙"),  # another good sentence
        pair("b", 2, "甲b乙乙丙", "甲b乙乙"),  # the sides changed over
        pair("b", 9, "甲b乙乙", "甲b乙乙丙"),  # another number
    ],
)
def test_a_paradigm_whose_pairs_changed_is_scored_again_and_no_other(tmp_path: Path, changed: object) -> None:
    run_scoring(paradigms(), Counting(), out=tmp_path)
    items = list(paradigms())
    items[4] = changed  # type: ignore[call-overload]
    pairs = Pairs(tuple(items))
    done = run_scoring(pairs, Counting(), out=tmp_path)
    assert (done.done, done.kept, done.repaired) == (("b",), ("a", "c", "d"), ())
    assert read_scores(tmp_path).table.frame.equals(score(pairs, Counting()).table.frame)


def test_scores_are_of_the_pairs_that_were_asked_for_last(tmp_path: Path) -> None:
    """A paradigm taken out of a project must not count on in its accuracy."""
    run_scoring(paradigms(4), Counting(), out=tmp_path)
    done = run_scoring(paradigms(2), Counting(), out=tmp_path)
    assert done.kept == ("a", "b")
    stored = read_scores(tmp_path)
    manifest, table = stored.manifest, stored.table
    assert (sorted(manifest.shards), table.frame["uid"].unique().sort().to_list()) == (["a", "b"], ["a", "b"])


def test_scores_made_otherwise_are_not_written_over(tmp_path: Path) -> None:
    run_scoring(paradigms(), Counting(), out=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    other = Counting(declared={"kind": "counting", "dtype": "f2", "bos": "<s>"})
    with pytest.raises(
        OutputRefused,
        match=r"different settings: dtype \(f4, now f2\), bos \(nothing, now <s>\)\. Choose another folder",
    ):
        run_scoring(paradigms(), other, out=tmp_path)
    assert other.asked == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    done = run_scoring(paradigms(), other, out=tmp_path, force=True)
    assert (done.done, done.kept) == (UIDS, ())
    assert read_scores(tmp_path).manifest.declared == other.declared


def test_force_keeps_what_was_made_just_so(tmp_path: Path) -> None:
    run_scoring(paradigms(), Counting(), out=tmp_path)
    assert run_scoring(paradigms(), Counting(), out=tmp_path, force=True).kept == UIDS


def test_unknown_tokens_and_pairs_that_look_the_same_are_counted(tmp_path: Path) -> None:
    """x and y are unknown: 3 in the first paradigm, where 甲x and 甲y look the same; none in the second."""
    first = (pair("a", 0, "甲x", "甲y"), pair("a", 1, "x甲", "甲乙"))
    pairs = Pairs((*first, pair("b", 0, "甲乙", "乙甲")))
    done = run_scoring(pairs, Counting(), out=tmp_path)
    found = {uid: (shard.count, shard.unknown, shard.unseen) for uid, shard in done.manifest.shards.items()}
    assert found == {"a": (2, 3, 1), "b": (1, 0, 0)}
    assert read_scores(tmp_path).manifest == done.manifest


@pytest.mark.parametrize("together", [1, 2, 4, 5, 6, 7, 12, 13, 10_000])
def test_results_do_not_depend_on_what_is_asked_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    """A paradigm has 3 pairs: 6 and 12 end a group at its last one, 7 and 13 do not; below 6 it is divided."""
    run_scoring(paradigms(), Counting(), out=tmp_path / "usual")
    monkeypatch.setattr(run, "TOGETHER", together)
    model = Counting()
    run_scoring(paradigms(), model, out=tmp_path / "here")
    assert len(model.asked) == {1: 12, 2: 12, 4: 8, 5: 8, 6: 4, 7: 2, 12: 2, 13: 2, 10_000: 1}[together]
    assert names(tmp_path / "here") == names(tmp_path / "usual")
    for name in names(tmp_path / "usual"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "usual" / name).read_bytes()
    assert score(paradigms(), Counting()).table.frame.equals(read_scores(tmp_path / "usual").table.frame)


def test_a_large_run_is_on_disk_in_steps_of_about_1_000_pairs(tmp_path: Path) -> None:
    """Progress stood at 0 until 10,000 pairs were done, and a kill lost as many; one paradigm may have more still."""
    many = [pair("large", number, f"甲{number}", f"乙{number}") for number in range(2_500)]
    many += [pair(f"small-{uid}", number, f"甲{uid}.{number}", "乙") for uid in range(9) for number in range(300)]
    steps: list[tuple[str, int]] = []
    model = Counting(breaks_at="甲8.299")
    with pytest.raises(RuntimeError, match="broke"):
        run_scoring(Pairs(tuple(many)), model, out=tmp_path, on_paradigm=lambda uid, n: steps.append((uid, n)))
    assert steps == [("large", 1_000), ("large", 1_000), ("large", 500), *((f"small-{n}", 300) for n in range(8))]
    assert max(map(len, model.asked)) <= 2_400  # sentences: the last paradigm may go beyond 2,000
    assert read_scores(tmp_path).manifest.left == 300


@pytest.mark.parametrize("kind", ["masked", "seq2seq", "api"])
def test_slow_models_are_given_less_at_a_time(tmp_path: Path, kind: str) -> None:
    """They run a sentence once per token, or ask a server: 2,000 sentences take as long as 20,000 of others."""
    model = Counting(declared={"kind": kind})
    pairs = Pairs(tuple(pair("a", number, f"甲{number}", f"乙{number}") for number in range(600)))
    run_scoring(pairs, model, out=tmp_path)
    assert [len(asked) for asked in model.asked] == [500, 500, 200]


@pytest.mark.parametrize("breaks_at", ["甲b乙乙乙", "甲b乙", "甲d乙乙乙"])
def test_a_paradigm_that_broke_in_the_middle_goes_on_with_its_next_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks_at: str
) -> None:
    """With two sentences at a time, each of the 12 pairs is a part of its own."""
    run_scoring(paradigms(), Counting(), out=tmp_path / "whole")
    monkeypatch.setattr(run, "TOGETHER", 2)
    first = Counting(breaks_at=breaks_at)
    with pytest.raises(RuntimeError, match="broke"):
        run_scoring(paradigms(), first, out=tmp_path / "here")
    seen: list[tuple[str, int]] = []
    again = Counting()
    done = run_scoring(paradigms(), again, out=tmp_path / "here", on_paradigm=lambda uid, n: seen.append((uid, n)))
    assert len(first.asked) - 1 + len(again.asked) == 12  # nothing but the one that broke is asked twice
    assert again.asked[0][0] == breaks_at
    assert sum(n for _, n in seen) == 12
    assert (*done.kept, *done.done) == UIDS
    assert names(tmp_path / "here") == names(tmp_path / "whole")
    for name in names(tmp_path / "whole"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("spoil", [lambda file: file.write_bytes(b"half"), Path.unlink], ids=["changed", "gone"])
def test_a_part_that_is_broken_or_of_other_pairs_is_scored_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], object]
) -> None:
    monkeypatch.setattr(run, "TOGETHER", 2)
    with pytest.raises(RuntimeError, match="broke"):
        run_scoring(paradigms(1), Counting(breaks_at="甲a乙乙乙"), out=tmp_path)
    assert names(tmp_path / "parts") == ["a.0.parquet", "a.1.parquet"]
    spoil(tmp_path / "parts/a.0.parquet")
    items = list(paradigms(1))
    items[1] = pair("a", 2, "甲a丁", "甲a乙乙丙")
    model = Counting()
    run_scoring(Pairs(tuple(items)), model, out=tmp_path)
    assert [asked[0] for asked in model.asked] == ["甲a乙", "甲a丁", "甲a乙乙乙"]
    assert read_scores(tmp_path).table.frame.equals(score(Pairs(tuple(items)), Counting()).table.frame)


def test_parts_go_when_the_manifest_has_the_whole_paradigm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a run of millions of pairs would need the disk twice. Each of a paradigm's three pairs is a part."""
    monkeypatch.setattr(run, "TOGETHER", 2)
    monkeypatch.setattr(run, "PAUSE", -1.0)  # a manifest after each part
    seen: list[list[str]] = []
    folder = tmp_path / "parts"
    run_scoring(paradigms(2), Counting(), out=tmp_path, on_paradigm=lambda uid, n: seen.append(names(folder)))
    a, b = (["a.0.parquet", "a.1.parquet", "a.2.parquet"], ["b.0.parquet", "b.1.parquet", "b.2.parquet"])
    assert seen == [a[:1], a[:2], a, b[:1], b[:2], b]
    assert not folder.exists()


class Broken(Counting):
    """Gives 丙 no log-probability."""

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        for tokens in super().score(sentences):
            yield replace(tokens, logprobs=np.where(tokens.ids == 3, np.nan, tokens.logprobs).astype(np.float32))


def test_a_model_of_a_users_own_that_gives_no_number_is_refused_with_the_pair(tmp_path: Path) -> None:
    """When it is scored, not when the scores are analysed. The bad sentence of b's first pair is 甲b乙丙."""
    message = (
        "broken gives nan for token 4 of the bad sentence of pair 1 of b, 甲b乙丙; log-probabilities must be finite"
    )
    pairs = Pairs(tuple(one for one in paradigms(2) if one.uid == "b"))
    for out in (tmp_path / "out", None):
        with pytest.raises(InputError, match=message):
            score(pairs, Broken("broken"), out=out)
    assert not list(tmp_path.rglob("*.parquet"))


def test_no_pairs_are_no_scores_and_no_error(tmp_path: Path) -> None:
    done = run_scoring(Pairs(), Counting(), out=tmp_path)
    assert (done.done, done.manifest.shards) == ((), {})
    assert len(read_scores(tmp_path).table.frame) == len(score(Pairs(), Counting()).table.frame) == 0


@pytest.mark.parametrize("uid", ["../outside", "a/b", "", "nul", "a\nb"])
def test_a_uid_that_is_no_file_name_is_refused_before_anything_is_scored(tmp_path: Path, uid: str) -> None:
    """Foreign files of pairs may have any uid, and scores must stay in their folder."""
    model = Counting()
    with pytest.raises(InputError, match="cannot be a file name"):
        run_scoring(Pairs((pair("a", 0, "甲", "乙"), pair(uid, 0, "甲", "乙"))), model, out=tmp_path / "out")
    assert (model.asked, names(tmp_path)) == ([], [])


def test_a_number_too_large_for_the_table_is_refused_before_anything_is_scored(tmp_path: Path) -> None:
    """Foreign files number their pairs as they like; polars ended in a traceback after the model had run."""
    model = Counting()
    pairs = Pairs((pair("a", 2**31, "甲", "乙"),))
    for out in (None, tmp_path):
        with pytest.raises(InputError, match="pair 2147483648 of a has too large a number"):
            score(pairs, model, out=out)
    assert (model.asked, names(tmp_path)) == ([], [])
    assert score([pair("a", 2**31 - 1, "甲", "乙")], model).frame["pair"].to_list() == [2**31 - 1] * 2


def test_the_folders_of_several_models_are_found_in_order(tmp_path: Path) -> None:
    """Checkpoints by their steps: step-10 used to come before step-9."""
    for name in ("two", "one", "deep/er", "step-10", "step-9"):
        run_scoring(paradigms(1), Counting(), out=tmp_path / name)
    assert [folder.name for folder in score_folders(tmp_path)] == ["er", "one", "step-9", "step-10", "two"]
    assert score_folders(tmp_path / "one") == [tmp_path / "one"]


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("room", "file", "good"),
    [
        (0, "a.parquet", None),
        (1, "scores.json", None),  # the first file is written, but not yet named
        (4, "c.parquet", ["a", "b"]),
        (5, "scores.json", ["a", "b"]),
    ],
)
def test_a_full_disk_is_told_and_leaves_what_was_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, file: str, good: list[str] | None
) -> None:
    """Files come in turn with the manifest: a, manifest, b, manifest, c …; `room` is how many the disk still takes."""
    sync, left = os.fsync, iter(range(room))

    def full(handle: int) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match=f"{file}: cannot be written: No space left on device"):
            run_scoring(paradigms(), Counting(), out=tmp_path)
    assert [name for name in names(tmp_path) if name.endswith(".part")] == []
    if good is not None:
        assert sorted(read_scores(tmp_path).manifest.shards) == good
    done = run_scoring(paradigms(), Counting(), out=tmp_path)
    assert done.kept == tuple(good or ())
    assert read_scores(tmp_path).table.frame.equals(score(paradigms(), Counting()).table.frame)


def test_a_full_disk_leaves_the_scores_of_the_pairs_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_scoring(paradigms(), Counting(), out=tmp_path)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match="No space left on device"):
            run_scoring(paradigms(size=5), Counting(), out=tmp_path)
    assert read_scores(tmp_path).table.frame.equals(score(paradigms(), Counting()).table.frame)


SLOW = """
import sys, time
from pathlib import Path
from bidui.scores import run
from tests.scores.small import Counting, paradigms

class Slow(Counting):
    def score(self, sentences):
        for found in super().score(sentences):
            time.sleep(0.005)
            yield found

run.TOGETHER, run.PAUSE = int(sys.argv[2]), -1.0
run.run_scoring(paradigms(26), Slow(), out=Path(sys.argv[1]))
"""


@pytest.mark.parametrize("together", [6, 2])
def test_a_killed_run_goes_on_and_ends_as_if_nothing_had_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    """SIGKILL cannot be caught: whatever is on the disk at that moment is all there is, whole paradigms or parts."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "src")))
    command = [sys.executable, "-c", SLOW, str(tmp_path), str(together)]
    slow = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path})
    monkeypatch.setattr(run, "TOGETHER", together)
    manifest, until = tmp_path / "scores.json", time.monotonic() + 600
    while not (manifest.is_file() and len(json.loads(manifest.read_text())["shards"]) >= 3):
        assert slow.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < until
        time.sleep(0.005)
    slow.send_signal(signal.SIGKILL)
    assert slow.wait() == -signal.SIGKILL
    (tmp_path / ".z.parquet.0a1b2c3d.part").write_bytes(b"half")  # as a kill in the middle of writing leaves it
    there = tuple(sorted(read_scores(tmp_path).manifest.shards))
    assert 3 <= len(there) < 26
    model = Counting()
    done = run_scoring(paradigms(26), model, out=tmp_path)
    assert (done.kept, done.repaired) == (there, ())
    assert {sentence[1] for asked in model.asked for sentence in asked} == {*done.done}
    run_scoring(paradigms(26), Counting(), out=tmp_path.parent / f"{tmp_path.name}-undisturbed")
    undisturbed = tmp_path.parent / f"{tmp_path.name}-undisturbed"
    assert names(tmp_path) == names(undisturbed)
    for name in names(undisturbed):
        assert (tmp_path / name).read_bytes() == (undisturbed / name).read_bytes()


def test_one_call_scores_a_list_of_pairs_in_memory() -> None:
    """With a model of one's own, or one whose log-probabilities are given."""
    mine = bidui.given({"甲乙": [("甲", -1), ("乙", -2)], "乙甲": [("乙", -2), ("甲", -3)]}, name="mine")
    found = bidui.score([pair("u", 0, "甲乙", "乙甲")], mine)
    assert repr(found) == "Scores of mine: 1 pair of 1 paradigm"
    assert found.frame["logprobs"].to_list() == [[-1, -2], [-2, -3]]
    choices = bidui.choose(found, "mean_lp")
    assert choices.frame.rows(named=True) == [
        {"uid": "u", "phenomenon": "p", "pair": 0, "good": -1.5, "bad": -2.5, "correct": 1.0, "length_sign": 0}
    ]
    assert repr(choices) == "Choices by mean_lp: 1 pair, 100.00% correct, 0 ties"
    assert "<table" in choices._repr_html_() and "<table" in found._repr_html_()


def test_one_call_scores_into_a_folder_and_resumes(tmp_path: Path) -> None:
    """As `bidui score` does: one folder per model, and what is there is not scored again."""
    (tmp_path / "pairs.jsonl").write_bytes(
        b"".join(
            json.dumps({"sentence_good": p.good, "sentence_bad": p.bad, "UID": p.uid, "pairID": p.pair_id}).encode()
            + b"\n"
            for p in paradigms()
        )
    )
    model, again = Counting("m"), Counting("m")
    first = bidui.score(tmp_path / "pairs.jsonl", model, out=tmp_path / "results")
    assert (first.folder, first.done, first.kept) == (tmp_path / "results" / "m", UIDS, ())
    assert first.frame.equals(bidui.read_scores(tmp_path / "results" / "m").frame)
    second = bidui.score(tmp_path / "pairs.jsonl", again, out=tmp_path / "results")
    assert (second.done, second.kept, again.asked) == ((), UIDS, [])
    with pytest.raises(OutputRefused, match="dtype"):
        bidui.score(tmp_path / "pairs.jsonl", Counting("m", {"dtype": "f2"}), out=tmp_path / "results")
    forced = bidui.score(tmp_path / "pairs.jsonl", Counting("m", {"dtype": "f2"}), out=tmp_path / "results", force=True)
    assert forced.done == UIDS


def test_a_benchmark_is_scored_by_name_with_the_model_of_a_spec(tmp_path: Path) -> None:
    """Pairs are generated, and options go to the model; one that does not fit the kind is refused."""
    sentences = {side for p in bidui.generate("climp", n=1) for side in (p.good, p.bad)}
    lines = [{"sentence": s, "tokens": list(s), "logprobs": [-1.0] * len(s)} for s in sorted(sentences)]
    file = tmp_path / "given.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    found = bidui.score("climp", f"given:{file}", n=1)
    assert len(found.frame) == 2 * len(found.manifest.shards) and len(found.done) == 16
    with pytest.raises(InputError, match="--eos"):
        bidui.score("climp", f"given:{file}", n=1, eos=True)


# Variants and further columns of the pairs


def conditions(*columns: dict[str, str], variant: str = "") -> Pairs:
    return Pairs(tuple(Pair(f"甲{'乙' * n}", "丙", "u", "p", n, variant, columns=own) for n, own in enumerate(columns)))  # type: ignore[arg-type]


def test_variants_and_further_columns_reach_the_scores(tmp_path: Path) -> None:
    """They were lost on the way, so that no condition of an experiment could be told from another."""
    pairs = conditions({"number": "sg"}, {"number": "pl", "far": "yes"}, variant="v")
    for scores in (score(pairs, Counting()), score(pairs, Counting(), out=tmp_path)):
        assert scores.frame.select("pair", "side", "variant", "number", "far").rows() == [
            (0, "good", "v", "sg", ""),
            (0, "bad", "v", "sg", ""),
            (1, "good", "v", "pl", "yes"),
            (1, "bad", "v", "pl", "yes"),
        ]
        frame = bidui.choose(scores, "lp").frame
        assert frame.select("variant", "number", "far").rows() == [("v", "sg", ""), ("v", "pl", "yes")]


def test_columns_that_change_are_written_without_running_the_model(tmp_path: Path) -> None:
    """A column that is added to a table later would otherwise never arrive; the bytes are those of a new run."""
    run_scoring(conditions({"number": "sg"}, {}), Counting(), out=tmp_path / "a")
    model, pairs = Counting(), conditions({"number": "sg"}, {"number": "pl"}, variant="x")
    again = run_scoring(pairs, model, out=tmp_path / "a")
    assert model.asked == [] and again.kept == ("u",)
    assert read_scores(tmp_path / "a").table.columns()["number"].tolist() == ["sg", "pl"]
    run_scoring(pairs, Counting(), out=tmp_path / "b")
    for name in ("u.parquet", "scores.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_scores_of_versions_without_columns_are_read(tmp_path: Path) -> None:
    pairs = Pairs((*paradigms(2), *conditions({"number": "sg"})))
    run_scoring(pairs, Counting(), out=tmp_path)
    file, manifest = tmp_path / "a.parquet", json.loads((tmp_path / "scores.json").read_text())
    pl.read_parquet(file).drop("columns").write_parquet(file)
    manifest["shards"]["a"]["file"] = hashlib.sha256(file.read_bytes()).hexdigest()
    del manifest["shards"]["a"]["columns"]
    (tmp_path / "scores.json").write_text(json.dumps(manifest))
    _, totals = read_totals(tmp_path)
    assert totals.columns["number"].tolist() == [""] * 6 + ["sg"]
    assert len(read_scores(tmp_path).frame) == 14
