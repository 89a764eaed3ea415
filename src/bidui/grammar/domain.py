"""A domain: the words that fit a leaf, as values in groups that no constraint can tell apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bidui.grammar.constraints import Modes
from bidui.grammar.lexicon import Word


@dataclass(slots=True, eq=False)
class Domain:
    """What a leaf may hold. A value is what can be told apart in print: one form, however many rows it has."""

    texts: Mapping[str, list[str]]  # printed column -> text of each value
    words: list[tuple[Word, ...]]  # the rows of each value; none for literals that are not in the lexicon
    marks: list[tuple[str, ...]]  # what may not occur twice, each with the side it is on
    diffs: list[int]  # length each value adds to the good side less that to the bad
    group: list[int]
    groups: list[list[int]]
    modes: list[tuple[Modes, ...]]  # of each group, for each feature asked for
    ambiguous: bool = False  # one form stands for several values, because its rows differ in several respects
    all_marks: frozenset[str] = frozenset()
    shown: list[str] = field(default_factory=list)  # what a pair's record says filled the slot
    known_edges: dict[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)
    known_forms: list[str] = field(default_factory=list)
    known_starts: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    folded: Mapping[str, list[str]] = field(default_factory=dict)  # the texts without separators and capitals

    def fitting(self, column: str, over: str) -> list[int]:
        """The values whose folded text and `over` begin alike, up to the end of the shorter."""
        if not over:
            return list(range(len(self.words)))
        if column not in self.known_starts:
            starts: dict[str, list[int]] = {}
            for value, text in enumerate(self.folded[column]):
                for cut in range(1, len(text) + 1):
                    starts.setdefault(text[:cut], []).append(value)
            self.known_starts[column] = starts
        starts, texts = self.known_starts[column], self.folded[column]
        shorter = [v for cut in range(1, len(over)) for v in starts.get(over[:cut], ()) if len(texts[v]) == cut]
        return shorter + starts.get(over, [])

    def forms(self) -> list[str]:
        """The expression of each value's row; nothing for a literal that is not in the lexicon."""
        if not self.known_forms:
            self.known_forms = [words[0].form if words else "" for words in self.words]
        return self.known_forms

    def edges(self, column: str) -> tuple[frozenset[str], frozenset[str]]:
        """The characters that texts begin and end with."""
        if column not in self.known_edges:
            texts = self.texts[column]
            edges = frozenset(text[0] for text in texts), frozenset(text[-1] for text in texts)
            self.known_edges[column] = edges
        return self.known_edges[column]
