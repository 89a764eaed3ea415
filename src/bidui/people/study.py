"""A study: a design with its pairs, texts and trials pinned, so that later edits of the project never change it.

A study is a folder, or the same bytes in a database (`study_files`, `parse_study`):

    study.json       name, design, texts, where the pairs come from, the earlier study it follows, and hashes
    pairs.jsonl      the pairs, as `bidui score` takes them: models are compared with people on the same ones
    items.jsonl      everything that is shown: these pairs, catch trials, practice items and fillers
    trials.jsonl     one row per slot and item: position and side
    responses.jsonl  one row per answer (`bidui.people.responses`), added by imports
"""

import csv
import io
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from bidui.errors import Place, fail
from bidui.files import (
    Json,
    decode,
    encode,
    json_text,
    parse_json,
    read_bytes,
    sha256,
    tool_version,
    write_new_folder,
)
from bidui.pairs import Pair, Pairs
from bidui.pairs.formats import from_jsonl, pairs_to_bytes
from bidui.people.design import (
    Design,
    Kind,
    Texts,
    design_of,
    design_record,
    own_texts,
    standard_texts,
    texts_version,
)
from bidui.people.lists import Item, Trial, make_trials
from bidui.words import COLUMNS, Language

if TYPE_CHECKING:
    from bidui.grammar.paradigm import Paradigm

STUDY, PAIRS, ITEMS, TRIALS = "study.json", "pairs.jsonl", "items.jsonl", "trials.jsonl"
FILLERS = Path(__file__).parent / "fillers.tsv"
LARGEST = 200_000_000  # bytes of a file of a study
EXCLUDED = " excluded"  # after the version of a paradigm
Row = TypeVar("Row", Item, Trial)


@dataclass(frozen=True, slots=True)
class Earlier:
    """The study that this one follows, the paradigms that were edited, kept or added since, and what was found then."""

    name: str
    sha256: str  # of its study.json
    edited: tuple[str, ...]
    same: tuple[str, ...]
    new: tuple[str, ...]
    # uid -> how many of how many judgements agreed with the gold labels, without those that the rules left out
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def change(self, uid: str) -> Literal["edited", "same", "new"]:
        """Return what became of a paradigm since."""
        return "edited" if uid in self.edited else "same" if uid in self.same else "new"


@dataclass(frozen=True, slots=True, repr=False)
class Study:
    """A study as it was fixed before anybody answered."""

    name: str
    design: Design
    pairs: Pairs
    items: tuple[Item, ...]
    trials: tuple[Trial, ...]
    texts: Texts
    source: str = ""  # the name of the project or file that the pairs are from
    paradigms: Mapping[str, str] | None = None  # uid -> hash of the paradigm or, for pairs from a file, of its pairs
    follows: Earlier | None = None
    item: Mapping[str, Item] = field(init=False, repr=False, compare=False)  # by id

    def __post_init__(self) -> None:
        object.__setattr__(self, "item", {item.id: item for item in self.items})

    def __repr__(self) -> str:
        return f"<Study {self.name}: {len(self.pairs)} pairs, {len(self.trials)} trials, version {self.version}>"

    @property
    def version(self) -> str:
        """The version of the texts, which every response carries."""
        return texts_version(self.texts)

    def text(self, key: str, language: Language) -> str:
        """Return a text that participants read."""
        return self.texts[key][language]


# Making a study


def draw_study(
    pool: Pairs,
    design: Design,
    *,
    name: str,
    texts: Mapping[str, Mapping[Language, str]] | None = None,
    catch: Sequence[Pair] = (),
    practice: Sequence[Pair] = (),
    fillers: Sequence[Pair] = (),
    source: str = "",
    paradigms: Mapping[str, str] | None = None,
    follows: "Study | None" = None,
    before: Mapping[str, tuple[int, int]] | None = None,
) -> Study:
    """Draw the pairs of a study from a pool, add catch trials, practice items and fillers, and make its trials.

    Unless catch trials are given, each is a good sentence of a pair that was not drawn, beside the same sentence with
    its words (or, without blanks, its characters) out of order: they look like any other item, and nobody who reads
    them fails. Practice items and fillers that are not given are ours, in Chinese or English. `before` has the counts
    of the study that this one `follows` (`bidui.people.agreement.counts`).
    """
    design = design if design.language else replace(design, language="zh")
    pairs = draw_pairs(pool, per_paradigm=design.per_paradigm, seed=design.seed)
    chosen = {(pair.uid, pair.pair_id) for pair in pairs}
    left = [pair for pair in pool if (pair.uid, pair.pair_id) not in chosen]
    given: dict[Kind, Sequence[Pair]] = {
        "catch": catch or _scrambled(left, design),
        "practice": practice or _ours("practice", design),
        "filler": fillers or _ours("filler", design),
    }
    counts: dict[Kind, int] = {"catch": design.catch, "practice": design.practice, "filler": design.fillers}
    items = [
        Item(_id(pair), "test", pair.uid, pair.phenomenon, pair.pair_id, pair.good, pair.bad, pair.variant)
        for pair in pairs
    ]
    for kind, count in counts.items():
        own = given[kind]
        if len(own) < count:
            raise fail("study-items-few", None, {"kind": kind, "count": len(own), "needed": count})
        items += (
            Item(f"{kind}/{number}", kind, "", "", number, pair.good, pair.bad)
            for number, pair in enumerate(own[:count], start=1)
        )
    hashes = {**{uid: _pairs_hash(own) for uid, own in pairs.by_uid().items()}, **(paradigms or {})}
    hashes = {uid: hashes[uid] for uid in pairs.by_uid()}
    return Study(
        name,
        design,
        pairs,
        tuple(items),
        make_trials(items, design),
        own_texts(texts or {}),
        source,
        hashes,
        _earlier(follows, hashes, before or {}) if follows else None,
    )


def draw_pairs(pool: Pairs, *, per_paradigm: int, seed: int) -> Pairs:
    """Draw pairs of each paradigm, taking turns over its variants; a paradigm with too few is an error."""
    drawn: list[Pair] = []
    few: list[str] = []
    for uid, own in pool.by_uid().items():
        if "/" in uid:
            raise fail("study-uid", None, {"uid": uid})
        if len({pair.pair_id for pair in own}) < len(own):
            raise fail("study-pair-twice", None, {"uid": uid})
        if len(own) < per_paradigm:
            few.append(f"{uid} ({len(own)})")
            continue
        rng = Random(f"{seed}/pairs/{uid}")
        variants: dict[str, list[Pair]] = {}
        for pair in rng.sample(own, len(own)):
            variants.setdefault(pair.variant, []).append(pair)
        names = rng.sample(sorted(variants), len(variants))
        turns = [pair for turn in range(len(own)) for name in names for pair in variants[name][turn : turn + 1]]
        drawn += sorted(turns[:per_paradigm], key=lambda pair: pair.pair_id)
    if few:
        raise fail("study-pairs-few", None, {"needed": per_paradigm, "paradigms": few})
    if not drawn:
        raise fail("study-no-pairs")
    return Pairs(tuple(drawn))


def _id(pair: Pair) -> str:
    return f"{pair.uid}/{pair.pair_id}"


def _pairs_hash(pairs: Iterable[Pair]) -> str:
    return sha256(pairs_to_bytes(pairs, format="jsonl"))


def _scrambled(left: Sequence[Pair], design: Design) -> list[Pair]:
    """Make catch trials of good sentences, of as many paradigms as there are."""
    rng = Random(f"{design.seed}/catch")
    by_uid: dict[str, list[Pair]] = {}
    for pair in left:
        by_uid.setdefault(pair.uid, []).append(pair)
    uids = rng.sample(sorted(by_uid), len(by_uid))
    catch: list[Pair] = []
    for turn in range(max(map(len, by_uid.values()), default=0)):
        for uid in uids:
            if len(catch) == design.catch:
                return catch
            if turn < len(by_uid[uid]) and (bad := scramble(by_uid[uid][turn].good, rng)):
                catch.append(Pair(by_uid[uid][turn].good, bad, "catch", "", len(catch) + 1))
    return catch


def scramble(sentence: str, rng: Random) -> str:
    """Put the words of a sentence, or its characters if it has no blanks, out of order; "" if that cannot be done.

    No word keeps its neighbours, as far as a hundred attempts find such an order; the end of the sentence stays.
    """
    body = sentence.rstrip("。？！?!.")
    blank = " " if " " in body else ""
    units = body.split() if blank else list(body)
    neighbours = set(itertools.pairwise(units))
    best, fewest = "", len(units)
    for _ in range(100):
        mixed = rng.sample(units, len(units))
        kept = sum(two in neighbours for two in itertools.pairwise(mixed))
        if mixed != units and kept < fewest:
            best, fewest = blank.join(mixed), kept
    return best + sentence[len(body) :] if best else ""


def _ours(kind: Kind, design: Design) -> list[Pair]:
    rows = [line.split("\t") for line in FILLERS.read_text(encoding="utf-8").splitlines()[1:]]
    own = [
        (good, bad) for name, language, good, bad in rows if (name, language) == (kind, design.language.split("-")[0])
    ]
    return [Pair(good, bad, kind, "", number) for number, (good, bad) in enumerate(own, start=1)]


def pinned_version(paradigm: "Paradigm") -> str:
    """Return what a study pins of a paradigm: the hash of its text without its status, and a mark if it is excluded.

    So a decision on a paradigm is no edit of it, and a study knows which paradigms were excluded when it was made.
    """
    from bidui.grammar.project import paradigm_text

    version = sha256(paradigm_text(replace(paradigm, status="included", reason="")).encode())
    return version + EXCLUDED if paradigm.status == "excluded" else version


def same_version(pinned: str, other: str) -> bool:
    """Say whether two versions of a paradigm differ in its status at most."""
    return pinned.removesuffix(EXCLUDED) == other.removesuffix(EXCLUDED)


def _earlier(study: Study, hashes: Mapping[str, str], counts: Mapping[str, tuple[int, int]]) -> Earlier:
    before = study.paradigms or {}
    same = {uid for uid in hashes if uid in before and same_version(before[uid], hashes[uid])}
    return Earlier(
        study.name,
        sha256(study_files(study)[STUDY]),
        tuple(uid for uid in hashes if uid in before and uid not in same),
        tuple(uid for uid in hashes if uid in same),
        tuple(uid for uid in hashes if uid not in before),
        {uid: counts[uid] for uid in hashes if uid in counts},
    )


def read_texts(path: Path) -> dict[str, dict[Language, str]]:
    """Read texts for participants: a TSV with the columns key, en and zh; `\\n` is a line break."""
    text = decode(read_bytes(path), file=str(path))
    rows = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    if missing := [name for name in ("key", *COLUMNS) if name not in (rows.fieldnames or ())]:
        raise fail("study-columns", Place(str(path), 1), {"missing": missing, "columns": list(rows.fieldnames or ())})
    known = standard_texts()
    own: dict[str, dict[Language, str]] = {}
    for row in rows:
        if row["key"] not in known:
            raise fail("study-text-unknown", Place(str(path), rows.line_num), {"keys": row["key"], "known": [*known]})
        cells = {language: (row[language] or "").replace("\\n", "\n").strip() for language in COLUMNS}
        own[row["key"]] = {language: cell for language, cell in cells.items() if cell}
    return own


def read_text(path: Path) -> str:
    """Read one text for participants, such as a consent form; an empty file is an error."""
    text = decode(read_bytes(path), file=str(path)).strip()
    if not text:
        raise fail("study-text-empty", Place(str(path)))
    return text


# Files


def study_files(study: Study) -> dict[str, bytes]:
    """Return the files of a study, by name: what a folder holds, or a database."""
    files = {
        PAIRS: pairs_to_bytes(study.pairs, format="jsonl"),
        ITEMS: _lines(study.items),
        TRIALS: _lines(study.trials),
    }
    follows: Json = None
    if study.follows:
        lists: dict[str, Json] = {name: list(getattr(study.follows, name)) for name in ("edited", "same", "new")}
        counts: dict[str, Json] = {uid: [*both] for uid, both in study.follows.counts.items()}
        follows = {"name": study.follows.name, "sha256": study.follows.sha256, **lists, "counts": counts}
    record: dict[str, Json] = {
        "bidui": tool_version(),
        "name": study.name,
        "source": study.source,
        "design": design_record(study.design),
        "texts_version": study.version,
        "texts": {key: {str(language): text for language, text in own.items()} for key, own in study.texts.items()},
        "paradigms": dict(study.paradigms or {}),
        "follows": follows,
        "files": {name: sha256(data) for name, data in files.items()},
    }
    return {STUDY: encode(_indented(record)), **files}


def _indented(record: Json) -> str:
    import json

    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def _lines(rows: Iterable[Item | Trial]) -> bytes:
    return encode(
        "".join(json_text({each.name: getattr(row, each.name) for each in fields(row)}) + "\n" for row in rows)
    )


def write_study(study: Study, out: str | Path) -> None:
    """Write a study to a folder that is absent or empty."""
    write_new_folder(Path(out), study_files(study).items())


def read_study(folder: str | Path) -> Study:
    """Read a study; a file that is no longer what was pinned is an error."""
    folder = Path(folder)
    if not (folder / STUDY).is_file():
        raise fail("study-missing", Place(str(folder)))
    names = (STUDY, PAIRS, ITEMS, TRIALS)
    return parse_study({name: read_bytes(folder / name, limit=LARGEST) for name in names}, place=str(folder))


def parse_study(files: Mapping[str, bytes], *, place: str = "") -> Study:
    """Return the study that these files hold; `place` is where messages say they are."""

    def at(name: str) -> str:
        return f"{place}/{name}" if place else name

    record: Any = parse_json(decode(files[STUDY], file=at(STUDY)), place=Place(at(STUDY)))
    try:
        for name, expected in record["files"].items():
            if sha256(files[name]) != expected:
                raise fail("study-changed", Place(at(name)))
        follows = record["follows"]
        lists = {name: tuple(follows[name]) for name in ("edited", "same", "new")} if follows else {}
        return Study(
            str(record["name"]),
            design_of(record["design"], place=Place(at(STUDY))),
            from_jsonl(files[PAIRS], file=at(PAIRS), uid=""),
            _rows(files[ITEMS], Item, at(ITEMS)),
            _rows(files[TRIALS], Trial, at(TRIALS)),
            {key: {language: own[language] for language in COLUMNS} for key, own in record["texts"].items()},
            str(record["source"]),
            dict(record["paradigms"]),
            Earlier(follows["name"], follows["sha256"], **lists, counts=_counts(follows)) if follows else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise fail("study-broken", Place(at(STUDY)), {"reason": f"{type(error).__name__}: {error}"}) from None


def _counts(follows: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    return {uid: (int(right), int(judgements)) for uid, (right, judgements) in follows.get("counts", {}).items()}


def _rows(data: bytes, shape: type[Row], file: str) -> tuple[Row, ...]:
    lines = decode(data, file=file).split("\n")
    records = [parse_json(line, place=Place(file, number)) for number, line in enumerate(lines, start=1) if line]
    if not all(isinstance(record, dict) for record in records):
        raise ValueError(f"{file}: a line is not an object")
    return tuple(shape(**record) for record in records)  # type: ignore[arg-type]
