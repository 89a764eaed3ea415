"""The words of a project as calls see them: read once for each state of its files."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from bidui.errors import Place, Problem
from bidui.grammar.lexicon_file import parse_lexicon
from bidui.web.editing.usage import WordPlace
from bidui.web.editing.vocabulary import Vocabulary, read_vocabulary
from bidui.web.recent import Recent
from bidui.web.store import Entry, Store, Version
from bidui.web.store.names import Kind
from bidui.web.store.texts import heads, latest

KINDS: frozenset[Kind] = frozenset({"lexicon", "features"})
NEW = "lexicon.tsv"  # what a project that has no words yet starts with
EMPTY = "expression\n"


@dataclass(frozen=True, slots=True)
class Words:
    """The lexicon's files as their latest revisions have them, and what they hold together."""

    versions: Mapping[str, Version]
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Places:
    """The places for words in a project's paradigms, and the files of these by uid."""

    places: tuple[WordPlace, ...]
    files: Mapping[str, str]


def words_of(store: Store, entry: Entry, *, recent: Recent[Words]) -> Words:
    """The words of a project, perhaps read before; `refresh` first, to see what was changed outside."""
    key = _key(entry, heads(store, entry, KINDS))
    return recent.get(key, lambda: _read(latest(store, entry, KINDS)))


def with_file(words: Words, version: Version, vocabulary: Vocabulary) -> Words:
    """The words after one file has a new revision, with which the vocabulary was read."""
    return Words({**words.versions, version.revision.file: version}, vocabulary)


def keep_words(words: Words, entry: Entry, *, recent: Recent[Words]) -> None:
    """Spare others the reading of words that were read on the way to saving them."""
    numbers = {name: version.revision.id for name, version in words.versions.items()}
    recent.put(_key(entry, numbers), words)


def _key(entry: Entry, numbers: Mapping[str, int]) -> Hashable:
    return (entry.id, *sorted(numbers.items()))


def _read(versions: Mapping[str, Version]) -> Words:
    return Words(versions, vocabulary_of({name: version.text for name, version in versions.items()}))


@dataclass(slots=True)
class Trying:
    """A `check` for `save`: the words are read as they would be with the new text of a file, and kept here."""

    words: Words
    file: str
    vocabulary: Vocabulary | None = None

    def __call__(self, text: str) -> tuple[Problem, ...]:
        """The problems of the text by itself."""
        texts = {name: version.text for name, version in self.words.versions.items()}
        self.vocabulary = vocabulary_of({**texts, self.file: text}, known=self.words.vocabulary)
        return self.vocabulary.own.get(self.file, ())


def vocabulary_of(texts: Mapping[str, str], *, known: Vocabulary | None = None) -> Vocabulary:
    """The vocabulary in the texts of the lexicon's files and `features.tsv`; files in `lexicon/` come first."""
    lexicon = {name: text for name, text in texts.items() if name != "features.tsv"}
    several = {name: text for name, text in lexicon.items() if name != NEW}
    found = read_vocabulary(several or lexicon, features=texts.get("features.tsv"), known=known)
    if not several or NEW not in lexicon:
        return found
    more = Problem("lexicon-twice", Place(NEW))
    own = {**found.own, NEW: tuple(parse_lexicon(lexicon[NEW], name=NEW)[1])}
    return replace(found, problems=(more, *found.problems), own=own)
