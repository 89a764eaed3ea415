"""Reads a classic project: JSON templates, a TSV vocabulary and JSON phrases, as they were published.

`read_classic` returns the project with every problem. `losses` reports the pairs that the original made and our
stricter rules do not.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bidui.errors import InputError, Place, Problem, Severity, all_problems, collect, fail
from bidui.files import encode, json_text
from bidui.grammar.classic.convert import (
    Cell,
    Template,
    asks_nothing_new,
    convert,
    copied,
    is_plain,
    is_writable,
    matches,
    named,
    parse_cell,
    pointed,
)
from bidui.grammar.count import count_assignments
from bidui.grammar.lexicon import Lexicon, parse_lexicon, phrase_unknown
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Line, Paradigm, PhraseAlternative, PhraseRule, Slot, Use, phrases_within
from bidui.grammar.paradigm_file import single
from bidui.grammar.project import Project, Settings, load_project, write_project
from bidui.grammar.rules import KEYWORDS, Alternative, Lexical, Phrase, Ref, Rule, Words
from bidui.grammar.yaml import read_text
from bidui.pairs.folder import uid_fits

JsonPath = tuple[str | int, ...]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')
_COLON = re.compile(r"\s*:")


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A JSON value of any kind, and where it stands; `path` leads to it from the top of its file."""

    value: object
    file: str
    path: JsonPath = ()
    places: Mapping[JsonPath, Place] = field(default_factory=dict)

    def __getitem__(self, key: str | int) -> "JsonNode":
        """Return a member of an object or list, which must exist."""
        assert isinstance(self.value, dict | list)
        value = self.value[key]  # type: ignore[index]
        return JsonNode(value, self.file, (*self.path, key), self.places)

    def items(self) -> "tuple[JsonNode, ...]":
        """Return the members of a list, or of an object in its order."""
        if isinstance(self.value, dict):
            return tuple(self[key] for key in self.value)
        return tuple(self[number] for number in range(len(self.value))) if isinstance(self.value, list) else ()

    @property
    def place(self) -> Place:
        """The place of the first character of a string; of other values only the file and the path."""
        part = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path).removeprefix(".")
        place = self.places.get(self.path, Place(self.file))
        return Place(self.file, place.line, place.column, part)


def read_json(path: Path, *, name: str) -> JsonNode:
    """The JSON file at `path`, called `name` in messages."""
    text = read_text(path, name=name)
    try:
        value = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, name))
    except json.JSONDecodeError as error:
        raise fail("bad-json", Place(name, error.lineno, error.colno), {"reason": error.msg}) from None
    except RecursionError:
        raise fail("bad-json", Place(name), {"reason": "nested too deeply"}) from None
    except ValueError:  # Python converts no integer of more than 4,300 digits
        raise fail("bad-json", Place(name), {"reason": "a number has thousands of digits"}) from None
    if "\\u" in text:  # an escape can be half a surrogate pair, which no file of the project could hold
        encode(json_text(value), place=Place(name))
    return JsonNode(value, name, (), dict(_strings(text, name)))


def _object(pairs: list[tuple[str, object]], name: str) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise fail("classic-key-twice", Place(name), {"keys": sorted(key for key, n in counts.items() if n > 1)})
    return members


def _strings(text: str, name: str) -> Iterator[tuple[JsonPath, Place]]:
    """Yield the path and place of every string value of a text that is valid JSON."""
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
            # after an escape, columns of the text and of the file differ: better no column than a wrong one
            yield tuple(path), Place(name, line, 0 if "\\" in mark else column)


# Vocabularies: the TSV is cleaned of what a lexicon does not accept, and every change is counted.


def read_vocabulary(path: Path, *, name: str) -> tuple[Lexicon, list[Problem]]:
    """Return the lexicon of a vocabulary file, numbered as it will be written, and problems placed in the original."""
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
    lexicon, faults = parse_lexicon("\n".join(cleaned) + "\n", name="lexicon.tsv")
    warnings = (
        Problem("classic-vocabulary-blank", Place(name), {"count": len(blank), "lines": tuple(blank)}, "warning"),
        Problem("classic-vocabulary-trimmed", Place(name), {"count": len(trimmed), "lines": tuple(trimmed)}, "warning"),
        Problem(
            "classic-vocabulary-repeated", Place(name), {"count": len(repeated), "rows": tuple(repeated)}, "warning"
        ),
    )
    problems = [problem for problem in warnings if problem.values["count"]]
    for problem in faults:  # placed in the user's own file
        old = problem.place
        line = numbers[old.line - 1] if 0 < old.line <= len(numbers) else 0
        problems.append(replace(problem, place=Place(name, line, old.column, old.part)))
    return lexicon, problems


def _cells(row: list[str], width: int, key: int) -> list[str]:
    """The cells of a row without stray blanks and slashes, as many as there are columns."""
    cells = [
        cell.strip() if column == key else "/".join(value for part in cell.split("/") if (value := part.strip()))
        for column, cell in enumerate(row)
    ]
    while len(cells) > width and not cells[-1]:
        cells.pop()
    return cells + [""] * (width - len(cells))


# Phrase files: JSON from names to alternatives, each a list of typed rules:
# `{"NP": [[{"type": "Lexical", "rule": "pos:DT"}, {"type": "Phrase", "rule": "phrase:N"}]]}`.
#
# Instead of such an object, the rule string alone is accepted, or a pair `["Lexical", "pos:NR"]`, or an object with one
# string beside its `type`, whatever its key. An alternative of one rule needs no list. The type is ignored: the rule
# string shows what it is.
#
# The authors' own file writes rules as objects or lists of words: `{"type": "Lexical", "rule": {"pos": "NR"}}`,
# `{"type": "Direct", "rule": ["把"]}`, `{"type": "Phrase", "rule": {"name": "NP", "-1": {"animate": "1"}}}`,
# `{"type": "Matched", "rule": {"pos": "M", "matchedPosition": "2", "matchedProperties": ["classifier"]}}`. Each is
# turned into the string that means the same.

TYPES = ("Lexical", "Direct", "Matched", "Mismatched", "Phrase")  # not a set: a value to look up may be a list


def convert_phrases(json: JsonNode, problems: list[Problem]) -> dict[str, PhraseRule]:
    """Return the phrases of a file by name; add what is wrong to `problems`."""
    if not isinstance(json.value, dict):
        problems.append(Problem("classic-phrase-form", json.place, {"value": shown(json.value)}))
        return {}
    phrases: dict[str, PhraseRule] = {}
    for name in json.value:
        entry = json[name]
        alternatives: list[PhraseAlternative] = []
        items = entry.items() if isinstance(entry.value, list) else ()
        if not items:
            problems.append(Problem("classic-phrase-form", entry.place, {"value": shown(entry.value)}))
        for alternative in items:
            with collect(problems):
                alternatives.append(_phrase_alternative(alternative))
        phrases[name] = PhraseRule(name, tuple(alternatives), place=entry.place)
    return _with_named_overrides(phrases, problems)


def shown(value: object) -> str:
    """A JSON value of the wrong kind, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _phrase_alternative(json: JsonNode) -> PhraseAlternative:
    with all_problems() as problems:
        cells = [parse_cell(str(item.value), item.place, problems) for item in _rules(json)]
    read = [cell for cell in cells if cell]
    if not read:
        return single(Alternative(Words()), json.place)
    if len(read) == 1 and read[0].rule.only and not list(matches(read[0].rule)):
        return single(read[0].rule.alternatives[0], read[0].place)
    return _parts(read, json.place)


def _rules(json: JsonNode) -> list[JsonNode]:
    """Return the rule strings of an alternative, in whichever shape they are written."""
    items = json.items()
    if not isinstance(json.value, list) or (len(items) == 2 and items[0].value in TYPES):
        return [_rule(json)]
    return [_rule(item) for item in items]


def _rule(json: JsonNode) -> JsonNode:
    texts = [json]
    if isinstance(json.value, dict):
        texts = [json["rule"]] if "rule" in json.value else [json[key] for key in json.value if key != "type"]
    elif isinstance(json.value, list) and json.value and json.items()[0].value in TYPES:
        texts = list(json.items()[1:])
    if len(texts) == 1 and isinstance(texts[0].value, str):
        return texts[0]
    kind = json.value.get("type") if isinstance(json.value, dict) else json.items()[0].value if json.items() else None
    text = _text_of_parts(texts[0].value, kind, json.place) if len(texts) == 1 and kind in TYPES else None
    if text is None:
        raise fail("classic-phrase-form", json.place, {"value": shown(json.value)})
    return replace(json, value=text)


def _text_of_parts(rule: object, kind: object, place: Place) -> str | None:
    """Return the string of a rule that is written as an object or as a list of words, or None if it is neither."""
    if kind == "Direct":
        if not isinstance(rule, list) or not all(isinstance(word, str) for word in rule):
            return None
        for word in rule:
            if not is_plain(word):
                raise fail("classic-no-escape", place, {"text": word})
        return " ".join(rule)
    if not isinstance(rule, dict):
        return None
    if kind != "Phrase":
        return _conditions(rule, place)
    overrides = {part: inner for part, inner in rule.items() if part != "name"}
    inside = [_conditions(inner, place) if isinstance(inner, dict) else None for inner in overrides.values()]
    if not isinstance(rule.get("name"), str) or None in inside:
        return None
    parts = (f"{part}:<{text}>" for part, text in zip(overrides, inside, strict=True))
    return " ".join((f"phrase:{rule['name']}", *parts))


def _conditions(rule: dict[str, object], place: Place) -> str | None:
    """Return features and links as a string; an empty link is none, and anything else that is empty is a mistake."""
    terms = []
    for name, value in rule.items():
        if name in KEYWORDS and value in (None, "", []):
            continue
        values = value if isinstance(value, list) else [value]
        if not values or not all(type(each) in (str, int) and each != "" for each in values):
            return None
        texts = [text for each in values for text in str(each).split("/")]
        for text in (name, *(texts if name not in KEYWORDS else ())):
            if not is_writable(text):
                raise fail("classic-no-escape", place, {"text": text})
        terms.append(f"{name}:{'/'.join(texts)}")
    return " ".join(terms) or None


def _parts(cells: list[Cell], place: Place) -> PhraseAlternative:
    """Build an alternative with parts p0, p1 and so on, whose positions are local; a copy prints its part again."""
    targets: dict[tuple[int, str], int] = {}
    with all_problems() as problems:
        for number, cell in enumerate(cells):
            for link in matches(cell.rule):
                with collect(problems):
                    targets[number, link.target.slot] = pointed(link.target, cells, number)
    printed = [_printed(number, cells, targets) for number in range(len(cells))]

    def part(number: int) -> Slot:
        def target(ref: Ref) -> Ref:
            return Ref(f"p{printed[targets[number, ref.slot]]}", ref.path, ref.column)

        return Slot(f"p{number}", named(cells[number].rule, target, {}, place), cells[number].place)

    parts = {f"p{number}": part(number) for number in sorted(set(printed))}
    line = Line(tuple(Use(Ref(f"p{number}")) for number in printed), place)
    head = next(iter(parts)) if len(parts) == 1 and not cells[0].empty else ""
    return PhraseAlternative(parts, line, head, place=place)


def _printed(number: int, cells: list[Cell], targets: Mapping[tuple[int, str], int]) -> int:
    """Return the part whose word stands here; the words of a phrase differ, so that a copy must be a plain one."""
    seen = {number}
    while link := copied(cells[number].rule):
        original = targets[number, link.target.slot]
        if original in seen or not asks_nothing_new(cells[number].rule, cells[original].rule):
            here = cells[number].place.at(link.column)
            raise fail("classic-copy-in-phrase", here, {"rule": cells[number].text, "other": cells[original].text})
        seen.add(original)
        number = original
    return number


def _with_named_overrides(phrases: Mapping[str, PhraseRule], problems: list[Problem]) -> dict[str, PhraseRule]:
    """Return the phrases with names for the indices of overrides, now that the shape of every phrase is known."""
    renamed: dict[str, PhraseRule] = {}
    for name, phrase in phrases.items():
        with collect(problems):
            alternatives = []
            for alternative in phrase.alternatives:
                rules = {
                    part: named(s.rule, lambda ref: ref, phrases, s.place) for part, s in alternative.parts.items()
                }
                parts = {part: replace(slot, rule=rules[part]) for part, slot in alternative.parts.items()}
                alternatives.append(replace(alternative, parts=parts))
            if alternatives:
                renamed[name] = replace(phrase, alternatives=tuple(alternatives))
    return renamed


# Template files: JSON with uid, phenomenon, good_rule, bad_rule, strict_MP and sep.

_KINDS: Mapping[str, tuple[type, str]] = {
    "uid": (str, "classic-not-text"),
    "phenomenon": (str, "classic-not-text"),
    "good_rule": (list, "classic-not-list"),
    "bad_rule": (list, "classic-not-list"),
    "strict_MP": (bool, "classic-not-flag"),
    "sep": (str, "classic-not-text"),
}
KEYS = tuple(_KINDS)


def read_template(path: Path, problems: list[Problem]) -> Template | None:
    """Return the template in a file, or None; add what is wrong to `problems`."""
    faults: list[Problem] = []
    template = None
    with collect(faults):
        template = _template(read_json(path, name=path.name), faults)
    problems += faults
    return None if any(fault.severity == "error" for fault in faults) else template


def _template(json: JsonNode, problems: list[Problem]) -> Template:
    if faults := _form(json):
        raise InputError(faults)
    good, bad = (_template_cells(json[key], problems) for key in ("good_rule", "bad_rule"))
    if len(good) != len(bad):
        problems.append(Problem("classic-unequal", Place(json.file), {"good": len(good), "bad": len(bad)}))
    values = json.value if isinstance(json.value, dict) else {}
    if not problems and (ignored := tuple(key for key in values if key not in (*KEYS, "user"))):
        problems.append(Problem("classic-key-unknown", Place(json.file), {"keys": ignored}, "warning"))
    return Template(
        uid=values["uid"].strip(),
        phenomenon=values["phenomenon"].strip(),
        good=tuple(cell for cell in good if cell),
        bad=tuple(cell for cell in bad if cell),
        strict=values["strict_MP"],
        separator=values["sep"],
        place=Place(json.file),
    )


def _template_cells(rules: JsonNode, problems: list[Problem]) -> list[Cell | None]:
    cells: list[Cell | None] = []
    for item in rules.items():
        faults: list[Problem] = []
        text = ""
        with collect(faults):
            text = _cell_text(item)
        problems += faults
        cells.append(None if faults else parse_cell(text, item.place, problems))
    return cells


def _cell_text(json: JsonNode) -> str:
    """Return the rule string of one slot of a template: a string, or a typed rule, or a list of typed alternatives."""
    if isinstance(json.value, str):
        return json.value
    if isinstance(json.value, dict):
        return str(_rule(json).value)
    if not isinstance(json.value, list) or not json.value:
        raise fail("classic-not-text", json.place, {"value": shown(json.value)})
    return " | ".join(str(rule.value) for rule in _rules(json))


def _form(json: JsonNode) -> list[Problem]:
    """Return the missing keys and the values of the wrong type."""
    if not isinstance(json.value, dict):
        return [Problem("classic-not-object", json.place, {"value": shown(json.value), "keys": KEYS})]
    problems = []
    for key, (kind, message) in _KINDS.items():
        if key not in json.value:
            problems.append(Problem("classic-key-missing", json.place, {"key": key, "keys": KEYS}))
        elif not isinstance(json.value[key], kind):
            problems.append(Problem(message, json[key].place, {"value": shown(json.value[key])}))
    return problems


# Rules are checked against the vocabulary and the phrases: features, values and phrases that do not exist.


def unknown(rule: Rule, place: Place, *, lexicon: Lexicon, phrases: Mapping[str, PhraseRule]) -> Iterator[Problem]:
    """Yield a problem for each name in `rule` that does not exist."""
    for alternative in rule.alternatives:
        if isinstance(alternative.rule, Phrase) and alternative.rule.name not in phrases:
            yield phrase_unknown(alternative.rule, place, phrases)
        for lexical in alternative.lexicals:
            yield from _unknown_names(lexical, place, lexicon)


def _unknown_names(rule: Lexical, place: Place, lexicon: Lexicon) -> Iterator[Problem]:
    for condition in rule.conditions:
        here = place.at(condition.column)
        if not lexicon.has_feature(condition.feature):
            yield lexicon.feature_unknown(condition.feature, here)
            continue
        counts = lexicon.counts(condition.feature)
        missing = [value for value in condition.values if value not in counts]
        # a mistake only if the condition has no other value that words have
        severity: Severity = "error" if len(missing) == len(condition.values) else "warning"
        for value in missing:
            near = lexicon.nearest(condition.feature, value) or tuple(counts)
            values = {"feature": condition.feature, "value": value, "near": near}
            yield Problem("classic-value-unknown", here, values, severity)
    for link in rule.matches:
        for item in link.properties:
            if not lexicon.has_feature(item.mine):
                yield lexicon.feature_unknown(item.mine, place.at(link.column))


# Converted templates become paradigms; files that share a uid are the variants of one paradigm.

UNNAMED = "unnamed"
_NAME = re.compile(r"[\w-][\w.+-]*")  # what a paradigm file accepts as a uid or a phenomenon


def merge(
    templates: Iterable[Template], problems: list[Problem], *, phrases: Mapping[str, PhraseRule], settings: Settings
) -> tuple[Paradigm, ...]:
    """Return the paradigms by uid; add what is wrong to `problems`."""
    groups: dict[str, list[Template]] = {}
    for template in templates:
        groups.setdefault(template.uid, []).append(template)
    paradigms = (_paradigm(group, problems, phrases, settings) for _, group in sorted(groups.items()))
    return tuple(paradigm for paradigm in paradigms if paradigm)


def _paradigm(
    group: Sequence[Template], problems: list[Problem], phrases: Mapping[str, PhraseRule], settings: Settings
) -> Paradigm | None:
    first = group[0]
    faults = list(_uid_problems(group))
    phenomenon = _phenomenon(group, faults)
    variants = []
    for number, template in enumerate(group, start=1):
        if variant := convert(template, phrases, faults):
            variants.append(replace(variant, name=str(number) if len(group) > 1 else ""))
    problems += faults
    if len(variants) < len(group) or any(fault.severity == "error" for fault in faults):
        return None
    return Paradigm(
        uid=first.uid,
        phenomenon=phenomenon,
        variants=tuple(variants),
        equal_length=all(template.strict for template in group),
        separator=None if first.separator == settings.separator else first.separator,
        place=first.place,
    )


def _uid_problems(group: Sequence[Template]) -> Iterator[Problem]:
    first = group[0]
    if not _NAME.fullmatch(first.uid) or not uid_fits(first.uid):
        yield Problem("classic-uid-bad", first.place, {"uid": first.uid})
    if len(group) == 1:
        return
    files = tuple(template.place.file for template in group)
    phenomena = {template.phenomenon for template in group} - {""}
    separators = {template.separator for template in group}
    if differing := ["phenomenon"] * (len(phenomena) > 1) + ["sep"] * (len(separators) > 1):
        yield Problem("classic-uid-conflict", first.place, {"uid": first.uid, "files": files, "keys": differing})
        return
    yield Problem("classic-uid-merged", first.place, {"uid": first.uid, "files": files}, "warning")
    strict = tuple(template.place.file for template in group if template.strict)
    if 0 < len(strict) < len(group):
        yield Problem("classic-strict-mixed", first.place, {"uid": first.uid, "files": strict}, "warning")


def _phenomenon(group: Sequence[Template], problems: list[Problem]) -> str:
    """Return the phenomenon as the name of a folder."""
    name = given = next((template.phenomenon for template in group if template.phenomenon), UNNAMED)
    if not _NAME.fullmatch(given) or not uid_fits(given):
        name = re.sub(r"\W+", "_", given).strip("_") or UNNAMED
        values = {"given": given, "name": name}
        problems.append(Problem("classic-phenomenon-changed", group[0].place, values, "warning"))
    for template in group:
        if not template.phenomenon:
            problems.append(Problem("classic-phenomenon-empty", template.place, {"name": name}, "warning"))
    return name


# The whole project.

_HAN = re.compile(r"[\u3400-\u9fff]")


def read_classic(templates: Path, *, vocabulary: Path, phrases: Path | None = None) -> Project:
    """Return the project made from a folder of templates, a vocabulary and phrases, with all its problems."""
    problems: list[Problem] = []
    lexicon = Lexicon((), ())
    rules: dict[str, PhraseRule] = {}
    broken: set[str] | None = set()  # phrases that cannot be read; None means all
    with collect(problems):
        lexicon, faults = read_vocabulary(vocabulary, name=vocabulary.name)
        problems += faults
    if phrases is not None:
        declared: list[str] | None = None
        with collect(problems):
            node = read_json(phrases, name=phrases.name)
            rules = convert_phrases(node, problems)
            declared = list(node.value) if isinstance(node.value, dict) else None
        broken = _broken(declared, problems, file=phrases.name)
        for name, phrase in rules.items():
            reached = phrases_within(phrase.slots, rules)
            if name in reached:  # classic phrases have no depth at which to stop
                problems.append(Problem("classic-phrase-cycle", phrase.place, {"phrase": name, "path": list(reached)}))
    files = [templates]
    if not templates.is_file():
        other = phrases.resolve() if phrases else None  # which may be in the same folder
        files = sorted(path for path in templates.glob("*.json") if path.resolve() != other)
    if not files:
        problems.append(Problem("classic-no-templates", Place(str(templates))))
    read = [template for path in files if (template := read_template(path, problems))]
    settings = _settings(templates, read, lexicon)
    for template in read:
        good = {cell.text for cell in template.good}
        for cell in (*template.good, *(other for other in template.bad if other.text not in good)):
            problems += unknown(cell.rule, cell.place, lexicon=lexicon, phrases=rules)
    # errors in the phrases that templates use, and warnings in the others
    cells = (cell for template in read for cell in (*template.good, *template.bad))
    used = phrases_within((Slot("", cell.rule) for cell in cells), rules)
    for name, phrase in rules.items():
        for slot in phrase.slots:
            faults = list(unknown(slot.rule, slot.place, lexicon=lexicon, phrases=rules))
            problems += faults if name in used else [replace(fault, severity="warning") for fault in faults]
    paradigms = merge(read, problems, phrases=rules, settings=settings)
    causes = (problem for problem in problems if not _follows(problem, lexicon, broken))
    return Project(settings, lexicon, rules, {}, paradigms, problems=tuple(causes))


def _broken(declared: list[str] | None, problems: Iterable[Problem], *, file: str) -> set[str] | None:
    """Return the phrases of a file that have errors; None means all of them."""
    if declared is None:
        return None
    places = [p.place for p in problems if p.severity == "error" and p.place.file == file]
    return {name for name in declared if any(re.match(rf"{re.escape(name)}(\[|\.|$)", at.part) for at in places)}


def _follows(problem: Problem, lexicon: Lexicon, broken: set[str] | None) -> bool:
    """Tell whether a problem is just the consequence of a vocabulary or a phrase that could not be read."""
    if problem.kind in {"feature-unknown", "classic-value-unknown"}:
        return not lexicon.features
    if problem.kind in {"phrase-unknown", "classic-override-differs", "classic-override-range"}:
        return broken is None or problem.values.get("phrase") in broken
    return False


def refusal(project: Project) -> InputError:
    """Return the error of an import that was refused: a headline, the first problem of each kind, and the others."""
    first = {problem.kind: problem for problem in reversed(project.errors)}
    ordered = sorted(project.errors, key=lambda problem: problem is not first[problem.kind])
    files = sorted({problem.place.file for problem in project.errors})
    headline = Problem("classic-refused", Place(), {"count": len(ordered), "files": len(files)})
    return InputError([headline, *ordered] if len(ordered) > 1 else ordered)


def _settings(templates: Path, read: Iterable[Template], lexicon: Lexicon) -> Settings:
    """Return the settings: the separator of most templates, and English if the vocabulary has no Chinese character."""
    separators = Counter(template.separator for template in read)
    chinese = not lexicon.words or any(_HAN.search(word.form) for word in lexicon.words)
    name = (templates if templates.is_dir() else templates.parent).resolve().name
    common = min(separators, key=lambda sep: (-separators[sep], sep), default="")
    return Settings(name, lang="zh" if chinese else "en", separator=common)


def import_classic(
    templates: str | Path, *, vocabulary: str | Path, out: str | Path, phrases: str | Path | None = None
) -> Project:
    """Convert templates, vocabulary and phrases in the papers' format, and write them as a project in `out`.

    The warnings of the result also report the pairs that the templates had and the stricter project does not.
    """
    read = read_classic(Path(templates), vocabulary=Path(vocabulary), phrases=Path(phrases) if phrases else None)
    if read.errors:
        raise refusal(read)
    write_project(read, out)
    warnings = tuple(problem for problem in read.problems if problem.severity == "warning")
    return replace(read, problems=(*warnings, *losses(load_project(out))))


# Losses: pairs that the original made and our stricter rules do not.


def losses(project: Project) -> list[Problem]:
    """Return a warning for each paradigm that has fewer pairs than the original would have made."""
    compiler = Compiler.of(project)
    problems: list[Problem] = []
    for paradigm in project.paradigms:
        with collect(problems):
            if problem := lost_pairs(paradigm, compiler.networks(paradigm)):
                problems.append(problem)
    return problems


def lost_pairs(paradigm: Paradigm, networks: Sequence[Network]) -> Problem | None:
    """Return the warning for one compiled paradigm, or None if nothing is lost."""
    ours = [count_assignments(network) for network in networks]
    original = [count_assignments(_loosened(network)) for network in networks]
    here, there = sum(count.value for count in ours), sum(count.value for count in original)
    if here >= there or not all(count.exact for count in ours):
        return None
    values = {"uid": paradigm.uid, "lost": there - here, "original": there, "ours": here}
    return Problem("classic-pairs-lost", Place(paradigm.place.file), values, "warning")


def _loosened(network: Network) -> Network:
    """Return the network as the original would read it: words may repeat, and a mismatch is any other value."""
    twins = {constraint: replace(constraint, weak=constraint.kind == "mismatch") for constraint in network.constraints}
    return replace(
        network,
        conflicts=[conflict for conflict in network.conflicts if conflict.sides],
        constraints=list(twins.values()),
        columns=[
            replace(column, ends=[(twins[constraint], member) for constraint, member in column.ends])
            for column in network.columns
        ],
    )
