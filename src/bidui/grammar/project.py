"""A project is a folder: settings, lexicon, relations, phrases and paradigms, read together."""

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import check_new_folder, new_folder
from bidui.grammar.lexicon import (
    Lexicon,
    Relation,
    Values,
    feature_problems,
    join_lexicons,
    parse_features,
    parse_lexicon,
    parse_relation,
    relation_problems,
    with_ancestors,
)
from bidui.grammar.paradigm import Paradigm, PhraseAlternative, PhraseRule, Slot, Variant
from bidui.grammar.paradigm_file import parse_paradigm, parse_phrases, parse_slots, single
from bidui.grammar.rules import Alternative, Condition, Lexical, decimal, parse_rule
from bidui.grammar.yaml import Fields, Scalar, decode, parse_document, read_bytes, written


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for every paradigm of a project; `repeat` are the words that may occur twice in a sentence."""

    name: str
    lang: str = "zh"
    separator: str = ""
    capital: bool = False
    seams: tuple[str, ...] = ()
    repeat: tuple[Condition, ...] = ()
    relations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that pairs are made from."""

    settings: Settings
    lexicon: Lexicon
    phrases: Mapping[str, PhraseRule]
    relations: Mapping[str, Relation]
    paradigms: tuple[Paradigm, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)  # file -> sha256
    problems: tuple[Problem, ...] = ()  # warnings, and errors where the caller wanted them all
    loose: tuple[Slot, ...] = ()  # slots of paradigms that cannot be read as a whole

    def paradigm(self, uid: str) -> Paradigm:
        """The paradigm with that uid."""
        for paradigm in self.paradigms:
            if paradigm.uid == uid:
                return paradigm
        raise fail("uid-unknown", Place(), {"uid": uid, "uids": [p.uid for p in self.paradigms]})


def load_project(path: str | Path) -> Project:
    """The project in a folder; raises `InputError` with every error in its files."""
    project = read_project(path)
    errors = [problem for problem in project.problems if problem.severity == "error"]
    if errors:
        raise InputError(errors)
    return project


def read_project(path: str | Path, *, paradigms: bool = True) -> Project:
    """The project as far as it can be read, with all its problems, errors too; on demand without its paradigms."""
    return _Reader(Path(path)).project(paradigms=paradigms)


def chosen(paradigms: Iterable[Paradigm], *, only: Iterable[str] = (), excluded: bool = False) -> tuple[Paradigm, ...]:
    """Return the paradigms that a command works on: those named by globs, or those whose status is included."""
    by_uid = {paradigm.uid: paradigm for paradigm in paradigms}
    included = {uid: paradigm.status == "included" for uid, paradigm in by_uid.items()}
    return tuple(by_uid[uid] for uid in chosen_uids(included, only=only, excluded=excluded))


def chosen_uids(uids: Mapping[str, bool], *, only: Iterable[str] = (), excluded: bool = False) -> tuple[str, ...]:
    """Return the uids named by globs, or those that are included; each comes with whether it is."""
    patterns = tuple(only)
    for pattern in patterns:
        if not any(fnmatchcase(uid, pattern) for uid in uids):
            raise fail("uid-unknown", Place(), {"uid": pattern, "uids": list(uids)})
    if patterns:
        return tuple(uid for uid in uids if any(fnmatchcase(uid, pattern) for pattern in patterns))
    return tuple(uid for uid, included in uids.items() if excluded or included)


class _Reader:
    """Reads the files of a project, remembering their hashes and problems."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.inputs: dict[str, str] = {}
        self.problems: list[Problem] = []
        self.loose: list[Slot] = []

    def project(self, *, paradigms: bool) -> Project:
        if not (self.root / "project.yaml").is_file():
            raise fail("no-project", Place(str(self.root)))
        settings = self.settings()
        lexicon = self.lexicon()
        phrases: dict[str, PhraseRule] = {}
        if os.path.lexists(self.root / "phrases.yaml") and (text := self.text("phrases.yaml")) is not None:
            phrases, problems = parse_phrases(text, name="phrases.yaml")
            self.problems += problems
        relations = {}
        files = {Path(file).stem: file for file in self.tables("relations")} | dict(settings.relations)
        for name, file in files.items():
            if relation := self.relation(name, file, lexicon):
                relations[name] = relation
        found = self.paradigms() if paradigms else ()
        told, loose = tuple(self.problems), tuple(self.loose)
        return Project(settings, lexicon, phrases, relations, found, self.inputs, told, loose)

    def text(self, name: str, path: Path | None = None) -> str | None:
        try:
            data = read_bytes(path or self.root / name, name=name)
            text = decode(data, name=name)
        except InputError as error:
            self.problems += error.problems
            return None
        self.inputs[name] = hashlib.sha256(data).hexdigest()
        return text

    def settings(self) -> Settings:
        text = self.text("project.yaml")
        default = Settings(self.root.resolve().name)
        if text is None:
            return default
        try:
            fields = Fields(parse_document(text, name="project.yaml"), self.problems)
        except InputError as error:
            self.problems += error.problems
            return default
        fields.format()
        lang = fields.choice("lang", ("zh", "en"), "zh")
        separator = fields.text("separator") if fields.node("separator") else " " if lang == "en" else ""
        settings = Settings(
            name=fields.text("name", default.name),
            lang=lang,
            separator=separator,
            capital=fields.flag("capital", lang == "en"),
            seams=tuple(scalar.text for scalar in fields.texts("seams")),
            repeat=_repeat(fields),
            relations=_relations(fields),
        )
        fields.node("about")
        fields.node("licence")
        fields.unknown()
        return settings

    def lexicon(self) -> Lexicon:
        """The words of `lexicon.tsv`, or of the files in `lexicon/`, with the ancestors that `features.tsv` gives."""
        if (self.root / "lexicon").is_dir():
            if os.path.lexists(self.root / "lexicon.tsv"):
                self.problems.append(Problem("lexicon-twice", Place("lexicon.tsv")))
            lexicon, problems = join_lexicons(map(self.words, self.tables("lexicon")), name="lexicon/")
            self.problems += problems
        else:
            lexicon = self.words("lexicon.tsv")
        if os.path.lexists(self.root / "features.tsv") and (text := self.text("features.tsv")) is not None:
            features, problems = parse_features(text, name="features.tsv")
            self.problems += problems
            if features is not None:
                lexicon = with_ancestors(lexicon, features)
                self.problems += feature_problems(lexicon, features)
        return lexicon

    def words(self, name: str) -> Lexicon:
        """The words of one file."""
        text = self.text(name)
        if text is None:
            return Lexicon((), ())
        lexicon, problems = parse_lexicon(text, name=name)
        self.problems += problems
        return lexicon

    def tables(self, folder: str) -> list[str]:
        """The TSV files of a folder, by their names from the project."""
        return [f"{folder}/{path.name}" for path in sorted((self.root / folder).glob("*.tsv"))]

    def relation(self, name: str, file: str, lexicon: Lexicon) -> Relation | None:
        text = self.text(file)
        if text is None:
            return None
        relation, problems = parse_relation(text, name=name, file=file)
        if relation is not None:
            problems += relation_problems(relation, lexicon, file=file)
        self.problems += problems
        return None if any(problem.severity == "error" for problem in problems) else relation

    def paradigms(self) -> tuple[Paradigm, ...]:
        found: dict[str, Paradigm] = {}
        folder = self.root / "paradigms"
        if os.path.lexists(folder) and not folder.is_dir():
            reason = os.strerror(errno.ENOTDIR)
            self.problems.append(Problem("file-unreadable", Place("paradigms"), {"reason": reason}))
        for path in sorted(path for path in folder.rglob("*") if path.suffix in {".yaml", ".yml"}):
            name = os.fsencode(path.relative_to(self.root).as_posix()).decode("utf-8", "backslashreplace")
            text = self.text(name, path)
            if text is None:
                continue
            paradigm, problems = parse_paradigm(text, name=name)
            self.problems += problems
            if paradigm is None:
                self.loose += parse_slots(text, name=name)
                continue
            key = paradigm.uid.casefold()  # on some systems two such files would be one
            if key in found:
                values = {"uid": paradigm.uid, "other": found[key].place.file}
                self.problems.append(Problem("paradigm-twice", Place(name), values))
            elif name != (right := f"paradigms/{paradigm.phenomenon}/{paradigm.uid}.yaml"):
                self.problems.append(Problem("file-misplaced", Place(name), {"right": right}))
            found.setdefault(key, paradigm)
        return tuple(sorted(found.values(), key=lambda paradigm: paradigm.uid))


def _relations(fields: Fields) -> dict[str, str]:
    """The files of relations by name."""
    sub = fields.sub("relations")
    found = {}
    for name in sub.mapping.items if sub else ():
        scalar = sub.scalar(name) if sub else None
        if scalar and (Path(scalar.text).is_absolute() or ".." in Path(scalar.text).parts):
            fields.report("path-outside", scalar, {"path": scalar.text})
        elif scalar:
            found[name] = scalar.text
    return found


def _repeat(fields: Fields) -> tuple[Condition, ...]:
    """`repeat: pos:M/CD` in the settings: a rule of conditions only."""
    node = fields.scalar("repeat")
    if not isinstance(node, Scalar):
        return ()
    try:
        rule = parse_rule(node.text, fields.place(node))
    except InputError as error:
        fields.problems += error.problems
        return ()
    body = rule.alternatives[0].rule
    if len(rule.alternatives) > 1 or not isinstance(body, Lexical) or body.matches or body.relations:
        fields.report("repeat-form", node, {"value": node.text})
        return ()
    return body.conditions


# Consequences: problems that only follow from a file that could not be read; one mistake gives one message.

_OF_LEXICON = {
    "feature-unknown",
    "value-unknown",
    "no-word-fits",
    "literal-not-in-lexicon",
    "relation-values",
}


def independent(project: Project, problems: Iterable[Problem]) -> Iterator[Problem]:
    """The problems that would be there even if every file of the project could be read."""
    errors = [problem for problem in project.problems if problem.severity == "error"]
    files = {problem.place.file for problem in errors}
    no_lexicon = not project.lexicon.features and any(file.startswith("lexicon") for file in files)
    no_phrases = any(problem.place.file == "phrases.yaml" and not problem.place.part for problem in errors)
    broken = {problem.place.part for problem in errors if problem.place.file == "phrases.yaml"}
    for problem in problems:
        name = problem.values.get("phrase")
        if problem.kind in _OF_LEXICON and no_lexicon:
            continue
        relation = problem.values.get("relation")
        named = relation in project.settings.relations or f"relations/{relation}.tsv" in files
        if problem.kind == "relation-unknown" and (named or "project.yaml" in files):
            continue
        if problem.kind == "phrase-unknown" and (no_phrases or any(f'phrase "{name}"' in part for part in broken)):
            continue
        yield problem


# Paradigms, phrases, settings and lexicons as the texts of their files, in a form that people read and diff.


Node = str | list["Node"] | dict[str, "Node"]


def paradigm_text(paradigm: Paradigm) -> str:
    """The YAML file of a paradigm."""
    fields: dict[str, Node] = {"uid": paradigm.uid, "phenomenon": paradigm.phenomenon}
    if paradigm.about:
        fields["about"] = dict(paradigm.about)
    if paradigm.source:
        fields["source"] = paradigm.source
    if paradigm.status != "included":
        fields["status"] = paradigm.status
    if paradigm.reason:
        fields["reason"] = paradigm.reason
    if paradigm.edit:
        fields["edit"] = "+".join(paradigm.edit)
    if paradigm.equal_length:
        fields["equal_length"] = "true"
    if paradigm.separator is not None:
        fields["separator"] = paradigm.separator
    if paradigm.seams:
        fields["seams"] = list(paradigm.seams)
    if paradigm.closed_class:
        fields["closed_class"] = paradigm.closed_class
    if paradigm.one_sided:
        fields["one_sided"] = paradigm.one_sided
    if len(paradigm.variants) == 1 and not paradigm.variants[0].name:
        fields |= _variant(paradigm.variants[0])
    else:
        numbered = enumerate(paradigm.variants, start=1)
        fields["variants"] = [
            ({} if variant.name == str(number) else {"name": variant.name}) | _variant(variant)
            for number, variant in numbered
        ]
    if paradigm.example:
        fields["example"] = dict(paradigm.example)
    return _document(fields)


def _variant(variant: Variant) -> dict[str, Node]:
    fields: dict[str, Node] = {
        "slots": _slots(variant.slots),
        "good": variant.good.written(variant.slots),
        "bad": variant.bad.written(variant.slots),
    }
    if variant.linked:
        fields["link"] = [list(group) for group in variant.linked]
    if variant.repeat:
        fields["repeat"] = [list(group) for group in variant.repeat]
    if variant.crossed:
        fields["crossed"] = "true"
    if variant.weight != 1:
        fields["weight"] = _number(variant.weight)
    return fields


def _slots(slots: Mapping[str, Slot]) -> dict[str, Node]:
    return {name: str(slot.rule) for name, slot in slots.items()}


def phrases_text(phrases: Mapping[str, PhraseRule]) -> str:
    """The YAML file of a project's phrases."""
    return _document({"phrases": {name: _phrase(phrase) for name, phrase in phrases.items()}})


def _phrase(phrase: PhraseRule) -> Node:
    alternatives: list[Node] = [_phrase_alternative(alternative) for alternative in phrase.alternatives]
    return {"depth": str(phrase.depth), "alternatives": alternatives} if phrase.depth else alternatives


def _phrase_alternative(alternative: PhraseAlternative) -> Node:
    """One rule alone is written as that rule; several as parts, with a line only where it says more than they do."""
    word = alternative.parts.get("word")
    if word and len(word.rule.alternatives) == 1 and Fraction(decimal(alternative.weight)) == alternative.weight:
        alone = Alternative(word.rule.alternatives[0].rule, alternative.weight)
        if single(alone, alternative.place) == alternative:
            return str(alone)
    fields: dict[str, Node] = {"parts": _slots(alternative.parts)}
    line = alternative.line.written(alternative.parts)
    if line != " ".join(alternative.parts):
        fields["line"] = line
    if alternative.head:
        fields["head"] = alternative.head
    if alternative.weight != 1:
        fields["weight"] = _number(alternative.weight)
    return fields


def settings_text(settings: Settings) -> str:
    """The YAML file of a project's settings."""
    fields: dict[str, Node] = {"name": settings.name, "lang": settings.lang}
    english = settings.lang == "en"
    if settings.separator != (" " if english else ""):
        fields["separator"] = settings.separator
    if settings.capital != english:
        fields["capital"] = "true" if settings.capital else "false"
    if settings.seams:
        fields["seams"] = list(settings.seams)
    if settings.repeat:
        fields["repeat"] = " ".join(map(str, settings.repeat))
    if settings.relations:
        fields["relations"] = dict(settings.relations)
    return _document(fields)


def lexicon_text(lexicon: Lexicon) -> str:
    """The TSV file of a lexicon; the values of a cell are sorted, since they are a set."""
    rows = [("expression", *lexicon.features)]
    rows += [(word.form, *(_cell(word.get(feature)) for feature in lexicon.features)) for word in lexicon.words]
    return "".join("\t".join(row) + "\n" for row in rows)


def _cell(values: Values) -> str:
    return "/".join(sorted(values))


def _number(weight: Fraction) -> str:
    """A decimal where that is exact, else a fraction."""
    text = decimal(weight)
    return text if Fraction(text) == weight else str(weight)


def _document(fields: Mapping[str, Node]) -> str:
    return "\n".join(_mapping({"format": "1", **fields})) + "\n"


def _mapping(fields: Mapping[str, Node]) -> Iterator[str]:
    for key, value in fields.items():
        if not value or isinstance(value, str):
            yield f"{_scalar(key)}: {_scalar(value) if isinstance(value, str) else '{}'}"
        elif isinstance(value, list) and all(isinstance(item, list) for item in value):
            yield f"{_scalar(key)}: [{', '.join(map(_group, value))}]"
        else:
            yield f"{_scalar(key)}:"
            yield from _indented(_mapping(value) if isinstance(value, dict) else _sequence(value))


def _group(names: Node) -> str:
    """A group of slot names, which hold nothing that a list on one line could trip over but a leading dash."""
    return f"[{', '.join(_scalar(name) for name in names if isinstance(name, str))}]"


def _sequence(items: Iterable[Node]) -> Iterator[str]:
    for item in items:
        lines = [_scalar(item)] if isinstance(item, str) else list(_mapping(item) if isinstance(item, dict) else ())
        yield f"- {lines[0]}"
        yield from _indented(lines[1:])


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _scalar(text: str) -> str:
    return written(text) or "''"


# A project written to a new folder, whole or not at all.


def project_texts(
    *, settings: Settings, lexicon: Lexicon, phrases: Mapping[str, PhraseRule], paradigms: Iterable[Paradigm]
) -> dict[str, str]:
    """The files of a project by their names from its folder; relations are files of their own and not among them."""
    texts = {"project.yaml": settings_text(settings), "lexicon.tsv": lexicon_text(lexicon)}
    if phrases:
        texts["phrases.yaml"] = phrases_text(phrases)
    for paradigm in paradigms:
        texts[f"paradigms/{paradigm.phenomenon}/{paradigm.uid}.yaml"] = paradigm_text(paradigm)
    return texts


def write_project(
    out: str | Path,
    *,
    settings: Settings,
    lexicon: Lexicon,
    phrases: Mapping[str, PhraseRule],
    paradigms: Iterable[Paradigm],
) -> None:
    """Put a project into `out`, which must be new or empty."""
    write_texts(out, project_texts(settings=settings, lexicon=lexicon, phrases=phrases, paradigms=paradigms))


def write_texts(out: str | Path, texts: Mapping[str, str]) -> None:
    """Write files, by their names in the folder, to `out`, which must be new or empty; all of them or none."""
    check_new_folder(Path(out))
    with new_folder(Path(out)) as folder:
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")


# The starter project: a small project that works, in Chinese or English, for people to change into their own.


def write_starter(folder: Path, *, lang: str) -> None:
    """Put the starter of a language ("zh" or "en") into `folder`, which must be new or empty."""
    write_texts(folder, starter_texts(lang))


def starter_texts(lang: str) -> dict[str, str]:
    """The files of a starter by their names from the project's folder, in the order of these names."""
    return dict(sorted(_texts(files("bidui.grammar") / f"starter_{lang}", "")))


def _texts(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    """Resources and not paths: an installed package need not lie in a folder."""
    for item in folder.iterdir():
        if item.is_dir():
            yield from _texts(item, f"{prefix}{item.name}/")
        elif item.name.endswith((".yaml", ".tsv")):  # and not what an editor left there
            yield f"{prefix}{item.name}", item.read_text(encoding="utf-8")
