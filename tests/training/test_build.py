"""Corpora for training: the stream under every rule for BOS, its order, its parts, and what is refused."""

import json
import random
import struct
import time
from collections.abc import Callable, Iterator
from hashlib import blake2b
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.normalizers import Lowercase
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from bidui.errors import InputError, OutputRefused
from bidui.files import sha256
from bidui.models.fingerprint import tokenizer_hash
from bidui.scores.unigrams import read_unigrams
from bidui.training import build
from bidui.training.build import build_corpus, document_encoder, text_encoder
from bidui.training.corpus import (
    Bos,
    Corpus,
    PartName,
    count_rows_unigrams,
    dropped_tokens,
    read_corpus,
    rows,
    verify_corpus,
)
from bidui.training.tokenizers import load_tokenizer, save_tokenizer, train_char, train_word
from tests.models import small
from tests.training import forks
from tests.training.forks import ended, fork

CHARACTERS = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥"
CHAR = train_char(["甲甲甲甲甲乙乙乙乙丙丙丙\n\n"], least=1)  # 甲 4, 乙 5, 丙 6, newline 7
BOS = 1


def source(folder: Path, *documents: str, name: str = "a.txt") -> Path:
    (folder / "books").mkdir(exist_ok=True)
    (folder / "books" / name).write_text("\n\n".join(documents), encoding="utf-8")
    return folder / "books"


def stream(corpus: Corpus, part: PartName = "train") -> list[int]:
    """All tokens of a part, read without the code that is tested: the header is 64 bytes."""
    kind = "<u2" if corpus.vocabulary <= 65_536 else "<u4"
    files = sorted(corpus.folder.glob(f"{part}-*.bin"))
    return [token for file in files for token in np.frombuffer(file.read_bytes()[64:], kind).tolist()]


def many(count: int, *, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(CHARACTERS, k=draw.randint(1, 12))) + f"\n{number}" for number in range(count)]


@pytest.fixture(scope="module")
def wide() -> PreTrainedTokenizerFast:
    return train_char([CHARACTERS + "0123456789\n"], least=1)


@pytest.mark.parametrize(
    ("bos", "expected", "characters"),
    [
        ("line", [BOS, 4, 5, BOS, 6, BOS, 4, 0], 5),
        ("document", [BOS, 4, 5, 7, 6, 7, 4, 0], 6 + 1),
        ("row", [4, 5, 7, 6, 7, 4, 0, 7], 8),
        ("none", [4, 5, 7, 6, 7, 4, 0, 7], 8),
    ],
)
def test_bos_stands_where_the_rule_puts_it(tmp_path: Path, bos: Bos, expected: list[int], characters: int) -> None:
    """甲乙, 丙 and 甲? are the lines of one document; ? is unknown.

    Characters that are counted are those the tokens spell: five without line ends, seven with two, eight with three.
    """
    made = build_corpus(source(tmp_path, "甲乙\n丙\n甲?"), CHAR, out=tmp_path / "out", bos=bos, validation=0)
    assert stream(made) == expected
    assert made.train.characters == characters
    assert (made.tokens, made.train.documents, made.train.unknown) == (len(expected), 1, 1)
    assert made.bos_id == (None if bos == "none" else BOS)
    assert stream(made, "validation") == [] and made.validation.tokens == 0


@pytest.mark.parametrize(
    ("bos", "documents"),
    [("line", [[BOS, 4], [BOS, 5]]), ("document", [[BOS, 4], [BOS, 5]]), ("row", [[4, 7], [5, 7]])],
)
def test_documents_follow_each_other_in_the_order_of_their_keys(
    tmp_path: Path, bos: Bos, documents: list[list[int]]
) -> None:
    """The key is a hash of the text under the seed, so both orders come up, and each is known beforehand."""
    orders = set()
    for seed in range(8):
        keys = [blake2b(text.encode(), digest_size=16, key=str(seed).encode()).digest() for text in ("甲", "乙")]
        expected = [token for _, document in sorted(zip(keys, documents, strict=True)) for token in document]
        made = build_corpus(
            source(tmp_path, "甲", "乙"), CHAR, out=tmp_path / f"{seed}", bos=bos, seed=seed, validation=0
        )
        assert stream(made) == expected
        orders.add(tuple(expected))
    assert len(orders) == 2


@pytest.mark.parametrize("bos", ["row", "line", "none"])
def test_rows_are_the_stream_cut_up(tmp_path: Path, bos: Bos) -> None:
    """Nine tokens of 甲乙丙甲乙丙甲乙 and one more: with rows of four, two rows and one token over.

    With the rule `row` a row is BOS and three of the stream: three rows, nothing over.
    """
    text = "甲乙丙甲乙丙甲乙"
    made = build_corpus(source(tmp_path, text), CHAR, out=tmp_path / "out", bos=bos, validation=0)
    expected = {
        "line": [[1, 4, 5, 6], [4, 5, 6, 4]],
        "none": [[4, 5, 6, 4], [5, 6, 4, 5]],
        "row": [[1, 4, 5, 6], [1, 4, 5, 6], [1, 4, 5, 7]],
    }[bos]
    assert rows(made, context=4).tolist() == expected
    assert rows(made, context=4).dtype == np.uint16
    assert dropped_tokens(made, context=4) == (0 if bos == "row" else 1)
    assert rows(made, context=4, tokens=7).tolist() == expected[:1]
    assert dropped_tokens(made, context=4, tokens=7) == 3


def test_more_tokens_than_there_are_is_an_error_with_both_numbers(tmp_path: Path) -> None:
    made = build_corpus(source(tmp_path, "甲乙丙甲乙丙甲乙"), CHAR, out=tmp_path / "a", validation=0)
    with pytest.raises(InputError, match="10 tokens were requested, but train has only 9"):
        rows(made, tokens=10, context=4)
    made = build_corpus(source(tmp_path, "甲乙丙甲乙丙甲乙"), CHAR, out=tmp_path / "b", bos="row", validation=0)
    assert len(rows(made, tokens=12, context=4)) == 3
    with pytest.raises(InputError, match="16 tokens were requested, but train has only 12"):
        rows(made, tokens=16, context=4)
    with pytest.raises(InputError, match="rows of 1 token have no room"):
        rows(made, context=1)


@pytest.mark.parametrize("bos", ["row", "line"])
def test_fewer_tokens_are_the_beginning_of_more(tmp_path: Path, wide: PreTrainedTokenizerFast, bos: Bos) -> None:
    """The corpora of the paper's sizes are nested, so that a larger one differs only by what it adds."""
    made = build_corpus(source(tmp_path, *many(200)), wide, out=tmp_path / "out", bos=bos, shard_tokens=300)
    assert len(made.train.shards) > 3
    whole = rows(made, context=8)
    for tokens in (0, 8, 80, 304, 808):
        assert rows(made, tokens=tokens, context=8).tolist() == whole[: tokens // 8].tolist()
    assert rows(made, context=8, part="validation").shape[1] == 8


def test_one_shard_is_mapped_and_not_read(tmp_path: Path, wide: PreTrainedTokenizerFast) -> None:
    """Six gigabytes need not be in memory on a laptop."""
    made = build_corpus(source(tmp_path, *many(50)), wide, out=tmp_path / "out")
    assert isinstance(rows(made, tokens=64), np.memmap)


def test_shards_of_any_size_hold_the_same_stream(tmp_path: Path, wide: PreTrainedTokenizerFast) -> None:
    books = source(tmp_path, *many(60))
    one = build_corpus(books, wide, out=tmp_path / "one")
    several = build_corpus(books, wide, out=tmp_path / "several", shard_tokens=100)
    assert stream(one) == stream(several)
    assert [shard.tokens for shard in several.train.shards[:-1]] == [100] * (len(several.train.shards) - 1)
    assert rows(one, context=8).tolist() == rows(several, context=8).tolist()


def test_the_stream_does_not_depend_on_files_or_their_order(tmp_path: Path, wide: PreTrainedTokenizerFast) -> None:
    documents = many(100)
    one = build_corpus(source(tmp_path, *documents), wide, out=tmp_path / "one")
    (tmp_path / "again").mkdir()
    books = source(tmp_path / "again", *documents[::-2], name="z.txt")
    lines = "".join(json.dumps({"text": text}) + "\n" for text in documents[-2::-2])
    (books / "b.jsonl").write_text(lines)
    other = build_corpus(books, wide, out=tmp_path / "other")
    assert stream(one) == stream(other)
    assert stream(one, "validation") == stream(other, "validation")
    assert one.hash == other.hash


def test_another_seed_gives_another_order_of_the_same_documents(tmp_path: Path, wide: PreTrainedTokenizerFast) -> None:
    books = source(tmp_path, *many(100))
    first, second = (build_corpus(books, wide, out=tmp_path / str(seed), seed=seed, validation=0.1) for seed in (0, 1))
    assert stream(first) != stream(second)
    assert sorted(stream(first)) == sorted(stream(second))
    assert sorted(stream(first, "validation")) == sorted(stream(second, "validation"))
    assert first.hash != second.hash


def test_a_document_that_comes_twice_is_there_once(tmp_path: Path) -> None:
    """Where it comes from and what stands around it does not matter."""
    books = source(tmp_path, "甲乙", "丙", "甲乙", "甲乙\n丙", "  甲乙")
    (books / "b.jsonl").write_text('{"text": "丙"}\n', encoding="utf-8")
    made = build_corpus(books, CHAR, out=tmp_path / "out", validation=0)
    assert made.train.documents == 3
    assert (made.seen.documents, made.seen.duplicates) == (6, 3)
    assert sorted(stream(made)) == sorted([BOS, 4, 5, BOS, 6, BOS, 4, 5, BOS, 6])


def held_out(corpus: Corpus, tokenizer: PreTrainedTokenizerBase) -> set[str]:
    text = str(tokenizer.decode(stream(corpus, "validation")))
    return set(text.split("<s>")[1:])


def test_validation_documents_stay_when_the_corpus_grows(tmp_path: Path, wide: PreTrainedTokenizerFast) -> None:
    """Else what one model is tested on, another would have been trained on. The fraction is more than the least."""
    documents = many(400)
    few = build_corpus(source(tmp_path, *documents[:200]), wide, out=tmp_path / "few", bos="document", validation=0.2)
    all_of_them = build_corpus(source(tmp_path, *documents), wide, out=tmp_path / "all", bos="document", validation=0.2)
    most = build_corpus(source(tmp_path, *documents), wide, out=tmp_path / "most", bos="document", validation=0.4)
    assert held_out(few, wide) == held_out(all_of_them, wide) & set(documents[:200])
    assert held_out(all_of_them, wide) < held_out(most, wide)
    assert 56 <= all_of_them.validation.documents <= 104  # a fifth of 400, within three deviations
    assert all_of_them.train.documents + all_of_them.validation.documents == 400


@settings(max_examples=25)
@given(documents=st.lists(st.lists(st.text("甲乙丙", min_size=1), min_size=1), min_size=1, max_size=6))
def test_the_stream_spells_the_documents(tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]]) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    texts = ["\n".join(lines) for lines in documents]
    books = source(folder, *texts)
    made = build_corpus(books, CHAR, out=folder / "document", bos="document", validation=0)
    assert sorted(str(CHAR.decode(stream(made))).split("<s>")[1:]) == sorted(set(texts))
    made = build_corpus(books, CHAR, out=folder / "none", bos="none", validation=0)
    assert sorted(str(CHAR.decode(stream(made))).splitlines()) == sorted(
        line for text in set(texts) for line in text.split("\n")
    )
    made = build_corpus(books, CHAR, out=folder / "line", bos="line", validation=0)
    assert sorted(str(CHAR.decode(stream(made))).split("<s>")[1:]) == sorted(
        line for text in set(texts) for line in text.split("\n")
    )


@given(st.lists(st.text(st.sampled_from("甲乙丙丁\n <s>/é𠮷\t\r"), max_size=20), max_size=5))
def test_the_quick_way_for_characters_gives_what_the_tokenizer_gives(texts: list[str]) -> None:
    """`<s>` in a text is three characters, and must not become BOS."""
    quick, lengths = text_encoder(CHAR)(texts)
    undeclared = PreTrainedTokenizerFast(tokenizer_object=CHAR.backend_tokenizer, unk_token="<unk>", bos_token="<s>")
    usual, same = text_encoder(undeclared)(texts)
    assert quick.tolist() == usual.tolist()
    assert lengths.tolist() == same.tolist() == [len(text) for text in texts]


@pytest.mark.parametrize(
    "make", [small.tokenizer, small.pieces, lambda: train_word(["我们看书，我们"], least=1, size=99)]
)
def test_any_tokenizer_can_be_used(make: Callable[[], PreTrainedTokenizerBase]) -> None:
    tokenizer = make()
    ids, characters = document_encoder(tokenizer, bos="none")(["我们看书\n我们"])
    assert ids.tolist() == tokenizer.encode("我们看书\n我们\n", add_special_tokens=False)
    assert characters == 8


def test_without_bos_eos_stands_in_and_without_both_there_is_an_error() -> None:
    """As in scoring."""
    only_eos = small.tokenizer(bos=False)
    assert document_encoder(only_eos, bos="line")(["我\n你"])[0].tolist() == [2, 8, 2, 9]
    neither = small.tokenizer(bos=False, eos=False)
    assert document_encoder(neither, bos="none")(["我"])[0].tolist()[0] == 8
    with pytest.raises(InputError, match="neither a BOS nor an EOS token to put before each line; use --bos none"):
        document_encoder(neither, bos="line")


def test_large_vocabularies_take_four_bytes(tmp_path: Path) -> None:
    """An id above 65,535 would come back as another token."""
    several = ["".join(map(chr, range(start, start + 10_000))) for start in range(0x20000, 0x20000 + 70_000, 10_000)]
    tokenizer = train_char(several, least=1)
    made = build_corpus(source(tmp_path, chr(0x20000 + 69_999)), tokenizer, out=tmp_path / "out", validation=0)
    assert made.vocabulary == 4 + 70_000 + 1  # special tokens, characters, and the newline
    assert rows(made, context=2).tolist() == [[BOS, 4 + 69_999]]
    assert rows(made, context=2).dtype == np.uint32
    assert (tmp_path / "out" / "train-00000.bin").stat().st_size == 64 + 2 * 4


def test_a_shard_says_what_it_is(tmp_path: Path) -> None:
    made = build_corpus(source(tmp_path, "甲乙"), CHAR, out=tmp_path / "out", validation=0)
    data = (tmp_path / "out" / "train-00000.bin").read_bytes()
    expected = struct.pack("<8sIIQQ", b"BIDUITOK", 1, 2, 3, 8) + bytes.fromhex(made.tokenizer)
    assert data == expected + struct.pack("<HHH", BOS, 4, 5)


def test_unigrams_are_of_the_training_text_without_bos(tmp_path: Path) -> None:
    """BOS is never scored, so among tokens of text it would only take probability away from all others."""
    made = build_corpus(source(tmp_path, "甲甲乙\n甲?"), CHAR, out=tmp_path / "out", validation=0)
    found = read_unigrams(made.folder / "unigrams.json", tokenizer=tokenizer_hash(CHAR))
    assert found.counts.tolist() == [1, 0, 0, 0, 3, 1, 0, 0]
    taken = rows(made, context=3, tokens=6)  # BOS 甲 甲, 乙 BOS 甲
    own = count_rows_unigrams(taken, vocabulary=8, tokenizer_hash=made.tokenizer, leave_out=made.bos_id)
    assert own.counts.tolist() == [0, 0, 0, 0, 3, 1, 0, 0]
    assert own.tokenizer == tokenizer_hash(CHAR)


def test_the_folder_holds_the_tokenizer_and_is_read_back(tmp_path: Path) -> None:
    made = build_corpus(source(tmp_path, "甲乙", "丙"), CHAR, out=tmp_path / "out")
    assert made.made
    found = read_corpus(tmp_path / "out")
    assert found == made and not found.made
    assert found.hash == made.hash
    verify_corpus(found)
    assert tokenizer_hash(load_tokenizer(tmp_path / "out" / "tokenizer")) == found.tokenizer
    assert sorted(path.name for path in tmp_path.iterdir()) == ["books", "out"]  # nothing is left beside


def test_building_again_does_nothing(tmp_path: Path) -> None:
    books = source(tmp_path, *many(20))
    first = build_corpus(books, CHAR, out=tmp_path / "out")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    again = build_corpus(books, CHAR, out=tmp_path / "out")
    assert (first.made, again.made) == (True, False)
    assert again == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == times


def test_equal_builds_give_equal_bytes(tmp_path: Path) -> None:
    books = source(tmp_path, *many(20))
    for name in ("one", "two"):
        build_corpus(books, CHAR, out=tmp_path / name)
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) == 6
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_corpus_made_otherwise_is_not_written_over(tmp_path: Path, wide: PreTrainedTokenizerFast) -> None:
    books = source(tmp_path, "甲", "乙")
    build_corpus(books, CHAR, out=tmp_path / "out")
    with pytest.raises(OutputRefused, match=r"different settings: bos \(line, now row\), seed \(0, now 3\)"):
        build_corpus(books, CHAR, out=tmp_path / "out", bos="row", seed=3)
    with pytest.raises(OutputRefused, match=r"tokenizer \("):
        build_corpus(books, wide, out=tmp_path / "out")
    source(tmp_path, "丙")
    with pytest.raises(OutputRefused, match=r"different settings: a\.txt"):
        build_corpus(books, CHAR, out=tmp_path / "out")


def test_a_tokenizer_with_other_steps_is_another_one(tmp_path: Path) -> None:
    """The vocabulary is the same, the text it gives is not; a corpus from before steps were recorded is still used."""
    texts, out = source(tmp_path, *many(40)), tmp_path / "out"
    build_corpus(texts, small.tokenizer(), out=out)
    other = small.tokenizer()
    other.backend_tokenizer.normalizer = Lowercase()
    with pytest.raises(OutputRefused, match="pipeline"):
        build_corpus(texts, other, out=out)
    stored = json.loads((out / "corpus.json").read_text(encoding="utf-8"))
    del stored["asked"]["pipeline"]
    (out / "corpus.json").write_text(json.dumps(stored), encoding="utf-8")
    assert not build_corpus(texts, small.tokenizer(), out=out).made


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(OutputRefused, match="thesis"):
        build_corpus(source(tmp_path, "甲"), CHAR, out=tmp_path / "out")
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"


def test_a_build_that_was_stopped_leaves_nothing_and_starts_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    books = source(tmp_path, "甲", "乙")

    def stop(what: str, done: int, of: int) -> None:
        if what == "encoding":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_corpus(books, CHAR, out=tmp_path / "out", on_progress=stop)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["books"]
    (tmp_path / ".out.0a1b2c3d.part" / "shuffle").mkdir(parents=True)  # as after a power cut
    assert build_corpus(books, CHAR, out=tmp_path / "out").made
    assert sorted(path.name for path in tmp_path.iterdir()) == ["books", "out"]

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(build, "write_file", full)
    with pytest.raises(InputError, match="other: cannot be written: No space left on device"):
        build_corpus(books, CHAR, out=tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["books", "out"]


# Two builds of one corpus at once, in processes of their own.


def until(path: Path, *others: BaseProcess) -> None:
    while not path.exists():
        assert all(process.is_alive() for process in others)
        time.sleep(0.01)


@pytest.fixture
def two(tmp_path: Path, wide: PreTrainedTokenizerFast) -> Iterator[list[BaseProcess]]:
    """Two processes: the first has read all of the text and encodes it; the second waits for the first."""
    source(tmp_path, *many(500))
    save_tokenizer(wide, tmp_path / "tok")
    processes = [fork(forks.build, tmp_path, "first")]
    until(tmp_path / "first-encoding", *processes)
    processes.append(fork(forks.build, tmp_path, "second"))
    until(tmp_path / "second-waiting", *processes)
    yield processes
    for process in processes:
        process.kill()
        ended(process)


def made(folder: Path, name: str) -> list[str]:
    return (folder / f"{name}-made").read_text().split()


def test_a_second_build_waits_and_takes_what_the_first_built(tmp_path: Path, two: list[BaseProcess]) -> None:
    """It used to remove the files of the first, which then wrote a corpus of what was left, and said nothing."""
    (tmp_path / "go").touch()
    for process in two:
        process.join()
    assert [process.exitcode for process in two] == [0, 0]
    assert [made(tmp_path, name) for name in ("first", "second")] == [["True", "500"], ["False", "500"]]
    assert read_corpus(tmp_path / "out", verify=True).train.documents > 400
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_when_the_first_is_killed_the_second_builds(tmp_path: Path, two: list[BaseProcess]) -> None:
    """The lock ends with its process, and what that left half built is removed."""
    two[0].kill()
    two[1].join()
    assert two[1].exitcode == 0
    assert made(tmp_path, "second") == ["True", "500"]
    read_corpus(tmp_path / "out", verify=True)
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_documents_that_vanish_while_a_corpus_is_built_are_an_error(
    tmp_path: Path, wide: PreTrainedTokenizerFast
) -> None:
    """Whatever removed them: a cleaner of old files, or an older bidui."""

    def clean(what: str, done: int, total: int) -> None:
        for file in tmp_path.glob(".out.*.part/shuffle/1*"):
            if what == "reading":
                file.unlink()

    with pytest.raises(InputError, match=r"out: contains only \d+ of the 500 distinct documents"):
        build_corpus(source(tmp_path, *many(500)), wide, out=tmp_path / "out", on_progress=clean)
    assert not (tmp_path / "out").exists()


def test_a_corpus_that_was_cut_when_it_was_built_is_refused(tmp_path: Path) -> None:
    """Every hash and every size is right; only the number of documents that were read tells."""
    build_corpus(source(tmp_path, "甲", "乙", "乙", "丙"), CHAR, out=tmp_path / "out")
    file = tmp_path / "out" / "corpus.json"
    value = json.loads(file.read_text(encoding="utf-8"))
    assert (value["seen"]["documents"], value["seen"]["duplicates"]) == (4, 1)
    value["seen"]["documents"] = 1312
    file.write_text(json.dumps(value))
    with pytest.raises(InputError, match="out: contains only 3 of the 1311 distinct documents that were read"):
        read_corpus(tmp_path / "out")


@pytest.mark.parametrize("bos", ["line", "document"])
def test_verifying_counts_tokens_and_documents_again(tmp_path: Path, bos: Bos) -> None:
    """A document less in a shard, with its size and hash set right in the manifest, is still found."""
    build_corpus(source(tmp_path, "甲乙", "丙"), CHAR, out=tmp_path / "out", bos=bos, validation=0)
    shard, manifest = tmp_path / "out" / "train-00000.bin", tmp_path / "out" / "corpus.json"
    whole, text = shard.read_bytes(), manifest.read_text(encoding="utf-8")
    cut = whole[:16] + struct.pack("<Q", 2) + whole[24:68]  # two tokens of five
    shard.write_bytes(cut)
    corpus = json.loads(text)
    corpus["train"] |= {"tokens": 2, "shards": [corpus["train"]["shards"][0] | {"tokens": 2, "sha256": sha256(cut)}]}
    parts = {name: [one["sha256"] for one in corpus[name]["shards"]] for name in ("train", "validation")}
    matters = {"tokenizer": corpus["tokenizer"], "bos": bos, "bos_id": BOS, "shards": parts}
    corpus["hash"] = sha256(json.dumps(matters, sort_keys=True).encode())
    manifest.write_text(json.dumps(corpus))
    assert read_corpus(tmp_path / "out").tokens == 2
    with pytest.raises(
        InputError, match=r"out: the shards do not match the stored counts \(train: 1 counted, 2 stored\)"
    ):
        read_corpus(tmp_path / "out", verify=True)
    shard.write_bytes(whole)
    manifest.write_text(text, encoding="utf-8")
    read_corpus(tmp_path / "out", verify=True)
    unigrams = tmp_path / "out" / "unigrams.json"
    counts = json.loads(unigrams.read_text())
    counts["counts"][4] += 1
    unigrams.write_text(json.dumps(counts))
    with pytest.raises(InputError, match=r"\(unigrams.json: 3 counted, 4 stored\)"):
        read_corpus(tmp_path / "out", verify=True)


# What is held out.


def places(documents: list[str]) -> list[str]:
    """The documents in the order in which they are held out: by this hash, as it was from the beginning."""
    return sorted(documents, key=lambda text: blake2b(text.encode(), digest_size=8, person=b"validation").digest())


def test_a_small_corpus_holds_out_a_few_documents(tmp_path: Path, wide: PreTrainedTokenizerFast) -> None:
    """0.5% of 24 documents is none. Each has 404 characters, so the lowest three are enough: more than 1,024."""
    documents = [CHARACTERS[:20] * 20 + f"{number:04}" for number in range(24)]
    made = build_corpus(source(tmp_path, *documents), wide, out=tmp_path / "out", bos="document")
    assert held_out(made, wide) == set(places(documents)[:3])
    assert made.train.documents == 21
    none = build_corpus(source(tmp_path, *documents), wide, out=tmp_path / "none", bos="document", validation=0)
    assert (none.train.documents, none.validation.documents) == (24, 0)


def test_short_documents_are_held_out_until_they_fill_rows(tmp_path: Path, wide: PreTrainedTokenizerFast) -> None:
    """Each has 104 characters: ten make 1,040. Of 60 documents, that would be a sixth: a tenth, six, is the most."""
    documents = [CHARACTERS[:20] * 5 + f"{number:04}" for number in range(200)]
    made = build_corpus(source(tmp_path, *documents), wide, out=tmp_path / "out", bos="document")
    assert held_out(made, wide) == set(places(documents)[:10])
    fewer = build_corpus(source(tmp_path, *documents[:60]), wide, out=tmp_path / "fewer", bos="document")
    assert held_out(fewer, wide) == set(places(documents[:60])[:6])
    larger = build_corpus(source(tmp_path, *documents), wide, out=tmp_path / "more", bos="document", validation=0.2)
    assert set(places(documents)[:20]) < held_out(larger, wide)  # the fraction, where it is more than a few


@pytest.mark.parametrize(("documents", "held"), [(1, 0), (2, 1), (9, 1), (11, 2)])
def test_the_smallest_corpora_keep_most_for_training(
    tmp_path: Path, wide: PreTrainedTokenizerFast, documents: int, held: int
) -> None:
    made = build_corpus(source(tmp_path, *(str(n) for n in range(documents))), wide, out=tmp_path / "out")
    assert (made.train.documents, made.validation.documents) == (documents - held, held)


def test_places_of_a_large_corpus_are_not_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory are only the lowest, which are exact however many come after them; duplicates count once."""
    monkeypatch.setattr(build, "ENOUGH", 4)
    documents = [str(number) for number in range(1000)]
    kept = build.scatter([*documents, *documents[:300]], tmp_path / "shuffle", seed=0)
    assert 40 <= len(kept) <= 80
    lowest = [blake2b(text.encode(), digest_size=8, person=b"validation").digest() for text in places(documents)]
    assert sorted(kept)[:40] == [int.from_bytes(place, "big") for place in lowest[:40]]


def damaged(folder: Path, at: int, value: bytes) -> None:
    file = folder / "train-00000.bin"
    data = bytearray(file.read_bytes())
    data[at : at + len(value)] = value
    file.write_bytes(data)


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (0, b"BIDUITIK", "is not a shard of token ids"),
        (8, b"\2", "has the version 2, but this version of bidui reads 1"),
        (12, b"\4", "should contain 3 tokens"),
        (16, b"\7", "should contain 3 tokens"),
        (24, b"\xff", "should contain 3 tokens"),
        (32, b"\0\0\0", r"was encoded with another tokenizer \(000000"),
    ],
)
def test_a_header_that_does_not_fit_is_an_error(tmp_path: Path, at: int, value: bytes, message: str) -> None:
    build_corpus(source(tmp_path, "甲乙"), CHAR, out=tmp_path / "out", validation=0)
    damaged(tmp_path / "out", at, value)
    with pytest.raises(InputError, match=rf"train-00000\.bin: {message}"):
        read_corpus(tmp_path / "out")


def test_a_shard_cut_off_or_gone_is_an_error(tmp_path: Path) -> None:
    build_corpus(source(tmp_path, "甲乙"), CHAR, out=tmp_path / "out", validation=0)
    file = tmp_path / "out" / "train-00000.bin"
    file.write_bytes(file.read_bytes()[:-2])
    with pytest.raises(InputError, match="should contain 3 tokens, but its 68 bytes"):
        read_corpus(tmp_path / "out")
    file.write_bytes(b"short")
    with pytest.raises(InputError, match="is not a shard of token ids"):
        read_corpus(tmp_path / "out")
    file.unlink()
    with pytest.raises(InputError, match=r"train-00000\.bin: cannot be read"):
        read_corpus(tmp_path / "out")


def test_a_changed_token_is_found_by_its_hash(tmp_path: Path) -> None:
    made = build_corpus(source(tmp_path, "甲乙"), CHAR, out=tmp_path / "out", validation=0)
    damaged(tmp_path / "out", 66, b"\6")
    assert stream(read_corpus(tmp_path / "out")) == [BOS, 6, 5]  # nothing else shows it
    with pytest.raises(InputError, match=r"train-00000\.bin: was changed after it was written"):
        verify_corpus(made)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 1}', '{"format": 1, "train": 5}'])
def test_what_is_no_corpus_is_a_clear_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="contains no corpus; build one with bidui corpus build"):
        read_corpus(tmp_path)
    (tmp_path / "corpus.json").write_text(text)
    with pytest.raises(InputError, match=r"corpus\.json: cannot be read"):
        read_corpus(tmp_path)


def test_a_corpus_json_of_another_version_or_changed_by_hand_is_refused(tmp_path: Path) -> None:
    build_corpus(source(tmp_path, "甲乙"), CHAR, out=tmp_path / "out")
    file = tmp_path / "out" / "corpus.json"
    value = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(value | {"format": 2}))
    with pytest.raises(InputError, match="has the format 2, but this version of bidui reads 1"):
        read_corpus(tmp_path / "out")
    file.write_text(json.dumps(value | {"bos": "row"}))
    with pytest.raises(InputError, match="its fields do not fit together"):
        read_corpus(tmp_path / "out")


def test_text_with_nothing_in_it_is_an_error_that_says_why(tmp_path: Path) -> None:
    books = source(tmp_path, "", "")
    (books / "b.jsonl").write_text('{"text": ""}\nx\n')
    with pytest.raises(InputError, match="the source contains no text; 1 line or record was broken, 1 was empty"):
        build_corpus(books, CHAR, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("share", [-0.1, 1, 2, float("nan")])
def test_a_share_that_is_none_is_an_error(tmp_path: Path, share: float) -> None:
    with pytest.raises(InputError, match="must be at least 0 and below 1"):
        build_corpus(source(tmp_path, "甲"), CHAR, out=tmp_path / "out", validation=share)


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    told: dict[str, tuple[int, int]] = {}
    build_corpus(
        source(tmp_path, "甲", "乙", "甲"),
        CHAR,
        out=tmp_path / "out",
        on_progress=lambda what, done, of: told.update({what: (done, of)}),
    )
    assert told == {"reading": (13, 13), "encoding": (3, 3)}
