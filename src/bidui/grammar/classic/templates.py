"""Classic template files: JSON with uid, phenomenon, good_rule, bad_rule, strict_MP and sep, every fault reported."""

from collections.abc import Mapping
from pathlib import Path

from bidui.errors import InputError, Place, Problem
from bidui.grammar.classic.cells import Cell, parse_cell
from bidui.grammar.classic.conversion import Template
from bidui.grammar.classic.located import Located, read_json
from bidui.grammar.classic.phrases import shown

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
