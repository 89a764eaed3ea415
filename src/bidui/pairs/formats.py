"""Files of pairs: JSONL, CSV and Parquet, and also TSV and JSON for reading; ours or as benchmarks were released.

A file holds records: the named fields of a pair, with BLiMP's names for the fields that BLiMP has; `layouts` knows the
names that others use. Further columns, such as the conditions of an experiment, are kept as texts. The same pairs give
the same bytes on every machine. All problems of a file are reported together, each with its line.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import decode, encode, json_text, parse_json, read_bytes
from bidui.pairs.archives import is_archive
from bidui.pairs.layouts import BLIMP, LAYOUTS, Columns, Layout, is_suite, layout_note, layout_of, suite_pairs
from bidui.pairs.pair import IDS, TAKEN, Pair, Pairs, Region, column_names

Format = Literal["jsonl", "csv", "parquet"]
WRITTEN = tuple(f".{name}" for name in get_args(Format))  # the suffixes of our own files
SUFFIXES = (*WRITTEN, ".tsv", ".json", ".txt")
SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods", ".numbers")
ZIP = b"PK\x03\x04"  # how the files of spreadsheets begin, whatever they are called
FIELDS = (
    *("sentence_good", "sentence_bad", "UID", "phenomenon", "pairID", "variant", "edit"),
    *("regions", "slots", "words"),
)
_NESTED = FIELDS[-3:]
_CLIMP = ["", "0", "1", "2", "3"]  # CLiMP's header: number, phenomenon, paradigm, sentence, 1 for good and 0 for bad
_BETWEEN = "@@@"  # in SLING's text files, between the good and the bad sentence
_MOST_PROBLEMS = 20  # a damaged file can have one on each line; nobody reads more than a screenful of them
_NO_LAYOUT = {"pairs-not-object", "pairs-field-missing", "pairs-column-missing", "pairs-too-many-problems"}
ANY = Columns()
Row = TypeVar("Row")
Cells = tuple[Place, list[str]]
Names = tuple[tuple[str, str], ...]  # a column of a file, and the name under which a pair keeps it


class NoPairs(InputError):
    """The problem of a file in which nothing has the fields of a pair: another table, or settings."""


def pairs_to_bytes(pairs: Iterable[Pair], *, format: Format, columns: Iterable[str] = ()) -> bytes:
    """Return the whole content of a pair file; `columns` are further ones that it has even if no pair of it does."""
    pairs = tuple(pairs)
    names = tuple(dict.fromkeys((*columns, *column_names(pairs))))
    match format:
        case "jsonl":
            return to_jsonl(pairs, names)
        case "csv":
            return to_csv(pairs, names)
        case "parquet":
            return to_parquet(pairs, names)
        case _:
            raise fail("pairs-format", Place(), {"given": format, "formats": get_args(Format)})


def read_file(path: Path, *, columns: Columns = ANY, data: bytes | None = None) -> Pairs:
    """Read one file of pairs, or its bytes if it is in an archive; where it names no paradigm, its name is the uid."""
    suffix = path.suffix.lower()
    if data is None and suffix in SUFFIXES:
        data = read_bytes(path)
    if data is None and is_archive(path):
        raise fail("pairs-archive", Place(str(path)))
    if suffix in SPREADSHEETS or (data or b"").startswith(ZIP):
        raise fail("pairs-spreadsheet", Place(str(path)))
    if suffix not in SUFFIXES:
        raise fail("pairs-suffix", Place(str(path)), {"suffixes": SUFFIXES})
    read = {
        **{".jsonl": from_jsonl, ".csv": from_csv, ".tsv": from_tsv},
        **{".json": from_json, ".parquet": from_parquet, ".txt": from_text},
    }
    return read[suffix](data or b"", file=str(path), uid=path.stem, columns=columns)


# JSON lines, the form in which BLiMP and its kin are published


def to_jsonl(pairs: Iterable[Pair], names: Sequence[str] = ()) -> bytes:
    """Write one object per line, in UTF-8, with Chinese as it is; `names` are those of further columns."""
    return encode("".join([json_text(record_of(pair, names)) + "\n" for pair in pairs]))


def from_jsonl(data: bytes, *, file: str, uid: str, columns: Columns = ANY) -> Pairs:
    """Read JSON lines; `uid` is for records that name none."""
    # Not splitlines(): U+2028 and its like may stand inside a sentence.
    lines = enumerate(decode(data, file=file).split("\n"), start=1)

    def record(text: str, place: Place) -> dict[str, object]:
        return _object(parse_json(text, place=place), place)

    rows = ((Place(file, line), text) for line, text in lines if text.strip())
    return _pairs_of(rows, record, file=file, uid=uid, columns=columns)


def from_json(data: bytes, *, file: str, uid: str, columns: Columns = ANY) -> Pairs:
    """Read a list of objects, alone or as the only list in an object; a suite of SyntaxGym; or JSON lines."""
    try:
        value: Any = parse_json(decode(data, file=file), place=Place(file))
    except InputError as error:
        if error.problems[0].values.get("reason") == "Extra data":  # what json says where a second value begins
            return from_jsonl(data, file=file, uid=uid, columns=columns)
        raise
    if is_suite(value):
        return suite_pairs(value, file=file, uid=uid)
    records = value
    if isinstance(value, dict):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        records = lists[0] if len(lists) == 1 else [value]  # a single pair, or an object without any
    if not isinstance(records, list):
        raise fail("pairs-not-object", Place(file), {"value": json_text(value)})
    rows = ((Place(file, part=f"record {number}"), record) for number, record in enumerate(records, start=1))
    return _pairs_of(rows, _object, file=file, uid=uid, columns=columns)


def _object(value: Any, place: Place) -> dict[str, object]:
    if not isinstance(value, dict):
        raise fail("pairs-not-object", place, {"value": json_text(value)})
    return value


# CSV (RFC 4180), for spreadsheets; regions, slots and words are JSON inside a field


def to_csv(pairs: Iterable[Pair], names: Sequence[str] = ()) -> bytes:
    """Write a header and one record per pair; lines end with a line feed."""
    rows = [",".join(map(_quoted, (*FIELDS, *names)))]
    for pair in pairs:
        record = record_of(pair, names)
        for field in _NESTED:
            record[field] = json_text(record[field])
        rows.append(",".join(map(_quoted, record.values())))
    return encode("\n".join(rows) + "\n")


def from_csv(data: bytes, *, file: str, uid: str, columns: Columns = ANY) -> Pairs:
    """Read CSV whose header names the sentences, separated by commas or semicolons; or a file of CLiMP."""
    text = decode(data, file=file)
    rows = _csv_rows(text, file=file)
    place, header = next(rows, (Place(file, 1), []))
    if header == _CLIMP:
        return _climp_pairs(_in_twos(rows, width=len(_CLIMP)), _climp_record, file=file, uid=uid)
    if len(header) == 1 and {columns.good or "", *(one.good for one in LAYOUTS)} & {*header[0].split(";")}:
        rows = _csv_rows(text, file=file, separator=";")
        place, header = next(rows)
    named = {*FIELDS, columns.good, columns.bad}
    if len(header) == 1 and header[0] not in named:  # one of CLiMP's files has the sentences only, and no header
        return _climp_pairs(_in_twos(chain([(place, header)], rows), width=1), _bare_record, file=file, uid=uid)
    return _table_pairs(header, rows, place=place, file=file, uid=uid, columns=columns)


def _climp_pairs(
    rows: Iterable[tuple[Place, tuple[list[str], list[str]]]],
    record: Callable[[tuple[list[str], list[str]], Place], Mapping[str, object]],
    *,
    file: str,
    uid: str,
) -> Pairs:
    pairs = _pairs_of(rows, record, file=file, uid=uid, columns=ANY)
    return replace(
        pairs, notes=(Problem("pairs-layout-turns", Place(file), {"layout": "CLiMP", "count": 1}, "warning"),)
    )


def from_tsv(data: bytes, *, file: str, uid: str, columns: Columns = ANY) -> Pairs:
    """Read a table separated by tabs whose header names the sentences."""
    rows = _tsv_rows(decode(data, file=file), file=file)
    place, header = next(rows, (Place(file, 1), []))
    return _table_pairs(header, rows, place=place, file=file, uid=uid, columns=columns)


def from_text(data: bytes, *, file: str, uid: str, columns: Columns = ANY) -> Pairs:
    """Read text with one pair per line, `good@@@bad`, as SLING has it; `columns` do not apply, as none has a name."""
    text = decode(data, file=file)
    if _BETWEEN not in text:
        raise NoPairs([Problem("pairs-text", Place(file))])
    rows = ((Place(file, n), line) for n, line in enumerate(text.split("\n"), start=1) if line.strip())

    def record(line: str, place: Place) -> dict[str, object]:
        sentences = [sentence.strip() for sentence in line.split(_BETWEEN)]
        if len(sentences) != 2:
            raise fail("pairs-text-line", place, {"count": len(sentences)})
        return {"sentence_good": sentences[0], "sentence_bad": sentences[1]}

    return _pairs_of(rows, record, file=file, uid=uid, columns=ANY)


def _table_pairs(
    header: list[str], rows: Iterable[Cells], *, place: Place, file: str, uid: str, columns: Columns
) -> Pairs:
    try:
        layout = layout_of(header, columns=columns, place=place)
    except InputError as error:
        raise NoPairs(error.problems) from None
    for name in (layout.good, layout.bad, *layout.uid, *layout.phenomenon):
        if header.count(name) > 1:
            raise fail("pairs-column-twice", place, {"column": name})
    header = _distinct_names(header)

    def record(row: list[str], place: Place) -> dict[str, object]:
        if len(row) != len(header):
            raise fail("pairs-row-width", place, {"count": len(row), "expected": len(header)})
        if layout.good != BLIMP.good:  # what is called words or ID there may be anything
            return dict(zip(header, row, strict=True))
        return {name: _csv_value(name, text, place) for name, text in zip(header, row, strict=True)}

    return _pairs_of(rows, record, file=file, uid=uid, columns=columns)


def _distinct_names(header: Sequence[str]) -> list[str]:
    """Return names of columns such that none is lost: one without a name is called by its place, as column_1."""
    names: list[str] = []
    for number, name in enumerate(header, start=1):
        new, count = name or f"column_{number}", 1
        while new in names:
            count += 1
            new = f"{name or 'column'}_{count}"
        names.append(new)
    return names


def _quoted(text: str) -> str:
    # Written here because the csv module's choice of what to quote changes with the version of Python.
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _csv_rows(text: str, *, file: str, separator: str = ",") -> Iterator[Cells]:
    """Yield the records with the lines they begin on; a sentence may span several lines."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    line = 1
    try:
        for row in reader:
            if row:
                yield Place(file, line), row
            line = reader.line_num + 1
    except csv.Error as error:
        raise fail("pairs-bad-csv", Place(file, line), {"reason": str(error)}) from None


def _tsv_rows(text: str, *, file: str) -> Iterator[Cells]:
    """Yield the rows of a TSV file, of which there are two kinds: quoted as CSV is, or not quoted at all.

    In the second kind, a sentence may begin and end with quotation marks of its own, which must not be lost. A file is
    of the first kind if its header is quoted, or if writing what was read as CSV gives the same file again.
    """
    lines = text.removesuffix("\n").split("\n")
    plain = [(Place(file, n), line.removesuffix("\r").split("\t")) for n, line in enumerate(lines, 1) if line.strip()]
    if '"' not in text:
        return iter(plain)
    try:
        quoted = list(_csv_rows(text, file=file, separator="\t"))
    except InputError:
        return iter(plain)
    copy = io.StringIO()
    csv.writer(copy, delimiter="\t", lineterminator="\n").writerows(row for _, row in quoted)
    same = copy.getvalue().rstrip("\n") == text.replace("\r\n", "\n").rstrip("\n")
    return iter(quoted if same or text.startswith('"') else plain)


def _csv_value(name: str, text: str, place: Place) -> object:
    if name in _NESTED:
        return parse_json(text, place=Place(place.file, place.line, part=name)) if text else None
    return text


def _in_twos(rows: Iterable[Cells], *, width: int) -> Iterator[tuple[Place, tuple[list[str], list[str]]]]:
    """CLiMP has one sentence per row, good and bad in turn."""
    first: Cells | None = None
    for place, row in rows:
        if len(row) != width:
            raise fail("pairs-row-width", place, {"count": len(row), "expected": width})
        if first is None:
            first = place, row
        else:
            yield first[0], (first[1], row)
            first = None
    if first is not None:
        raise fail("pairs-odd", first[0], {"sentence": first[1][-2 if width > 1 else 0]})


def _climp_record(rows: tuple[list[str], list[str]], place: Place) -> dict[str, object]:
    (_, phenomenon, paradigm, good, right), (_, other, another, bad, wrong) = rows
    if (right, wrong) != ("1", "0") or (phenomenon, paradigm) != (other, another):
        raise fail("pairs-labels", place, {"first": ",".join(rows[0]), "second": ",".join(rows[1])})
    return {"sentence_good": good, "sentence_bad": bad, "UID": paradigm, "phenomenon": phenomenon}


def _bare_record(rows: tuple[list[str], list[str]], place: Place) -> dict[str, object]:
    """Two sentences must share half of their characters, so that a list of words is not taken for pairs."""
    [good], [bad] = rows
    if 2 * (Counter(good) & Counter(bad)).total() < max(len(good), len(bad), 1):
        raise fail("pairs-unlike", place, {"first": good, "second": bad})
    return {"sentence_good": good, "sentence_bad": bad}


# Parquet, with the same lists of structs as JSON lines


def to_parquet(pairs: Iterable[Pair], names: Sequence[str] = ()) -> bytes:
    """Write one row per pair, with nested columns that data frames can explode."""
    from polars import String, col, lit

    frame = Pairs(tuple(pairs)).frame
    homes = {"sentence_good": "good", "sentence_bad": "bad", "UID": "uid"}
    columns = {field: col(homes.get(field, field)) for field in FIELDS if field != "pairID"}
    columns["pairID"] = col("pair").cast(String)
    columns |= {name: col(name) if name in frame.columns else lit("", String) for name in names}
    buffer = io.BytesIO()
    frame.select(columns[field].alias(field) for field in (*FIELDS, *names)).write_parquet(buffer)
    return buffer.getvalue()


def from_parquet(data: bytes, *, file: str, uid: str, columns: Columns = ANY) -> Pairs:
    """Read Parquet; the line of a problem is the row, from 1."""
    import polars

    try:
        frame = polars.read_parquet(io.BytesIO(data))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise fail("pairs-bad-parquet", Place(file), {"reason": str(error).splitlines()[0]}) from None
    layout_of(frame.columns, columns=columns, place=Place(file))  # of a file without rows, too
    rows = ((Place(file, number), row) for number, row in enumerate(frame.iter_rows(named=True), start=1))
    return _pairs_of(rows, _object, file=file, uid=uid, columns=columns)


# Records


def from_records(records: Iterable[object], *, uid: str = "pairs", columns: Columns = ANY) -> Pairs:
    """Read what is in memory: pairs, records with the fields that files have, or two sentences, the good one first."""
    items = tuple(records)
    pairs = tuple(item for item in items if isinstance(item, Pair))
    if len(pairs) == len(items):
        return Pairs(pairs)
    rows = ((Place(part=f"record {number}"), item) for number, item in enumerate(items, start=1))
    return _pairs_of(rows, _record_in_memory, file="", uid=uid, columns=columns)


def _record_in_memory(item: object, place: Place) -> dict[str, object]:
    match item:
        case Mapping():  # numpy's values, of pandas, have `tolist`
            return {str(name): value.tolist() if hasattr(value, "tolist") else value for name, value in item.items()}
        case [str(good), str(bad)]:
            return {BLIMP.good: good, BLIMP.bad: bad}
        case _:
            raise fail("pairs-not-pair", place, {"value": repr(item)})


def record_of(pair: Pair, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return the fields of `pair`, in the order of `FIELDS`; then further columns by their names.

    Regions and slots are lists of objects with fixed keys and types: Arrow, and so `datasets` and Spark, cannot read
    lists of mixed types, nor objects whose keys are different in each file.
    """
    further = dict(pair.columns) if names else {}
    return {
        "sentence_good": pair.good,
        "sentence_bad": pair.bad,
        "UID": pair.uid,
        "phenomenon": pair.phenomenon,
        "pairID": str(pair.pair_id),
        "variant": pair.variant,
        "edit": pair.edit,
        "regions": [{name: getattr(region, name) for name in Region.__slots__} for region in pair.regions],
        "slots": [{"slot": path, "form": form} for path, form in pair.slots],
        "words": pair.words,
        **{name: further.get(name, "") for name in names},
    }


def _pairs_of(
    rows: Iterable[tuple[Place, Row]],
    record: Callable[[Row, Place], Mapping[str, object]],
    *,
    file: str,
    uid: str,
    columns: Columns,
) -> Pairs:
    """Make the rows of a file records and then pairs; the problems of all rows are raised together.

    In the layouts of others, a row without one of its sentences is left out, and a note names its line. A file of SLING
    is one paradigm and is named after it, but twelve of its files say that theirs is called Plural, and later ones
    share names too. So where SLING's fields name one paradigm only, `uid` is the better name.
    """
    pairs: list[Pair] = []
    problems: list[Problem] = []
    layouts: dict[tuple[str, ...], Layout] = {}
    further: dict[tuple[str, ...], Names] = {}
    blank: list[str] = []
    for number, (place, row) in enumerate(rows):
        try:
            fields = record(row, place)
            names = tuple(fields)
            if names not in layouts:
                layouts[names] = layout_of(names, columns=columns, place=place)
                further[names] = _further(names, layouts[names])
            layout = layouts[names]
            if (layout.name or layout.named) and not (_filled(fields, layout.good) and _filled(fields, layout.bad)):
                blank.append(place.part or str(place.line))
                continue
            pairs.append(_pair_of(fields, layout, further[names], place=place, number=number, uid=uid))
        except InputError as error:
            problems.extend(error.problems)
            if len(problems) >= _MOST_PROBLEMS:
                problems.append(Problem("pairs-too-many-problems", place, {"count": len(problems)}))
                break
    if problems:
        raise (NoPairs if not pairs and {problem.kind for problem in problems} <= _NO_LAYOUT else InputError)(problems)
    said = [layout_note(layout, names, file) for names, layout in layouts.items()]
    notes = {repr(note.values): note for note in said if note}.values()
    left = [Problem("pairs-rows-left", Place(file), {"count": len(blank), "lines": blank}, "warning")] if blank else []
    sling = all(layout.name == "SLING" and not layout.named for layout in layouts.values())
    if sling and len({pair.uid for pair in pairs}) == 1:
        pairs = [replace(pair, uid=uid) for pair in pairs]
    pairs = _numbered(pairs, [_id_column(names, layouts[names], further[names]) for names in layouts])
    own = (further[names] for names, layout in layouts.items() if not layout.name)
    kept = {*column_names(pairs)}
    renamed = {repr(note.values): note for names in own if (note := _renamed(names, kept, file))}.values()
    return Pairs(tuple(pairs), notes=(*notes, *left, *renamed))


def _filled(record: Mapping[str, object], name: str) -> bool:
    value = record.get(name)
    return value is not None and value != "" and not (isinstance(value, str) and value.isspace())


def _further(names: Sequence[str], layout: Layout) -> Names:
    """Return the columns that are not fields of a pair, each with the name it is kept under: `words` as `words_`."""
    read = {layout.good, layout.bad, "variant", *(("edit", *_NESTED) if layout.good == BLIMP.good else ())}
    for choice in (layout.uid, layout.phenomenon, layout.number, layout.language):
        read |= {*[name for name in choice if name in names][:1]}
    read -= {*layout.kept}
    kept: dict[str, str] = {}
    for name in names:
        if name not in read:
            new = "id" if name == IDS[0] and "id" not in names else name or "column"
            while new in TAKEN or new in kept.values() or (new != name and new in names):
                new += "_"
            kept[name] = new
    return tuple(kept.items())


def _id_column(names: Sequence[str], layout: Layout, further: Names) -> str:
    """Return the further column that names the pairs of an own table; nothing if it has none, or numbers of BLiMP."""
    if layout.name or any(name in names for name in layout.number):
        return ""
    return next((new for name in IDS for old, new in further if old == name), "")


def _numbered(pairs: list[Pair], columns: Sequence[str]) -> list[Pair]:
    """Number pairs by their ids, if these are whole numbers, each once in its paradigm; otherwise ids stay a column."""
    ids = [next((value for name, value in pair.columns if name in columns), "") for pair in pairs]
    if not all(columns) or not all(re.fullmatch("[0-9]{1,9}", text) for text in ids):
        return pairs
    if len({(pair.uid, int(text)) for pair, text in zip(pairs, ids, strict=True)}) < len(pairs):
        return pairs
    return [
        replace(pair, pair_id=int(text), columns=tuple(own for own in pair.columns if own[0] not in columns))
        for pair, text in zip(pairs, ids, strict=True)
    ]


def _renamed(names: Names, kept: Collection[str], file: str) -> Problem | None:
    """Say which columns are kept under other names."""
    changed = [(old, new) for old, new in names if old != new and new in kept]
    values = {"count": len(changed), "names": [old for old, _ in changed], "kept": [new for _, new in changed]}
    return Problem("pairs-columns-renamed", Place(file), values, "warning") if changed else None


def _cell(value: object) -> str:
    """Return the value of a further column as text; one that is not a text as JSON writes it."""
    return value if isinstance(value, str) else json_text(value)


def _pair_of(
    record: Mapping[str, object], layout: Layout, further: Names, *, place: Place, number: int, uid: str
) -> Pair:
    """Make a record a pair; `number` and `uid` are for records that have none."""
    good, bad = _text(record, layout.good, place=place), _text(record, layout.bad, place=place)
    name = _text(record, *layout.uid, place=place, default=uid)
    if layout.language:  # the release has one folder per language, with a file called data
        home = Path(place.file)
        language = home.parent.name if home.stem == "data" and home.parent.name else uid
        name = f"{_text(record, *layout.language, place=place, default=language)}_{name}"
    phenomenon = _text(record, *layout.phenomenon, place=place, default="")
    number = _number(record, layout.number, place=place, default=number)
    filled = ((new, record[old]) for old, new in further)
    own = tuple((new, _cell(value)) for new, value in filled if value is not None and value != "")
    if layout.good != BLIMP.good:
        variant = record.get("variant")
        return Pair(good, bad, name, phenomenon, number, "" if variant is None else _cell(variant), columns=own)
    return Pair(
        good=good,
        bad=bad,
        uid=name,
        phenomenon=phenomenon,
        pair_id=number,
        variant=_text(record, "variant", place=place, default=""),
        edit=_text(record, "edit", place=place, default=""),
        regions=_regions(record.get("regions"), good=good, bad=bad, place=place),
        slots=_slots(record.get("slots"), place=place),
        words=_words(record.get("words"), place=place),
        columns=own,
    )


def _wrong(kind: str, place: Place, field: str, value: object) -> InputError:
    return fail(kind, place, {"field": field, "value": repr(value)})


def _text(record: Mapping[str, object], *names: str, place: Place, default: str | None = None) -> str:
    """Return the first of the named fields that the record has."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise _wrong("pairs-field-text", place, name, value)
    if default is None:
        raise fail("pairs-field-missing", place, {"field": names[0], "fields": tuple(record)})
    return default


def _number(record: Mapping[str, object], names: Iterable[str], *, place: Place, default: int) -> int:
    for name in names:
        value = record.get(name)
        if value is None:
            continue
        # int() takes "1_0" and digits of other scripts too, and True is an int: none of them is a pair's number.
        if value == "":  # a foreign file leaves empty what it does not know
            continue
        if type(value) not in (str, int) or not re.fullmatch("[0-9]{1,18}", str(value)):
            raise _wrong("pairs-field-number", place, name, value)
        return int(str(value))
    return default


def _regions(value: object, *, good: str, bad: str, place: Place) -> tuple[Region, ...]:
    """Read a list of objects; or, as earlier versions wrote them, lists of start, end, slot and edit by side."""
    if isinstance(value, dict) and value.keys() <= {"good", "bad"}:
        try:
            old = [(side, *stretch) for side in ("good", "bad") for stretch in value.get(side, ())]
            value = [dict(zip(Region.__slots__, fields, strict=True)) for fields in old]
        except (TypeError, ValueError):
            raise _wrong("pairs-field-regions", place, "regions", value) from None
    regions: list[Region] = []
    for fields in _listed("pairs-field-regions", place, "regions", value):
        values: list[Any] = [fields.get(name) for name in Region.__slots__] if isinstance(fields, dict) else [None] * 5
        side, start, end, slot, edit = values
        right = (
            side in ("good", "bad")
            and type(start) is type(end) is int  # the type and not int(): JSON's true would pass for 1
            and 0 <= start <= end <= len(good if side == "good" else bad)
            and isinstance(slot, str)
            and isinstance(edit, str)
            and len(fields) == len(Region.__slots__)
        )
        if not right:
            raise _wrong("pairs-field-regions", place, "regions", fields)
        regions.append(Region(side, start, end, slot, edit))
    return tuple(regions)


def _slots(value: object, *, place: Place) -> tuple[tuple[str, str], ...]:
    """Read a list of objects; or, as earlier versions wrote them, one object of slots and forms."""
    if isinstance(value, dict):
        value = [{"slot": slot, "form": form} for slot, form in value.items()]
    slots: list[tuple[str, str]] = []
    for fields in _listed("pairs-field-slots", place, "slots", value):
        # Plain tests: patterns, here and for regions, took a fifth of the time of reading pairs.
        slot, form = (fields.get("slot"), fields.get("form")) if isinstance(fields, dict) else (None, None)
        if not (isinstance(slot, str) and isinstance(form, str) and len(fields) == 2):
            raise _wrong("pairs-field-slots", place, "slots", fields)
        slots.append((slot, form))
    return tuple(slots)


def _words(value: object, *, place: Place) -> tuple[str, ...]:
    words = _listed("pairs-field-words", place, "words", value)
    if not all(isinstance(word, str) for word in words):
        raise _wrong("pairs-field-words", place, "words", value)
    return tuple(words)


def _listed(kind: str, place: Place, field: str, value: object) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(kind, place, field, value)
    return value
