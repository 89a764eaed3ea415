"""JSON whose strings know the line and column they stand at, so that a fault in a template can be shown in its file."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from bidui.errors import InputError, Place, Problem, Severity, fail
from bidui.grammar.classic.convert import (
    Cell,
    Template,
    asks_nothing_new,
    convert,
    copied,
    matches,
    named,
    overridden,
    parse_cell,
    pointed,
)
from bidui.grammar.count import count_assignments
from bidui.grammar.lexicon import Lexicon, parse_lexicon
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Line, Paradigm, PhraseAlternative, PhraseRule, Slot, Use
from bidui.grammar.paradigm_file import single
from bidui.grammar.project import Project, Settings, write_project
from bidui.grammar.rules import Alternative, Condition, Lexical, Phrase, Ref, Rule, Words
from bidui.grammar.yaml import read_text
from bidui.pairs.folder import uid_fits

JsonPath = tuple[str | int, ...]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')
_COLON = re.compile(r"\s*:")


@dataclass(frozen=True, slots=True)
class Located:
    """A JSON value of any kind, and where it stands; `path` leads to it from the top of its file."""

    value: object
    file: str
    path: JsonPath = ()
    places: Mapping[JsonPath, Place] = field(default_factory=dict)

    def __getitem__(self, key: str | int) -> "Located":
        """The member of an object or list; the caller has looked that it is there."""
        assert isinstance(self.value, dict | list)
        value = self.value[key]  # type: ignore[index]
        return Located(value, self.file, (*self.path, key), self.places)

    def items(self) -> "tuple[Located, ...]":
        """The members of a list, or of an object in its order."""
        if isinstance(self.value, dict):
            return tuple(self[key] for key in self.value)
        return tuple(self[number] for number in range(len(self.value))) if isinstance(self.value, list) else ()

    def is_list(self) -> bool:
        """Whether this is a list."""
        return isinstance(self.value, list)

    @property
    def place(self) -> Place:
        """The place of a string's first character, or of the nearest thing whose place is known."""
        part = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path).removeprefix(".")
        found = self.places.get(self.path, Place(self.file))
        return Place(self.file, found.line, found.column, part)


def read_json(path: Path, *, name: str) -> Located:
    """The JSON file at `path`, called `name` in messages."""
    text = read_text(path, name=name)
    try:
        value = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, name))
    except json.JSONDecodeError as error:
        raise fail("bad-json", Place(name, error.lineno, error.colno), {"reason": error.msg}) from None
    except RecursionError:
        raise fail("bad-json", Place(name), {"reason": "nested too deeply"}) from None
    return Located(value, name, (), {path: place for path, place in _strings(text, name)})


def _object(pairs: list[tuple[str, object]], name: str) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        raise fail("classic-key-twice", Place(name), {"keys": twice})
    return found


def _strings(text: str, name: str) -> Iterator[tuple[JsonPath, Place]]:
    """Every string value of a text that is known to be JSON; keys and brackets only keep count of the path."""
    path: list[str | int] = []
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "[{":
            path.append(0 if mark == "[" else "")
        elif mark in "]}":
            path.pop()
        elif mark == ",":
            if path and isinstance(path[-1], int):
                path[-1] += 1
        elif path and isinstance(path[-1], str) and _COLON.match(text, token.end()):
            path[-1] = json.loads(mark)
        else:
            line = text.count("\n", 0, token.start()) + 1
            column = token.start() - text.rfind("\n", 0, token.start()) + 1
            # behind an escape the columns of the text and of its file differ: better none than a wrong one
            yield tuple(path), Place(name, line, 0 if "\\" in mark else column)


# Classic vocabularies: the TSV cleaned of what a lexicon does not take, and a count of everything changed.


def read_vocabulary(path: Path, *, name: str) -> tuple[Lexicon, list[Problem]]:
    """The lexicon of a vocabulary file, numbered as it will be written, and problems placed in the original."""
    lines = read_text(path, name=name).replace("\r\n", "\n").split("\n")
    rows = [line.split("\t") for line in lines]
    width = len(rows[0])
    # spreadsheets leave empty columns behind
    while width > 1 and not any(cell.strip() for row in rows for cell in row[width - 1 : width]):
        width -= 1
    header = [cell.strip() for cell in rows[0][:width]]
    key = header.index("expression") if "expression" in header else -1
    cleaned = ["\t".join(header)]
    numbers = [1]
    seen: dict[tuple[str, ...], int] = {}
    blank: list[int] = []
    trimmed = [1] if header != rows[0][:width] else []
    repeated: list[str] = []
    for number, row in enumerate(rows[1:], start=2):
        cells = _cells(row, width, key)
        if key >= 0 and not cells[key]:
            blank += [number] * (number < len(rows) or any(cells))  # the end of the last line is no row
            continue
        if any(old != new for old, new in zip(row, cells, strict=False)):
            trimmed.append(number)
        if tuple(cells) in seen:
            repeated.append(f"{cells[key]} ({number} = {seen[tuple(cells)]})")
            continue
        seen[tuple(cells)] = number
        cleaned.append("\t".join(cells))
        numbers.append(number)
    lexicon, found = parse_lexicon("\n".join(cleaned) + "\n", name="lexicon.tsv")
    problems = [_counted("classic-vocabulary-blank", name, blank)] if blank else []
    problems += [_counted("classic-vocabulary-trimmed", name, trimmed)] if trimmed else []
    if repeated:
        values = {"count": len(repeated), "rows": tuple(repeated)}
        problems.append(Problem("classic-vocabulary-repeated", Place(name), values, "warning"))
    return lexicon, problems + [_placed(problem, name, numbers) for problem in found]


def _cells(row: list[str], width: int, key: int) -> list[str]:
    """The cells of a row without stray blanks and slashes, as many as there are columns."""
    cells = [
        cell.strip() if column == key else "/".join(value for part in cell.split("/") if (value := part.strip()))
        for column, cell in enumerate(row)
    ]
    while len(cells) > width and not cells[-1]:
        cells.pop()
    return cells + [""] * (width - len(cells))


def _counted(kind: str, name: str, lines: list[int]) -> Problem:
    return Problem(kind, Place(name), {"count": len(lines), "lines": tuple(lines)}, "warning")


def _placed(problem: Problem, name: str, numbers: list[int]) -> Problem:
    """The problem where the user's own file has it."""
    old = problem.place
    line = numbers[old.line - 1] if 0 < old.line <= len(numbers) else 0
    return replace(problem, place=Place(name, line, old.column, old.part))


# Classic phrase files: JSON from names to alternatives, each a list of typed rules, read into phrases.
#
# What is written is `{"NP": [[{"type": "Lexical", "rule": "pos:DT"}, {"type": "Phrase", "rule": "phrase:N"}]]}`. Read
# are also, in place of such an object, the rule string alone, a pair `["Lexical", "pos:NR"]`, and an object with one
# string beside its `type`, whatever its key; an alternative of one rule may stand without its list. The type itself
# is not needed: the rule string says what it is.

TYPES = ("Lexical", "Direct", "Matched", "Mismatched", "Phrase")  # not a set: what is looked up may be a list


def convert_phrases(json: Located) -> tuple[dict[str, PhraseRule], list[Problem]]:
    """The phrases of a file by name, and the problems found."""
    if not isinstance(json.value, dict):
        return {}, [Problem("classic-phrase-form", json.place, {"value": shown(json.value)})]
    problems: list[Problem] = []
    phrases: dict[str, PhraseRule] = {}
    for name in json.value:
        entry = json[name]
        alternatives: list[PhraseAlternative] = []
        if not entry.is_list() or not entry.items():
            problems.append(Problem("classic-phrase-form", entry.place, {"value": shown(entry.value)}))
        for alternative in entry.items() if entry.is_list() else ():
            try:
                alternatives.append(_alternative(alternative))
            except InputError as error:
                problems += error.problems
        phrases[name] = PhraseRule(name, tuple(alternatives), place=entry.place)
    return _overridden(phrases, problems), problems


def shown(value: object) -> str:
    """A JSON value of the wrong kind, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _alternative(json: Located) -> PhraseAlternative:
    cells: list[Cell] = []
    problems: list[Problem] = []
    for item in _rules(json):
        cell, found = parse_cell(str(item.value), item.place)
        problems += found
        if cell:
            cells.append(cell)
    if problems:
        raise InputError(problems)
    if not cells:
        return single(Alternative(Words()), json.place)
    if len(cells) == 1 and len(cells[0].rule.alternatives) == 1 and not list(matches(cells[0].rule)):
        return single(cells[0].rule.alternatives[0], cells[0].place)
    return _parts(cells, json.place)


def _rules(json: Located) -> list[Located]:
    """The rule strings of an alternative, in whichever shape they stand."""
    items = json.items()
    if not json.is_list() or (len(items) == 2 and items[0].value in TYPES):
        return [_rule(json)]
    return [_rule(item) for item in items]


def _rule(json: Located) -> Located:
    texts = [json]
    if isinstance(json.value, dict):
        texts = [json["rule"]] if "rule" in json.value else [json[key] for key in json.value if key != "type"]
    elif json.is_list() and json.items() and json.items()[0].value in TYPES:
        texts = list(json.items()[1:])
    if len(texts) != 1 or not isinstance(texts[0].value, str):
        raise fail("classic-phrase-form", json.place, {"value": shown(json.value)})
    return texts[0]


def _parts(cells: list[Cell], place: Place) -> PhraseAlternative:
    """Parts p0, p1 and so on, whose positions are local; a copy is the part printed again."""
    targets: dict[tuple[int, str], int] = {}
    problems: list[Problem] = []
    for number, cell in enumerate(cells):
        for link in matches(cell.rule):
            try:
                targets[number, link.target.slot] = pointed(link.target, cells, number)
            except InputError as error:
                problems += error.problems
    if problems:
        raise InputError(problems)
    printed = [_printed(number, cells, targets) for number in range(len(cells))]
    parts: dict[str, Slot] = {}
    for number in dict.fromkeys(sorted(printed)):
        parts[f"p{number}"] = Slot(f"p{number}", _part_rule(number, cells, targets, printed), cells[number].place)
    line = Line(tuple(Use(Ref(f"p{number}")) for number in printed), place)
    head = next(iter(parts)) if len(parts) == 1 and not cells[0].empty else ""
    return PhraseAlternative(parts, line, head, place=place)


def _printed(number: int, cells: list[Cell], targets: Mapping[tuple[int, str], int]) -> int:
    """The part whose word stands here; words of a phrase differ, so a copy must be a plain one."""
    seen = {number}
    while link := copied(cells[number].rule):
        original = targets[number, link.target.slot]
        if original in seen or not asks_nothing_new(cells[number].rule, cells[original].rule):
            here = cells[number].place.at(link.column)
            raise fail("classic-copy-in-phrase", here, {"rule": cells[number].text, "other": cells[original].text})
        seen.add(original)
        number = original
    return number


def _part_rule(number: int, cells: list[Cell], targets: Mapping[tuple[int, str], int], printed: list[int]) -> Rule:
    def target(ref: Ref) -> Ref:
        return Ref(f"p{printed[targets[number, ref.slot]]}", ref.path, ref.column)

    return named(cells[number].rule, target=target, part=lambda _, name: name)


def _overridden(phrases: Mapping[str, PhraseRule], problems: list[Problem]) -> dict[str, PhraseRule]:
    """The same phrases with names for the indices of overrides, now that the shape of every phrase is known."""
    found: dict[str, PhraseRule] = {}
    for name, phrase in phrases.items():
        try:
            alternatives = tuple(_renamed(alternative, phrases) for alternative in phrase.alternatives)
        except InputError as error:
            problems += error.problems
            continue
        if alternatives:
            found[name] = PhraseRule(name, alternatives, place=phrase.place)
    return found


def _renamed(alternative: PhraseAlternative, phrases: Mapping[str, PhraseRule]) -> PhraseAlternative:
    def slot(old: Slot) -> Slot:
        def part(phrase: Phrase, index: str) -> str:
            return overridden(phrase, index, phrases, old.place)

        return Slot(old.name, named(old.rule, target=lambda ref: ref, part=part), old.place)

    parts = {name: slot(part) for name, part in alternative.parts.items()}
    return PhraseAlternative(parts, alternative.line, alternative.head, alternative.weight, alternative.place)


# Classic template files: JSON with uid, phenomenon, good_rule, bad_rule, strict_MP and sep, every fault reported.

KEYS = ("uid", "phenomenon", "good_rule", "bad_rule", "strict_MP", "sep")
_KINDS: Mapping[str, tuple[type, str]] = {
    "uid": (str, "classic-not-text"),
    "phenomenon": (str, "classic-not-text"),
    "good_rule": (list, "classic-not-list"),
    "bad_rule": (list, "classic-not-list"),
    "strict_MP": (bool, "classic-not-flag"),
    "sep": (str, "classic-not-text"),
}


def template_files(folder: Path, *, phrases: Path | None) -> list[Path]:
    """The JSON files of a folder by name, without the phrase file if it lies among them; or the one file given."""
    if folder.is_file():
        return [folder]
    other = phrases.resolve() if phrases else None
    return sorted(path for path in folder.glob("*.json") if path.resolve() != other)


def read_template(path: Path) -> tuple[Template | None, list[Problem]]:
    """The template in a file, or None, and the problems found."""
    try:
        json = read_json(path, name=path.name)
    except InputError as error:
        return None, list(error.problems)
    problems = list(_form(json))
    if problems:
        return None, problems
    lists: dict[str, list[Cell]] = {"good_rule": [], "bad_rule": []}
    for key, cells in lists.items():
        for item in json[key].items():
            if not isinstance(item.value, str):
                problems.append(Problem("classic-not-text", item.place, {"value": shown(item.value)}))
                continue
            cell, found = parse_cell(item.value, item.place)
            problems += found
            cells += [cell] if cell else []
    good, bad = (len(json[key].items()) for key in lists)
    if good != bad:
        problems.append(Problem("classic-unequal", Place(path.name), {"good": good, "bad": bad}))
    if problems:
        return None, problems
    ignored = (
        [Problem("classic-key-unknown", Place(path.name), {"keys": extra}, "warning")]
        if (extra := _extra(json))
        else []
    )
    values = {key: json[key].value for key in KEYS}
    template = Template(
        uid=str(values["uid"]).strip(),
        phenomenon=str(values["phenomenon"]).strip(),
        good=tuple(lists["good_rule"]),
        bad=tuple(lists["bad_rule"]),
        strict=values["strict_MP"] is True,
        separator=str(values["sep"]),
        place=Place(path.name),
    )
    return template, ignored


def _form(json: Located) -> list[Problem]:
    """Missing keys and values of the wrong kind."""
    if not isinstance(json.value, dict):
        return [Problem("classic-not-object", json.place, {"value": shown(json.value), "keys": KEYS})]
    problems = []
    for key, (kind, message) in _KINDS.items():
        if key not in json.value:
            problems.append(Problem("classic-key-missing", json.place, {"key": key, "keys": KEYS}))
        elif not isinstance(json.value[key], kind):
            problems.append(Problem(message, json[key].place, {"value": shown(json.value[key])}))
    return problems


def _extra(json: Located) -> tuple[str, ...]:
    keys = json.value if isinstance(json.value, dict) else {}
    return tuple(key for key in keys if key not in (*KEYS, "user"))


# Rules against the vocabulary and the phrases: features, values and phrases that do not exist.


def unknown(rule: Rule, place: Place, *, lexicon: Lexicon, phrases: Mapping[str, PhraseRule]) -> Iterator[Problem]:
    """A problem for each name in `rule` that means nothing here."""
    for alternative in rule.alternatives:
        body = alternative.rule
        if isinstance(body, Lexical):
            yield from _lexical(body, place, lexicon)
        elif isinstance(body, Phrase):
            if body.name not in phrases:
                near = get_close_matches(body.name, list(phrases), n=3, cutoff=0.5) or sorted(phrases)
                yield Problem("phrase-unknown", place.at(body.column), {"phrase": body.name, "near": near})
            for _, inner in body.overrides:
                yield from _lexical(inner, place, lexicon)


def _lexical(rule: Lexical, place: Place, lexicon: Lexicon) -> Iterator[Problem]:
    for condition in rule.conditions:
        here = place.at(condition.column)
        if lexicon.has_feature(condition.feature):
            yield from _values(condition, here, lexicon)
        else:
            yield _feature(condition.feature, here, lexicon)
    for link in rule.matches:
        for item in link.properties:
            if not lexicon.has_feature(item.mine):
                yield _feature(item.mine, place.at(link.column), lexicon)


def _feature(feature: str, place: Place, lexicon: Lexicon) -> Problem:
    return Problem("feature-unknown", place, {"feature": feature, "near": lexicon.nearest_feature(feature)})


def _values(condition: Condition, place: Place, lexicon: Lexicon) -> Iterator[Problem]:
    """A value that no word has is an error, unless another beside it is one that words have."""
    known = lexicon.counts(condition.feature)
    missing = [value for value in condition.values if value not in known]
    for value in missing:
        near = lexicon.nearest(condition.feature, value) or tuple(known)
        values = {"feature": condition.feature, "value": value, "near": near}
        severity: Severity = "error" if len(missing) == len(condition.values) else "warning"
        yield Problem("classic-value-unknown", place, values, severity)


def cycles(phrases: Mapping[str, PhraseRule]) -> Iterator[Problem]:
    """A problem for each phrase that stands inside itself: classic phrases have no depth at which to stop."""
    held = {name: inside(phrase) for name, phrase in phrases.items()}
    for name, phrase in phrases.items():
        reached: list[str] = []
        waiting = sorted(held[name])
        while waiting:
            other = waiting.pop()
            if other not in reached:
                reached.append(other)
                waiting += sorted(held.get(other, set()))
        if name in reached:
            yield Problem("classic-phrase-cycle", phrase.place, {"phrase": name, "path": reached})


def inside(phrase: PhraseRule) -> set[str]:
    """The phrases that a phrase is built of."""
    rules = (slot.rule for alternative in phrase.alternatives for slot in alternative.parts.values())
    return {name for rule in rules for name in phrases_in(rule)}


def phrases_in(rule: Rule) -> Iterator[str]:
    """The phrases that a rule names."""
    return (a.rule.name for a in rule.alternatives if isinstance(a.rule, Phrase))


# Converted templates become paradigms: files that share a uid are the variants of one.

UNNAMED = "unnamed"
_NAME = re.compile(r"[\w-][\w.+-]*")  # what a paradigm file takes for a uid or a phenomenon


def merge(
    templates: Iterable[Template], *, phrases: Mapping[str, PhraseRule], settings: Settings
) -> tuple[tuple[Paradigm, ...], list[Problem]]:
    """The paradigms by uid, and the problems found."""
    groups: dict[str, list[Template]] = {}
    for template in templates:
        groups.setdefault(template.uid, []).append(template)
    paradigms: list[Paradigm] = []
    problems: list[Problem] = []
    for _, group in sorted(groups.items()):
        paradigm, found = _paradigm(group, phrases, settings)
        problems += found
        paradigms += [paradigm] if paradigm else []
    return tuple(paradigms), problems


def _paradigm(
    group: Sequence[Template], phrases: Mapping[str, PhraseRule], settings: Settings
) -> tuple[Paradigm | None, list[Problem]]:
    first = group[0]
    problems = list(_uid_problems(group))
    phenomenon, found = _phenomenon(group)
    problems += found
    variants = []
    for number, template in enumerate(group, start=1):
        variant, found = convert(template, phrases)
        problems += found
        if variant:
            variants.append(replace(variant, name=str(number) if len(group) > 1 else ""))
    if len(variants) < len(group) or any(problem.severity == "error" for problem in problems):
        return None, problems
    paradigm = Paradigm(
        uid=first.uid,
        phenomenon=phenomenon,
        variants=tuple(variants),
        equal_length=all(template.strict for template in group),
        separator=None if first.separator == settings.separator else first.separator,
        place=first.place,
    )
    return paradigm, problems


def _uid_problems(group: Sequence[Template]) -> Iterator[Problem]:
    first = group[0]
    if not _NAME.fullmatch(first.uid) or not uid_fits(first.uid):
        yield Problem("classic-uid-bad", first.place, {"uid": first.uid})
    if len(group) == 1:
        return
    files = tuple(template.place.file for template in group)
    differing = [
        key
        for key, values in {
            "phenomenon": {template.phenomenon for template in group} - {""},
            "sep": {template.separator for template in group},
        }.items()
        if len(values) > 1
    ]
    if differing:
        yield Problem("classic-uid-conflict", first.place, {"uid": first.uid, "files": files, "keys": differing})
        return
    yield Problem("classic-uid-merged", first.place, {"uid": first.uid, "files": files}, "warning")
    strict = tuple(template.place.file for template in group if template.strict)
    if 0 < len(strict) < len(group):
        yield Problem("classic-strict-mixed", first.place, {"uid": first.uid, "files": strict}, "warning")


def _phenomenon(group: Sequence[Template]) -> tuple[str, list[Problem]]:
    """The phenomenon in the form of a folder's name."""
    name = given = next((template.phenomenon for template in group if template.phenomenon), UNNAMED)
    problems: list[Problem] = []
    if not _NAME.fullmatch(given) or not uid_fits(given):
        name = re.sub(r"\W+", "_", given).strip("_") or UNNAMED
        values = {"given": given, "name": name}
        problems.append(Problem("classic-phenomenon-changed", group[0].place, values, "warning"))
    for template in group:
        if not template.phenomenon:
            problems.append(Problem("classic-phenomenon-empty", template.place, {"name": name}, "warning"))
    return name, problems


# A whole classic project, read and converted: templates, vocabulary and phrases as they were published.

_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class ClassicImport:
    """The parts of a project as far as they could be read, and every problem, errors too."""

    settings: Settings
    lexicon: Lexicon
    phrases: Mapping[str, PhraseRule]
    paradigms: tuple[Paradigm, ...]
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep the project from being written."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


def read_classic(templates: Path, *, vocabulary: Path, phrases: Path | None = None) -> ClassicImport:
    """The project made of a folder of templates, a vocabulary and, where there are any, phrases."""
    problems: list[Problem] = []
    lexicon, found = _vocabulary(vocabulary)
    problems += found
    rules, found = _phrases(phrases)
    problems += found
    read: list[Template] = []
    files = template_files(templates, phrases=phrases)
    if not files:
        problems.append(Problem("classic-no-templates", Place(str(templates))))
    for path in files:
        template, found = read_template(path)
        problems += found
        read += [template] if template else []
    settings = _settings(templates, read, lexicon)
    for template in read:
        written = {cell.text for cell in template.good}
        for cell in (*template.good, *(other for other in template.bad if other.text not in written)):
            problems += unknown(cell.rule, cell.place, lexicon=lexicon, phrases=rules)
    problems += _unknown_in_phrases(rules, lexicon, read)
    paradigms, found = merge(read, phrases=rules, settings=settings)
    return ClassicImport(settings, lexicon, rules, paradigms, tuple(problems + found))


def _vocabulary(path: Path) -> tuple[Lexicon, list[Problem]]:
    try:
        return read_vocabulary(path, name=path.name)
    except InputError as error:
        return Lexicon((), ()), list(error.problems)


def _phrases(path: Path | None) -> tuple[dict[str, PhraseRule], list[Problem]]:
    if path is None:
        return {}, []
    try:
        phrases, problems = convert_phrases(read_json(path, name=path.name))
    except InputError as error:
        return {}, list(error.problems)
    return phrases, [*problems, *cycles(phrases)]


def _unknown_in_phrases(
    phrases: Mapping[str, PhraseRule], lexicon: Lexicon, templates: Iterable[Template]
) -> Iterator[Problem]:
    """Errors in the phrases that templates come to, warnings in those that nobody uses."""
    cells = (cell.rule for template in templates for cell in (*template.good, *template.bad))
    used: set[str] = set()
    waiting = [name for rule in cells for name in phrases_in(rule)]
    while waiting:
        name = waiting.pop()
        if name not in used and name in phrases:
            used.add(name)
            waiting += inside(phrases[name])
    for name, phrase in phrases.items():
        for alternative in phrase.alternatives:
            for slot in alternative.parts.values():
                for problem in unknown(slot.rule, slot.place, lexicon=lexicon, phrases=phrases):
                    yield problem if name in used else replace(problem, severity="warning")


def _settings(templates: Path, read: Iterable[Template], lexicon: Lexicon) -> Settings:
    """The separator that most templates have; English where the vocabulary has no Chinese character."""
    separators = Counter(template.separator for template in read)
    chinese = not lexicon.words or any(_HAN.search(word.form) for word in lexicon.words)
    name = (templates if templates.is_dir() else templates.parent).resolve().name
    common = min(separators, key=lambda sep: (-separators[sep], sep), default="")
    return Settings(name, lang="zh" if chinese else "en", separator=common)


def write_import(read: ClassicImport, out: str | Path) -> None:
    """Put the project into a new folder; raises `InputError` where something could not be read."""
    if read.errors:
        raise InputError(read.errors)
    write_project(out, settings=read.settings, lexicon=read.lexicon, phrases=read.phrases, paradigms=read.paradigms)


# What an import leaves out on purpose: pairs that the original made and our stricter rules do not.


def losses(project: Project) -> list[Problem]:
    """A warning for each paradigm of which the original would have made more pairs, with how many."""
    compiler = Compiler.of(project)
    found: list[Problem] = []
    for paradigm in project.paradigms:
        try:
            networks = compiler.networks(paradigm)
        except InputError as error:
            found += error.problems
            continue
        problem = lost_pairs(paradigm, networks)
        if problem is not None:
            found.append(problem)
    return found


def lost_pairs(paradigm: Paradigm, networks: Sequence[Network]) -> Problem | None:
    """The warning for one compiled paradigm, or None if nothing is lost."""
    ours = [count_assignments(network) for network in networks]
    original = [count_assignments(_loosened(network)) for network in networks]
    here, there = sum(count.value for count in ours), sum(count.value for count in original)
    if here >= there or not all(count.exact for count in ours):
        return None
    values = {"uid": paradigm.uid, "lost": there - here, "original": there, "ours": here}
    return Problem("classic-pairs-lost", Place(paradigm.place.file), values, "warning")


def _loosened(network: Network) -> Network:
    """The network as the original would read it: words may occur twice, and a mismatch is any other value."""
    loose = copy(network)
    loose.conflicts = [conflict for conflict in network.conflicts if conflict.sides]
    loose.constraints = []
    twins = {}
    for constraint in network.constraints:
        twin = copy(constraint)
        twin.pairs = {}
        twin.weak = constraint.kind == "mismatch"
        twins[constraint] = twin
        loose.constraints.append(twin)
    loose.columns = []
    for column in network.columns:
        other = copy(column)
        other.ends = [(twins[constraint], member) for constraint, member in column.ends]
        other._keys = None
        loose.columns.append(other)
    return loose
