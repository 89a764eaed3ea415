"""A whole classic project, read and converted: templates, vocabulary and phrases as they were published."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bidui.errors import InputError, Place, Problem
from bidui.grammar.classic.conversion import Template
from bidui.grammar.classic.located import read_json
from bidui.grammar.classic.meaning import cycles, inside, phrases_in, unknown
from bidui.grammar.classic.merging import merge
from bidui.grammar.classic.phrases import convert_phrases
from bidui.grammar.classic.templates import read_template, template_files
from bidui.grammar.classic.vocabulary import read_vocabulary
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.paradigm import Paradigm, PhraseRule
from bidui.grammar.project import Settings
from bidui.grammar.project_folder import write_project

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
