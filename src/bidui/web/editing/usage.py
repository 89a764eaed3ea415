"""Usage: which slots of which paradigms could take a word, by their rules and the tables they name, without links."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bidui.errors import InputError
from bidui.grammar.constraints import Constraint, TableColumn, build_constraints, tables_around
from bidui.grammar.expansion import expand
from bidui.grammar.lexicon import Lexicon, Word
from bidui.grammar.nesting import endless_phrases
from bidui.grammar.paradigm import Paradigm, PhraseRule, Variant
from bidui.grammar.relations import Relation
from bidui.grammar.rules import Condition, Words
from bidui.web.editing.layout import scalars_of, try_lay_out
from bidui.web.editing.paradigm_rows import is_rule
from bidui.web.editing.rule_pieces import pieces_of


@dataclass(frozen=True, slots=True)
class WordPlace:
    """A place for a word: what it asks of it, whatever the lexicon has."""

    uid: str
    variant: str
    path: str  # of the slot, or of a part of the phrase in it
    conditions: tuple[Condition, ...] = ()
    words: tuple[str, ...] = ()  # one of these, where the rule writes them out
    columns: tuple[TableColumn, ...] = ()  # of relations, in all of which it must stand


def word_places(
    paradigms: Iterable[Paradigm], *, phrases: Mapping[str, PhraseRule], relations: Mapping[str, Relation]
) -> tuple[WordPlace, ...]:
    """All places of some paradigms; variants that cannot be read have none. They do not change with the lexicon."""
    endless = endless_phrases(phrases)
    found: dict[WordPlace, None] = {}
    for paradigm in paradigms:
        for variant in paradigm.variants:
            try:
                places = list(_places(paradigm.uid, variant, phrases, relations, endless))
            except InputError:
                continue
            found.update(dict.fromkeys(places))
    return tuple(found)


def _places(
    uid: str,
    variant: Variant,
    phrases: Mapping[str, PhraseRule],
    relations: Mapping[str, Relation],
    endless: set[str],
) -> Iterable[WordPlace]:
    tree = expand(variant, phrases, endless=endless)
    ends: dict[int, list[tuple[Constraint, int]]] = {leaf.index: [] for leaf in tree.leaves}
    for constraint in build_constraints(tree, relations):
        for number, member in enumerate(constraint.members):
            for leaf in member.leaves:
                ends[leaf.index].append((constraint, number))
    for leaf in tree.leaves:
        if isinstance(leaf.rule, Words):
            yield WordPlace(uid, variant.name, leaf.path, words=leaf.rule.words)
        else:
            columns = tables_around(leaf, ends[leaf.index])
            yield WordPlace(uid, variant.name, leaf.path, leaf.rule.conditions, columns=columns)


def used_by(word: Word, *, places: Iterable[WordPlace], features: tuple[str, ...]) -> tuple[WordPlace, ...]:
    """The places that could take a word; `features` are the columns of the lexicon."""
    alone = Lexicon((Word(0, word.form, word.values),), features)
    known: dict[tuple[Condition, ...] | TableColumn, bool] = {}
    found = []
    for place in places:
        if place.words:
            if word.form in place.words:
                found.append(place)
            continue
        if place.conditions not in known:
            known[place.conditions] = bool(alone.bits(place.conditions))
        for column in place.columns:
            if column not in known:
                values = column.relation.words(column.column, used=column.used)
                known[column] = not values.isdisjoint(word.get(column.relation.features[column.column]))
        if known[place.conditions] and all(known[column] for column in place.columns):
            found.append(place)
    return tuple(found)


def phrase_users(texts: Mapping[str, str], *, phrase: str) -> tuple[str, ...]:
    """The files whose rules name a phrase; of a text that is not YAML, any line may be a rule."""
    return tuple(name for name, text in texts.items() if f"phrase:{phrase}" in text and _names(name, text, phrase))


def _names(name: str, text: str, phrase: str) -> bool:
    document = try_lay_out(text)
    rules: Iterable[str] = map(_rule, text.splitlines())
    if document is not None:
        in_phrases = name == "phrases.yaml"
        rules = (scalar.text for path, scalar in scalars_of(document) if is_rule(path, phrases=in_phrases))
    return any(piece.kind == "phrase" and piece.text == phrase for rule in rules for piece in pieces_of(rule))


def _rule(line: str) -> str:
    """A line without what YAML adds, near enough to see which phrases it names."""
    return line.translate(str.maketrans("'\"{},[]", "       "))
