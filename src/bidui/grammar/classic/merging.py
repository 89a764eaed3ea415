"""Converted templates become paradigms: files that share a uid are the variants of one."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bidui.errors import Problem
from bidui.grammar.classic.conversion import Template, convert
from bidui.grammar.paradigm import Paradigm, PhraseRule
from bidui.grammar.project import Settings
from bidui.pairs.folder import uid_fits

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
