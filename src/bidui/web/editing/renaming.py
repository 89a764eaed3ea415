"""Renaming: a slot or a phrase gets another name, and so does every place that means it, and no other place."""

from collections.abc import Callable, Iterable

from bidui.errors import fail
from bidui.grammar.paradigm_file import SLOT_NAME
from bidui.web.editing.changes import Change, Edit, apply_edit, make_edit
from bidui.web.editing.layout import Path, Scalar, Sequence, lay_out, node_at, scalars_of
from bidui.web.editing.line_items import items_of
from bidui.web.editing.paradigm_edits import reaches, refuse_name, slot_path
from bidui.web.editing.paradigm_rows import LISTS, Wording, is_rule, read_rows
from bidui.web.editing.rule_pieces import pieces_of
from bidui.web.editing.yaml_edits import rename, set_value


def rename_slot(text: str, *, slot: str, name: str, variant: int | None = None) -> Edit:
    """The slot's new name, in its row, in links to it, in lines and under `link` and `repeat`."""
    if slot == name:
        return ()
    refuse_name(text, name, variant)
    rows = read_rows(text)
    edits = [rename(text, slot_path(slot, variant), name=name)]
    scopes = [wording for wording in rows.wordings if reaches(wording, slot, variant)]
    if any(name in rows.in_scope(wording) for wording in scopes):
        raise fail("row-exists", None, {"name": name})
    if variant is None:
        edits += (rewritten(text, row.path, lambda rule: in_rule(rule, slot, name)) for row in rows.slots)
    for wording in scopes:
        edits += (rewritten(text, row.path, lambda rule: in_rule(rule, slot, name)) for row in wording.slots)
        for line in (wording.good, wording.bad):
            if line:
                edits.append(rewritten(text, line.path, lambda old: in_line(old, slot, name)))
        edits += _in_groups(text, wording, slot, name)
    return together(edits)


def rename_phrase(text: str, *, phrase: str, name: str, declared: bool = False) -> Edit:
    """The phrase's new name in one file: wherever a rule uses it, and where it is `declared` (in `phrases.yaml`)."""
    if not SLOT_NAME.fullmatch(name):
        raise fail("slot-name", None, {"slot": name})
    document = lay_out(text)
    edits = [rename(text, ("phrases", phrase), name=name)] if declared and phrase != name else []
    for path, scalar in scalars_of(document):
        if is_rule(path, phrases=declared) and in_phrase_rule(scalar.text, phrase, name) != scalar.text:
            edits.append(rewritten(text, path, lambda rule: in_phrase_rule(rule, phrase, name)))
    return together(edits)


def rewritten(text: str, path: Path, change: Callable[[str], str]) -> Edit:
    """The edit that puts `change` of a scalar in its place."""
    node = node_at(lay_out(text), path)
    if not isinstance(node, Scalar) or (new := change(node.text)) == node.text:
        return ()
    return set_value(text, path, value=new)


def together(edits: Iterable[Edit]) -> Edit:
    """Edits of one text that touch different places, as one."""
    return make_edit({change for edit in edits for change in edit})


def in_rule(rule: str, slot: str, name: str) -> str:
    """A rule whose links to a slot, or to a part of the phrase in it, follow the slot to its new name."""
    return _replaced(rule, "slot", slot, name)


def in_phrase_rule(rule: str, phrase: str, name: str) -> str:
    """A rule that uses a phrase by its new name."""
    return _replaced(rule, "phrase", phrase, name)


def in_line(line: str, slot: str, name: str) -> str:
    """A line that prints a slot by its new name."""
    changes = [Change(i.start, i.start + len(slot), name) for i in items_of(line, slots=(slot,)) if i.slot == slot]
    return apply_edit(line, make_edit(changes))


def _replaced(rule: str, kind: str, old: str, new: str) -> str:
    changes = [
        Change(piece.start, piece.start + len(old), new)
        for piece in pieces_of(rule)
        if piece.kind == kind and rule[piece.start : piece.end].partition("." if kind == "slot" else "\0")[0] == old
    ]
    return apply_edit(rule, make_edit(changes))


def _in_groups(text: str, wording: Wording, slot: str, name: str) -> list[Edit]:
    found = []
    document = lay_out(text)
    for key in LISTS:
        group = node_at(document, (*wording.path, key))
        for path, scalar in scalars_of(group, (*wording.path, key)) if isinstance(group, Sequence) else ():
            if scalar.text == slot:
                found.append(set_value(text, path, value=name))
    return found
