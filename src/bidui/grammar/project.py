"""A project is a folder: settings, lexicon, relations, phrases and paradigms, read together."""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bidui.errors import InputError, Place, Problem, collect, fail
from bidui.files import check_new_folder, encode, new_folder, read_inside, sha256
from bidui.grammar.lexicon import (
    Lexicon,
    Relation,
    condition_problems,
    feature_problems,
    join_lexicons,
    no_word_values,
    parse_features,
    parse_lexicon,
    parse_relation,
    relation_problems,
    with_ancestors,
)
from bidui.grammar.paradigm import Paradigm, PhraseAlternative, PhraseRule, Slot, Variant
from bidui.grammar.paradigm_file import parse_paradigm, parse_phrases, parse_slots, single, texts_by_key
from bidui.grammar.rules import Alternative, Condition, Lexical, decimal, parse_rule
from bidui.grammar.yaml import MAX_BYTES, Fields, Scalar, decode, parse_document, read_bytes, written
from bidui.notebooks import SHOWN, counted, html_table, to_pandas
from bidui.pairs.folder import uid_fits
from bidui.pairs.pair import is_tag, writing_of

if TYPE_CHECKING:
    import pandas
    import polars

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a project, for all its paradigms; `repeat` selects words that may occur twice in a sentence."""

    name: str
    lang: str = "zh"
    separator: str = ""
    capital: bool = False
    seams: tuple[str, ...] = ()
    repeat: tuple[Condition, ...] = ()
    relations: Mapping[str, str] = field(default_factory=dict)
    trees: tuple[str, ...] = ()  # where its trees are: globs in the project's folder
    tables: Mapping[str, str] = field(default_factory=dict)  # the table of the lexicon for each extraction from trees
    version: str = ""
    licence: str = ""
    derived_from: str = ""  # the benchmark whose words it has, with its version and hash
    repeat_place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True, repr=False)
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

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep pairs from being made."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def frame(self) -> "polars.DataFrame":
        """A polars data frame with one row per paradigm: uid, phenomenon, status, and what it is about in English."""
        import polars  # here, so that opening a project stays quick

        rows = [(each.uid, each.phenomenon, each.status, _about(each)) for each in self.paradigms]
        return polars.DataFrame(rows, schema=dict.fromkeys(_COLUMNS, polars.String), orient="row")

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def __repr__(self) -> str:
        phenomena = counted(len({each.phenomenon for each in self.paradigms}), "phenomenon", "phenomena")
        words = counted(len(self.lexicon.words), "word")
        return f"<Project {self.settings.name}: {counted(len(self.paradigms), 'paradigm')}, {phenomena}, {words}>"

    def _repr_html_(self) -> str:
        shown = self.paradigms[:SHOWN]
        rows = ([escape(text) for text in (each.uid, each.phenomenon, each.status, _about(each))] for each in shown)
        return html_table(repr(self), _COLUMNS, rows, count=len(self.paradigms))

    def paradigm(self, uid: str) -> Paradigm:
        """Return the paradigm with that uid."""
        for paradigm in self.paradigms:
            if paradigm.uid == uid:
                return paradigm
        raise fail("uid-unknown", Place(), {"uid": uid, "uids": [p.uid for p in self.paradigms]})


_COLUMNS = ("uid", "phenomenon", "status", "about")


def _about(paradigm: Paradigm) -> str:
    """Return what a paradigm is about, in English if it says so, or else in the first language that it has."""
    return paradigm.about.get("en") or next(iter(paradigm.about.values()), "")


def load_project(path: str | Path, *, texts: Mapping[str, str] | None = None) -> Project:
    """Return the project in a folder; raise `InputError` with every error in its files.

    `texts` are tables of its lexicon, by their names, that take the place of the files.
    """
    project = read_project(path, texts=texts)
    if errors := (*project.errors, *setting_problems(project)):
        raise InputError(errors)
    return project


def setting_problems(project: Project) -> Iterator[Problem]:
    """Yield the errors of the settings that only the other files show: words of `repeat` that the lexicon lacks."""
    repeat, lexicon = project.settings.repeat, project.lexicon
    if not repeat or not lexicon.features:
        return
    place = project.settings.repeat_place
    if unknown := condition_problems(Lexical(repeat), lexicon, [place] * len(repeat)):
        yield from unknown
    elif not lexicon.bits(repeat):
        yield Problem("no-word-fits", place, no_word_values(repeat, lexicon))


def read_project(
    path: str | Path,
    *,
    paradigms: bool = True,
    links: bool = True,
    texts: Mapping[str, str] | None = None,
    lexicon: Lexicon | None = None,
) -> Project:
    """Return the project as far as it can be read, with all its problems; without its paradigms if so requested.

    Without `links`, no file is read through a link: the folder is served to others, and a link may lead anywhere.
    `texts` are tables of its lexicon, by their names, that take the place of the files; `lexicon` takes that of all.
    """
    return _Reader(Path(path), links=links, texts=texts or {}).project(paradigms=paradigms, lexicon=lexicon)


def read_settings(path: str | Path) -> Settings:
    """Return the settings of the project in a folder; raise `InputError` with every error in them."""
    reader = _Reader(Path(path), links=True, texts={})
    settings = reader.settings()
    if reader.problems and any(problem.severity == "error" for problem in reader.problems):
        raise InputError(reader.problems)
    return settings


def chosen(paradigms: Iterable[Paradigm], *, only: Iterable[str] = (), excluded: bool = False) -> tuple[Paradigm, ...]:
    """Return the paradigms that a command works on: those named by globs, or those whose status is included."""
    by_uid = {paradigm.uid: paradigm for paradigm in paradigms}
    included = {uid: paradigm.status != "excluded" for uid, paradigm in by_uid.items()}
    return tuple(by_uid[uid] for uid in chosen_uids(included, only=only, excluded=excluded))


def chosen_uids(uids: Mapping[str, bool], *, only: Iterable[str] = (), excluded: bool = False) -> tuple[str, ...]:
    """Return the uids named by globs, or those that are included; each comes with whether it is."""
    patterns = (only,) if isinstance(only, str) else tuple(only)
    for pattern in patterns:
        if not any(fnmatchcase(uid, pattern) for uid in uids):
            raise fail("uid-unknown", Place(), {"uid": pattern, "uids": list(uids)})
    if patterns:
        return tuple(uid for uid in uids if any(fnmatchcase(uid, pattern) for pattern in patterns))
    if not uids:
        raise fail("paradigms-none", Place("paradigms"))
    if not excluded and not any(uids.values()):
        raise fail("paradigms-excluded", Place("paradigms"), {"uids": list(uids)})
    return tuple(uid for uid, included in uids.items() if excluded or included)


OTHER_TABLES = {".tsv", ".csv", ".txt", ".tab", ".xls", ".xlsx", ".ods"}


class _Reader:
    """Reads the files of a project and records their hashes and problems."""

    def __init__(self, root: Path, *, links: bool, texts: Mapping[str, str]) -> None:
        self.root = root
        self.links = links
        self.texts = texts
        self.inputs: dict[str, str] = {}
        self.problems: list[Problem] = []
        self.loose: list[Slot] = []

    def project(self, *, paradigms: bool, lexicon: Lexicon | None) -> Project:
        if not (self.root / "project.yaml").is_file():
            raise fail("no-project", Place(str(self.root)))
        settings = self.settings()
        if lexicon is None:
            lexicon = self.lexicon(settings)
        phrases: dict[str, PhraseRule] = {}
        if os.path.lexists(self.root / "phrases.yaml") and (text := self.text("phrases.yaml")) is not None:
            phrases = self.noted(parse_phrases(text, name="phrases.yaml"))
        relations = {}
        tables = {Path(file).stem: file for file in self.tables("relations")}
        for name, file in settings.relations.items():
            if tables.get(name, file) != file:
                values = {"relation": name, "file": file, "other": tables[name]}
                self.problems.append(Problem("relation-twice", Place("project.yaml"), values))
        for name, file in {**tables, **settings.relations}.items():
            if relation := self.relation(name, file, lexicon):
                relations[name] = relation
        read = self.paradigms() if paradigms else ()
        problems, loose = tuple(self.problems), tuple(self.loose)
        return Project(settings, lexicon, phrases, relations, read, self.inputs, problems, loose)

    def text(self, name: str, path: Path | None = None) -> str | None:
        with collect(self.problems):
            if name in self.texts:
                data = encode(self.texts[name])
            elif self.links:
                data = read_bytes(path or self.root / name, name=name)
            else:
                data = read_inside(self.root, name, limit=MAX_BYTES)
            text = decode(data, name=name)
            self.inputs[name] = sha256(data)
            return text
        return None

    def noted(self, result: tuple[T, list[Problem]]) -> T:
        """Return what was read, and record its problems."""
        value, problems = result
        self.problems += problems
        return value

    def settings(self) -> Settings:
        text = self.text("project.yaml")
        default = Settings(self.root.resolve().name)
        fields = None
        with collect(self.problems):
            fields = Fields(parse_document(text, name="project.yaml"), self.problems) if text is not None else None
        if fields is None:
            return default
        fields.format()
        tag = fields.scalar("lang")
        if tag and not is_tag(tag.text):
            fields.report("lang-tag", tag, {"value": tag.text})
        writing = writing_of(lang := tag.text if tag and is_tag(tag.text) else default.lang)
        separator = fields.text("separator") if fields.node("separator") else writing.separator
        trees, tables = _trees(fields)
        settings = Settings(
            name=fields.text("name", default.name),
            lang=lang,
            separator=separator,
            capital=fields.flag("capital", writing.capital),
            seams=tuple(scalar.text for scalar in fields.texts("seams")),
            repeat=_repeat(fields),
            relations=_relations(fields),
            trees=trees,
            tables=tables,
            version=fields.text("version"),
            licence=fields.text("licence"),
            derived_from=fields.text("derived_from"),
            repeat_place=fields.place(fields.node("repeat")),
        )
        texts_by_key(fields, "about")
        fields.unknown()
        return settings

    def lexicon(self, settings: Settings) -> Lexicon:
        """Return the words of `lexicon.tsv` or of the files in `lexicon/`, with the ancestors from `features.tsv`."""
        if (self.root / "lexicon").is_dir():
            if os.path.lexists(self.root / "lexicon.tsv"):
                self.problems.append(Problem("lexicon-twice", Place("lexicon.tsv")))
            parts, taken = map(self.words, self.tables("lexicon")), set(settings.tables.values())
            lexicon = self.noted(join_lexicons(parts, name="lexicon/", taken=taken))
        else:
            lexicon = self.words("lexicon.tsv")
        if os.path.lexists(self.root / "features.tsv") and (text := self.text("features.tsv")) is not None:
            features = self.noted(parse_features(text, name="features.tsv"))
            if features is not None:
                lexicon = with_ancestors(lexicon, features)
                self.problems += feature_problems(lexicon, features)
        return lexicon

    def words(self, name: str) -> Lexicon:
        """Return the words of one file."""
        text = self.text(name)
        return Lexicon((), ()) if text is None else self.noted(parse_lexicon(text, name=name))

    def tables(self, folder: str) -> list[str]:
        """Return the TSV files of a folder, by their names in the project; warn about tables in other formats."""
        names = [name for name in self.texts if name.startswith(f"{folder}/")]
        for path in sorted((self.root / folder).glob("*")):
            if path.suffix == ".tsv":
                names.append(f"{folder}/{path.name}")
            elif path.suffix.lower() in OTHER_TABLES:
                place = Place(f"{folder}/{path.name}")
                self.problems.append(Problem("table-ignored", place, {"right": f"{path.stem}.tsv"}, "warning"))
        return sorted(set(names))

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
        by_uid: dict[str, Paradigm] = {}
        folder = self.root / "paradigms"
        if os.path.lexists(folder) and not folder.is_dir():
            reason = os.strerror(errno.ENOTDIR)
            self.problems.append(Problem("file-unreadable", Place("paradigms"), {"reason": reason}))
        for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in {".yaml", ".yml"}):
            name = os.fsencode(path.relative_to(self.root).as_posix()).decode("utf-8", "backslashreplace")
            text = self.text(name, path)
            if text is None:
                continue
            paradigm = self.noted(parse_paradigm(text, name=name))
            if paradigm is None:
                self.loose += parse_slots(text, name=name)
                continue
            key = paradigm.uid.casefold()  # on some systems two such files would be one
            if key in by_uid:
                values = {"uid": paradigm.uid, "other": by_uid[key].place.file}
                self.problems.append(Problem("paradigm-twice", Place(name), values))
            elif name != (right := f"paradigms/{paradigm.phenomenon}/{paradigm.uid}.yaml"):
                self.problems.append(Problem("file-misplaced", Place(name), {"right": right}))
            by_uid.setdefault(key, paradigm)
        return tuple(sorted(by_uid.values(), key=lambda paradigm: paradigm.uid))


def _relations(fields: Fields) -> dict[str, str]:
    """Return the files of relations by name."""
    sub = fields.sub("relations")
    relations = {}
    for name in sub.mapping.items if sub else ():
        scalar = sub.scalar(name) if sub else None
        if scalar and (Path(scalar.text).is_absolute() or ".." in Path(scalar.text).parts):
            fields.report("path-outside", scalar, {"path": scalar.text})
        elif scalar and not _is_table(scalar.text):
            fields.report("table-name", scalar, {"path": scalar.text})
        elif scalar:
            relations[name] = scalar.text
    return relations


EXTRACTIONS = ("verb_objects", "noun_phrases", "nouns", "compounds")  # what is taken from trees


def _trees(fields: Fields) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return where the trees of `trees: {files: …, tables: …}` are, and the table for each extraction."""
    sub = fields.sub("trees")
    if sub is None:
        return (), {}
    files = []
    for scalar in sub.texts("files"):
        if Path(scalar.text).is_absolute() or ".." in Path(scalar.text).parts:
            fields.report("path-outside", scalar, {"path": scalar.text})
        else:
            files.append(scalar.text)
    named = sub.sub("tables")
    tables = {}
    for name in EXTRACTIONS:
        table = named.scalar(name) if named else None
        if table and table.text.startswith("lexicon/") and _is_table(table.text):
            tables[name] = table.text
        elif table:
            fields.report("trees-table", table, {"path": table.text})
    if named:
        named.unknown()
    sub.unknown()
    return tuple(files), tables


def _is_table(path: str) -> bool:
    return path.endswith(".tsv") and all(map(uid_fits, path.split("/")))


def _repeat(fields: Fields) -> tuple[Condition, ...]:
    """Return the conditions of `repeat: pos:M/CD` in the settings, which is a rule without links."""
    node = fields.scalar("repeat")
    if not isinstance(node, Scalar):
        return ()
    with collect(fields.problems):
        rule = parse_rule(node.text, fields.place(node))
        if isinstance(rule.only, Lexical) and not rule.only.links:
            return rule.only.conditions
        fields.report("repeat-form", node, {"value": node.text})
    return ()


# Writing: the texts of a project's files, in a form that people can read and compare.


Node = str | list["Node"] | dict[str, "Node"] | None  # a field that is None is left out


def paradigm_text(paradigm: Paradigm) -> str:
    """Write the YAML file of a paradigm."""
    single_variant = len(paradigm.variants) == 1 and not paradigm.variants[0].name
    variants: list[Node] = [
        {"name": None if variant.name == str(number) else variant.name, **_variant(variant)}
        for number, variant in enumerate(paradigm.variants, start=1)
    ]
    return _document(
        {
            "uid": paradigm.uid,
            "phenomenon": paradigm.phenomenon,
            "about": dict(paradigm.about) or None,
            "source": paradigm.source or None,
            "status": None if paradigm.status == "included" else paradigm.status,
            "reason": paradigm.reason or None,
            "edit": "+".join(paradigm.edit) or None,
            "equal_length": "true" if paradigm.equal_length else None,
            "separator": paradigm.separator,
            "seams": list(paradigm.seams) or None,
            "closed_class": paradigm.closed_class or None,
            "one_sided": paradigm.one_sided or None,
            **(_variant(paradigm.variants[0]) if single_variant else {"variants": variants}),
            "example": dict(paradigm.example) or None,
        }
    )


def _variant(variant: Variant) -> dict[str, Node]:
    return {
        "slots": {name: str(slot.rule) for name, slot in variant.slots.items()},
        "good": variant.good.written(variant.slots),
        "bad": variant.bad.written(variant.slots),
        "link": [list(group) for group in variant.linked] or None,
        "repeat": [list(group) for group in variant.repeat] or None,
        "crossed": "true" if variant.crossed else None,
        "weight": _weight(variant.weight),
    }


def phrases_text(phrases: Mapping[str, PhraseRule]) -> str:
    """Write the YAML file of a project's phrases."""
    nodes: dict[str, Node] = {}
    for name, phrase in phrases.items():
        alternatives = [_phrase_alternative(alternative) for alternative in phrase.alternatives]
        nodes[name] = {"depth": str(phrase.depth), "alternatives": alternatives} if phrase.depth else alternatives
    return _document({"phrases": nodes})


def _phrase_alternative(alternative: PhraseAlternative) -> Node:
    """Write a single rule as it is, and several as parts, with a line only if it differs from their names."""
    word = alternative.parts.get("word")
    if word and word.rule.only and Fraction(decimal(alternative.weight)) == alternative.weight:
        alone = Alternative(word.rule.only, alternative.weight)
        if single(alone, alternative.place) == alternative:
            return str(alone)
    line = alternative.line.written(alternative.parts)
    return {
        "parts": {name: str(slot.rule) for name, slot in alternative.parts.items()},
        "line": None if line == " ".join(alternative.parts) else line,
        "head": alternative.head or None,
        "weight": _weight(alternative.weight),
    }


def settings_text(settings: Settings) -> str:
    """Write the YAML file of a project's settings."""
    writing = writing_of(settings.lang)
    return _document(
        {
            "name": settings.name,
            "version": settings.version or None,
            "lang": settings.lang,
            "licence": settings.licence or None,
            "derived_from": settings.derived_from or None,
            "separator": None if settings.separator == writing.separator else settings.separator,
            "capital": None if settings.capital == writing.capital else str(settings.capital).lower(),
            "seams": list(settings.seams) or None,
            "repeat": " ".join(map(str, settings.repeat)) or None,
            "relations": dict(settings.relations) or None,
            "trees": {"files": list(settings.trees), "tables": dict(settings.tables)} if settings.tables else None,
        }
    )


def lexicon_text(lexicon: Lexicon) -> str:
    """Write the TSV file of a lexicon; the values of a cell are sorted, since they are a set."""
    rows = [("expression", *lexicon.features)]
    rows += [(word.form, *("/".join(sorted(word.get(f))) for f in lexicon.features)) for word in lexicon.words]
    return "".join("\t".join(row) + "\n" for row in rows)


def _weight(weight: Fraction) -> str | None:
    """Write a weight as a decimal if that is exact, or as a fraction; a weight of 1 is left out."""
    text = decimal(weight)
    return None if weight == 1 else text if Fraction(text) == weight else str(weight)


def _document(fields: Mapping[str, Node]) -> str:
    return "\n".join(_lines({"format": "1", **fields})) + "\n"


def _lines(node: Node) -> Iterator[str]:
    if isinstance(node, str):
        yield _scalar(node)
    elif isinstance(node, list):
        for item in node:
            first, *others = _lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in others)
    for key, value in node.items() if isinstance(node, dict) else ():
        if value is None:
            continue
        if not value or isinstance(value, str):
            yield f"{_scalar(key)}: {_scalar(value) if isinstance(value, str) else '{}'}"
        elif isinstance(value, list) and all(isinstance(item, list) for item in value):
            yield f"{_scalar(key)}: [{', '.join(map(_group, value))}]"
        else:
            yield f"{_scalar(key)}:"
            yield from (f"  {line}" for line in _lines(value))


def _group(names: Node) -> str:
    """Write a group of slot names, of which only a leading dash needs quotes."""
    return f"[{', '.join(_scalar(name) for name in names or () if isinstance(name, str))}]"


def _scalar(text: str) -> str:
    return written(text) or "''"


def project_texts(project: Project) -> dict[str, str]:
    """Return the files of a project by name; relations are separate files and not included."""
    texts = {"project.yaml": settings_text(project.settings), "lexicon.tsv": lexicon_text(project.lexicon)}
    if project.phrases:
        texts["phrases.yaml"] = phrases_text(project.phrases)
    for paradigm in project.paradigms:
        texts[f"paradigms/{paradigm.phenomenon}/{paradigm.uid}.yaml"] = paradigm_text(paradigm)
    return texts


def write_project(project: Project, out: str | Path) -> None:
    """Write a project to `out`, which must be new or empty; raise `InputError` if it has errors."""
    if project.errors:
        raise InputError(project.errors)
    write_texts(out, project_texts(project))


def write_texts(out: str | Path, texts: Mapping[str, str]) -> None:
    """Write files, by their names in the folder, to `out`, which must be new or empty; all of them or none."""
    check_new_folder(Path(out))
    with new_folder(Path(out)) as folder:
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")


# The starter: a small working project, in Chinese or English, for users to change into their own. For other languages,
# it has letters in the place of words.


def new_project(folder: str | Path, *, lang: str = "zh") -> None:
    """Write the starter project of a language to `folder`, which must be new or empty.

    `lang` is a tag of BCP 47. There are words for Chinese and English; any other language begins with a sketch, in
    which letters stand for words.
    """
    write_texts(Path(folder), starter_texts(lang))


def starter_texts(lang: str) -> dict[str, str]:
    """Return the files of a starter by name, in alphabetical order."""
    if not is_tag(lang):
        raise fail("lang-tag", Place(), {"value": lang})
    name = writing_of(lang).language
    texts = dict(sorted(_texts(files("bidui.grammar") / f"starter_{name if name in ('zh', 'en') else 'any'}", "")))
    tag = next(line for line in texts["project.yaml"].splitlines() if line.startswith("lang: "))
    return texts | {"project.yaml": texts["project.yaml"].replace(tag, f"lang: {lang}")}


def _texts(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    """Read resources instead of paths: an installed package need not be a folder."""
    for item in folder.iterdir():
        if item.is_dir():
            yield from _texts(item, f"{prefix}{item.name}/")
        elif item.name.endswith((".yaml", ".tsv")):  # not what an editor left behind
            yield f"{prefix}{item.name}", item.read_text(encoding="utf-8")
