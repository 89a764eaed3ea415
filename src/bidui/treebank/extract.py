"""What SLING takes from a treebank: noun phrases with classifiers, verb-object phrases, noun-noun compounds.

Every extraction has the sentence that it comes from, with file and line. Bracketed trees give all of it. Dependency
trees give the same as far as they say it: the classifier depends (`clf`) on the numeral or on the noun, the object
(`obj`) on the verb, and the first noun of a compound (`compound`) on the second.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bidui.treebank.search import head_of, match_node, parse_pattern
from bidui.treebank.trees import Node, Tree, join_words

_OBJECT = parse_pattern("VP[... verb:VV AS? object:NP-OBJ PU?]")
_COMPOUND = parse_pattern("NP[first:NN second:NN]")
_DETERMINERS = {"CD", "OD", "DT"}
_MODIFIERS = {"nmod", "acl", "amod", "compound", "det", "nummod"}
_ASPECT = {"了", "着", "过", "著", "過"}


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase with a classifier, in the order in which its parts stand: 工厂的 / 三 / 台 / 新 / 机器."""

    before: str  # 工厂的
    numeral: str  # 三, 这, 这三
    classifier: str
    between: str  # everything between the classifier and the noun: 新
    noun: str
    sentence: str
    file: str
    line: int

    @property
    def text(self) -> str:
        """The whole phrase."""
        return join_words(filter(None, (self.before, self.numeral, self.classifier, self.between, self.noun)))


@dataclass(frozen=True, slots=True)
class VerbObject:
    """A verb with its object; 了, 着 and 过 after the verb are left out."""

    verb: str
    object: str
    noun: str  # the head of the object
    shape: str  # of the object: noun, compound, adjective, possessor, quantified, clause, coordination, other
    numeral: str  # the numeral or demonstrative before the object's classifier
    sentence: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Compound:
    """Two nouns, of which the second is the head."""

    first: str
    second: str
    sentence: str
    file: str
    line: int


@dataclass(frozen=True)
class Extraction:
    """Everything that was taken from some trees, in their order."""

    noun_phrases: tuple[NounPhrase, ...]
    verb_objects: tuple[VerbObject, ...]
    compounds: tuple[Compound, ...]

    @cached_property
    def classifiers(self) -> dict[str, dict[str, int]]:
        """For every noun, the classifiers that it has in the trees, and how often."""
        found: dict[str, Counter[str]] = {}
        for phrase in self.noun_phrases:
            found.setdefault(phrase.noun, Counter())[phrase.classifier] += 1
        return {noun: dict(counts) for noun, counts in found.items()}


def extract_phrases(trees: Iterable[Tree]) -> Extraction:
    """Return the noun phrases with classifiers, verb-object phrases and compounds of trees."""
    phrases: list[NounPhrase] = []
    objects: list[VerbObject] = []
    compounds: list[Compound] = []
    for tree in trees:
        text = tree.text
        for node in tree.root.nodes():
            if tree.kind == "dependencies":
                phrases += _counted_noun(node, tree, text)
                objects += _dependent_object(node, tree, text)
                compounds += _dependent_compound(node, tree, text)
            else:
                phrases += _noun_phrase(node, tree, text)
                objects += _verb_object(node, tree, text)
                compounds += _compound(node, tree, text)
    return Extraction(tuple(phrases), tuple(objects), tuple(compounds))


# Bracketed trees


def _noun_phrase(node: Node, tree: Tree, text: str) -> Iterator[NounPhrase]:
    """Yield the phrase where an NP has numeral or demonstrative, classifier and noun, and is not coordinated."""
    if node.label != "NP" or len(node.children) < 2:
        return
    *others, last = node.children
    if any(child.label in {"CC", "PU"} for child in (*others, *last.children)):
        return
    number = next((n for n, child in enumerate(others) if child.label in {"QP", "DP"}), None)
    noun = head_of(last)
    if number is None or last.label not in {"NP", "NN"} or noun.label != "NN" or noun is not last.leaves[-1]:
        return
    counted = [child for child in others[number:] if child.label in {"QP", "DP"}]
    leaves = [leaf for child in counted for leaf in child.leaves]
    *determiner, classifier = leaves
    if classifier.label != "M" or not determiner or any(leaf.label not in _DETERMINERS for leaf in determiner):
        return
    if others[number : number + len(counted)] != counted:
        return
    words = {leaf.at: leaf.word for leaf in node.leaves}
    yield NounPhrase(
        join_words(word for at, word in words.items() if at < determiner[0].at),
        join_words(leaf.word for leaf in determiner),
        classifier.word,
        join_words(word for at, word in words.items() if classifier.at < at < noun.at),
        noun.word,
        text,
        tree.file,
        tree.line,
    )


def _verb_object(node: Node, tree: Tree, text: str) -> Iterator[VerbObject]:
    if node.label != "VP":
        return
    for parts in match_node(_OBJECT, node):
        verb, phrase = parts["verb"], parts["object"]
        noun = head_of(phrase)
        if noun.label == "NN" and noun is phrase.leaves[-1]:
            numeral = next((found.numeral for found in _noun_phrase(phrase, tree, text) if not found.before), "")
            yield VerbObject(verb.word, phrase.text, noun.word, _shape(phrase), numeral, text, tree.file, tree.line)


def _shape(phrase: Node) -> str:
    """Return what an object has besides its noun."""
    labels = {node.label for node in phrase.nodes()}
    tags = Counter(leaf.label for leaf in phrase.leaves)
    for shape, marks in {
        "coordination": {"CC", "PU", "ETC"},
        "clause": {"IP", "CP", "VP"},
        "quantified": {"QP", "DP"},
        "possessor": {"DNP", "PN", "NR"},
    }.items():
        if labels & marks:
            return shape
    if tags.keys() == {"NN"}:
        return {1: "noun", 2: "compound"}.get(tags["NN"], "other")
    return "adjective" if tags.keys() == {"NN", "JJ"} else "other"


def _compound(node: Node, tree: Tree, text: str) -> Iterator[Compound]:
    if node.label == "NP" and len(node.children) == 2:
        for parts in match_node(_COMPOUND, node):
            yield Compound(parts["first"].word, parts["second"].word, text, tree.file, tree.line)


# Dependency trees


def _counted_noun(node: Node, tree: Tree, text: str) -> Iterator[NounPhrase]:
    """Yield the phrase where a noun comes after a numeral or demonstrative with a classifier."""
    if node.label != "NOUN" or "clf" in node.functions:
        return
    for child in node.children:
        if _relation(child) not in {"nummod", "det"} or child.at > node.at:
            continue
        inner = [each for each in (*child.children, *node.children) if _relation(each) == "clf"]
        after = [each for each in inner if each.at == child.at + 1]
        if after and after[0].at < node.at and child.word:
            words = {leaf.at: leaf.word for leaf in node.leaves}
            modifiers = [each for each in node.children if _relation(each) in _MODIFIERS]  # a predicate has more
            before = sorted((leaf.at, leaf.word) for each in modifiers for leaf in each.leaves if leaf.at < child.at)
            yield NounPhrase(
                join_words(word for _, word in before),
                child.word,
                after[0].word,
                join_words(word for at, word in words.items() if after[0].at < at < node.at),
                node.word,
                text,
                tree.file,
                tree.line,
            )


def _dependent_object(node: Node, tree: Tree, text: str) -> Iterator[VerbObject]:
    """Yield a verb and the object right after it, where it has no other complement."""
    relations = [_relation(child) for child in node.children]
    if node.label != "VERB" or relations.count("obj") != 1 or {"iobj", "ccomp", "xcomp"} & set(relations):
        return
    (noun,) = (child for child in node.children if _relation(child) == "obj")
    leaves = noun.leaves
    gap = {leaf.at: leaf.word for leaf in node.leaves if node.at < leaf.at < leaves[0].at}
    if noun.label == "NOUN" and leaves[0].at > node.at and noun is leaves[-1] and set(gap.values()) <= _ASPECT:
        shape = _dependent_shape(noun)
        numeral = next((found.numeral for found in _counted_noun(noun, tree, text) if not found.before), "")
        yield VerbObject(node.word, noun.text, noun.word, shape, numeral, text, tree.file, tree.line)


def _dependent_shape(noun: Node) -> str:
    below = [node for node in noun.nodes() if node is not noun]
    relations = {_relation(node) for node in below}
    for shape, marks in {
        "coordination": {"cc", "conj", "punct"},
        "clause": {"acl", "ccomp", "xcomp", "advcl"},
        "quantified": {"nummod", "det", "clf"},
        "possessor": {"case", "mark"},
    }.items():
        if relations & marks:
            return shape
    labels = {node.label for node in below}
    if labels <= {"NOUN"}:
        return {0: "noun", 1: "compound"}.get(len(below), "other")
    return "adjective" if labels <= {"NOUN", "ADJ"} else "other"


def _dependent_compound(node: Node, tree: Tree, text: str) -> Iterator[Compound]:
    if node.label == "NOUN" and len(node.children) == 1:
        (first,) = node.children
        plain = first.label == "NOUN" and not first.children and first.at == node.at - 1
        if plain and _relation(first) == "compound":
            yield Compound(first.word, node.word, text, tree.file, tree.line)


def _relation(node: Node) -> str:
    """Return the relation to the head, without its subtype."""
    return node.functions[0].partition(":")[0] if node.functions else ""
