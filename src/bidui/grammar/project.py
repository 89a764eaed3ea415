"""A project is a folder: settings, lexicon, relations, phrases and paradigms, read together."""

import errno
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.documents import Scalar, decode, parse_document, read_bytes
from bidui.grammar.features import feature_problems, parse_features, with_ancestors
from bidui.grammar.fields import Fields
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.lexicon_file import join_lexicons, parse_lexicon
from bidui.grammar.paradigm import Paradigm, PhraseRule, Slot
from bidui.grammar.paradigm_file import parse_paradigm, parse_slots
from bidui.grammar.phrase_file import parse_phrases
from bidui.grammar.relations import Relation, parse_relation, relation_problems
from bidui.grammar.rule_parser import parse_rule
from bidui.grammar.rules import Condition, Lexical


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
    """The paradigms a command works on: those named by globs, else those whose status is included."""
    everything = tuple(paradigms)
    patterns = tuple(only)
    for pattern in patterns:
        if not any(fnmatchcase(paradigm.uid, pattern) for paradigm in everything):
            raise fail("uid-unknown", Place(), {"uid": pattern, "uids": [p.uid for p in everything]})
    if patterns:
        return tuple(p for p in everything if any(fnmatchcase(p.uid, pattern) for pattern in patterns))
    return tuple(p for p in everything if excluded or p.status == "included")


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
