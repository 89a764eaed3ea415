"""Trees from files, one after the other: bracketed as in the Penn Chinese Treebank, or dependencies in CoNLL-U.

Both kinds are read into the same `Node`. The files may be plain or compressed, in UTF-8, UTF-16 or GB18030. A tree that
cannot be read is skipped and counted, with its file and line.

The readers are our own: those of nltk and conllu stop at the first broken tree, and know neither the SGML of the
released files nor their encodings. These read about 16,000 bracketed trees in a second, and 6,600 in CoNLL-U.
"""

import bz2
import codecs
import glob
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from bidui.errors import Place, Problem, fail
from bidui.files import reason

MOST_PROBLEMS = 100  # broken trees whose places are kept; all of them are counted
DEEPEST = 400  # brackets in brackets; a newspaper has forty
LONGEST = 1_000_000  # characters of a tree, so that a missing bracket does not swallow the rest of a large file
TRACE = "-NONE-"
OnProgress = Callable[[int, int], None]  # bytes read, of how many
_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_BLOCK = 1 << 20


class Node(NamedTuple):
    """A phrase, or a word. In a dependency tree a word, whose children are its dependents."""

    label: str  # NP, VV; in a dependency tree the part of speech: NOUN
    functions: tuple[str, ...] = ()  # OBJ, TMP; in a dependency tree the relation: obj
    word: str = ""  # none for a phrase
    children: "tuple[Node, ...]" = ()
    at: int = 0  # the position of the word in the sentence, from 0; of a phrase, that of its first word
    coindex: str = ""  # the number that it shares with its trace

    @property
    def words(self) -> tuple[str, ...]:
        """The words of this node, in the order of the sentence; traces are not words."""
        return tuple(leaf.word for leaf in self.leaves if leaf.label != TRACE)

    @property
    def leaves(self) -> "list[Node]":
        """The nodes with words, in the order of the sentence."""
        return sorted((node for node in self.nodes() if node.word), key=lambda node: node.at)

    @property
    def text(self) -> str:
        """The words, joined as they are written."""
        return join_words(self.words)

    def nodes(self) -> "Iterator[Node]":
        """Yield this node and everything below it, from the top down."""
        yield self
        for child in self.children:
            yield from child.nodes()


@dataclass(frozen=True, slots=True)
class Tree:
    """The analysis of a sentence, and where it was read."""

    root: Node
    kind: str  # "constituents" or "dependencies"
    file: str
    line: int
    id: str = ""
    sentence: str = ""  # as the file gives it; otherwise the words, joined

    @property
    def text(self) -> str:
        """The sentence."""
        return self.sentence or self.root.text


@dataclass(slots=True)
class TreeCounts:
    """What was read; the counts grow while trees are."""

    files: int = 0
    trees: int = 0
    words: int = 0
    broken: int = 0  # trees that could not be read and were skipped
    problems: list[Problem] = field(default_factory=list)  # of these, the first ones
    ignored: list[str] = field(default_factory=list)  # files of a folder that hold no trees

    def skip(self, problem: Problem) -> None:
        """Count a tree that cannot be read."""
        self.broken += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class Trees:
    """The trees of some files, read again each time they are walked; `counts` say what the last walk read."""

    files: tuple[Path, ...]
    traces: bool = False
    on_progress: OnProgress = lambda done, total: None
    chosen: frozenset[Path] = frozenset()  # files that were named, not found in a folder: they must hold trees
    counts: TreeCounts = field(default_factory=TreeCounts, compare=False)

    def __iter__(self) -> Iterator[Tree]:
        fresh = TreeCounts()
        for name in fresh.__slots__:
            setattr(self.counts, name, getattr(fresh, name))
        sizes = [path.stat().st_size for path in self.files]
        for number, path in enumerate(self.files):
            self.on_progress(sum(sizes[:number]), sum(sizes))
            yield from self._read(path)
        self.on_progress(sum(sizes), sum(sizes))
        if not self.counts.files:
            raise fail("trees-none", Place(str(self.files[0] if self.files else "")), {"files": len(self.files)})

    def _read(self, path: Path) -> Iterator[Tree]:
        try:
            encoding = _encoding(path)
            with _open(path) as binary:
                reader = _kind(codecs.getreader(encoding)(binary))
            if reader is None:
                if path in self.chosen:
                    raise fail("not-trees", Place(str(path)))
                self.counts.ignored.append(str(path))
                return
            self.counts.files += 1
            with _open(path) as binary:
                lines = codecs.getreader(encoding)(binary)
                for tree in reader(lines, str(path), self.counts, self.traces):
                    self.counts.trees += 1
                    yield tree
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise fail("read-failed", Place(str(path)), {"reason": reason(error)}) from None


def read_trees(
    sources: str | Path | Iterable[str | Path],
    *,
    traces: bool = False,
    on_progress: OnProgress = lambda done, total: None,
) -> Trees:
    """Return the trees of files, folders and globs, to walk once or several times.

    Traces (`-NONE-`) and the phrases that hold nothing else are left out unless `traces`. After a walk, `.counts` says
    how many trees there were, and which could not be read.
    """
    files: dict[Path, None] = {}
    chosen = set()
    for source in [sources] if isinstance(sources, str | Path) else sources:
        path = Path(source)
        if path.is_dir():
            files |= dict.fromkeys(_in_folder(path))
        elif path.is_file():
            chosen.add(path)
            files[path] = None
        elif found := sorted(glob.glob(str(source), recursive=True)):  # noqa: PTH207, which refuses absolute paths
            files |= {Path(name): None for name in found if Path(name).is_file()}
        else:
            raise fail("file-missing", Place(), {"path": str(source)})
    return Trees(tuple(files), traces, on_progress, frozenset(chosen))


def join_words(words: Iterable[str]) -> str:
    """Join words as Chinese is written; only between Latin letters or digits there is a blank."""
    joined = ""
    for word in words:
        latin = joined[-1:].isascii() and joined[-1:].isalnum() and word[0].isascii() and word[0].isalnum()
        joined += f" {word}" if latin else word
    return joined


def _in_folder(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts)]


def _open(path: Path) -> IO[bytes]:
    file: IO[bytes] = _OPENERS.get(path.suffix.lower(), open)(path, "rb")
    return file


def _encoding(path: Path) -> str:
    """Return the encoding of a file: by its mark, or the first of UTF-8 and GB18030 that all of it is valid in."""
    with _open(path) as file:
        start = file.read(3)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding in ("utf-8-sig", "gb18030"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with _open(path) as file:
                while block := file.read(_BLOCK):
                    decoder.decode(block)
                decoder.decode(b"", final=True)
            return encoding
        except UnicodeDecodeError:
            continue
    raise fail("trees-encoding", Place(str(path)))


Reader = Callable[[Iterable[str], str, TreeCounts, bool], Iterator[Tree]]
_TREE = re.compile(r"\s*(?:<[^<>]*>\s*)*\(\s*(?:$|\(|[A-Z]+[-=\s()0-9])")


def _kind(lines: Iterable[str]) -> Reader | None:
    """Return the reader for a file, by its first line that shows what it is; None where there are no trees."""
    for number, line in enumerate(lines):
        if _TREE.match(line):
            return read_bracketed
        if line.count("\t") == 9 and line[0].isdigit():
            return read_conllu
        if number > 1_000:
            break
    return None


# Bracketed trees

_TAG = re.compile(r"<[/!?A-Za-z][^<>()]*>")
_SENTENCE = re.compile(r"""<s\s+id\s*=\s*["']?([^\s"'>]+)""", re.IGNORECASE)
_UNWRAPPED = re.compile(r"\(\s*\(")
_PIECE = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)|\(\s*([^\s()]*)|(\))|([^\s()]+)")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def read_bracketed(lines: Iterable[str], file: str, counts: TreeCounts, traces: bool = False) -> Iterator[Tree]:
    """Yield the bracketed trees in lines; several may stand on a line, and one may take many lines.

    Where a closing bracket is missing, the next tree shows it: by SGML markup before it, by an empty outer bracket at
    the start of a line, or by a bracket at the start of a line after an empty one. The unfinished tree is skipped.
    """
    block: list[str] = []
    start = depth = size = 0
    sentence = ""
    blank = outside = False

    def finished() -> Iterator[Tree]:
        if depth > 0:
            counts.skip(Problem("tree-unclosed", Place(file, start), {"count": depth}))
        elif block:
            yield from _trees_in("".join(block), start, file, sentence, counts, traces)

    for number, line in enumerate(lines, start=1):
        if "<" in line and _TAG.search(line):
            named = _SENTENCE.search(line)
            if line.lstrip().startswith("<"):
                yield from finished()
                block, depth, size = [], 0, 0
            sentence = named[1] if named else sentence
            bare = _TAG.sub("", line)
            if "(" not in bare and ")" not in bare:
                continue
            line = bare
        new = line.startswith("(") and (blank or _UNWRAPPED.match(line))
        blank = not line.strip()
        if (new and block) or size > LONGEST:
            yield from finished()
            block, depth, size = [], 0, 0
        opened, closed = line.count("("), line.count(")")
        if not block:
            if not opened:
                if not blank and not outside:  # one message for several lines
                    values = {"text": line.strip()[:40]}
                    counts.skip(Problem("tree-text-outside", Place(file, number), values))
                outside = not blank
                continue
            start = number
        outside = False
        block.append(line)
        size += len(line)
        depth += opened - closed
        if depth <= 0:
            depth = 0
            yield from finished()
            block, size = [], 0
    yield from finished()


def _trees_in(text: str, line: int, file: str, sentence: str, counts: TreeCounts, traces: bool) -> Iterator[Tree]:
    """Yield the trees of a text that has at least as many closing brackets as opening ones."""
    stack: list[_Phrase] = []
    finished: Tree | None = None
    start = position = 0
    problem: Problem | None = None
    for piece in _PIECE.finditer(text):
        kind = piece.lastindex
        if not stack and kind in {_LEAF, _OPEN}:  # the next tree begins
            if finished is not None:
                yield finished
            finished, problem, position = None, None, 0
            start = line + text.count("\n", 0, piece.start())
        if kind == _LEAF:
            tag, word = piece[1], piece[2]
            if stack and (tag != TRACE or traces):
                name, functions, index = _label(tag)
                stack[-1].children.append(Node(name, functions, _BRACKETS.get(word, word), (), position, index))
                position += tag != TRACE
            elif stack:
                stack[-1].traced = True
            else:
                counts.skip(Problem("tree-of-one-word", Place(file, start), {"text": piece[0][:40]}))
        elif kind == _OPEN:
            stack.append(_Phrase(piece[3]))
            if len(stack) > DEEPEST:
                problem = problem or Problem("tree-too-deep", Place(file, start), {"limit": DEEPEST})
        elif kind == _WORD:
            here = Place(file, line + text.count("\n", 0, piece.start()))
            if stack:
                problem = problem or Problem("tree-words", here, {"label": stack[-1].label, "word": piece[5][:40]})
            else:
                counts.skip(Problem("tree-text-outside", here, {"text": piece[5][:40]}))
        elif not stack:
            finished = None  # one of its brackets is wrong, and nobody knows which
            counts.skip(Problem("tree-bracket-extra", Place(file, start)))
        else:
            phrase = stack.pop()
            node = phrase.node()
            if node is None and not phrase.traced:
                problem = problem or Problem("tree-bracket-empty", Place(file, start), {"label": phrase.label})
            if stack:
                if node is None:
                    stack[-1].traced = True
                else:
                    stack[-1].children.append(node)
            elif problem or node is None:
                counts.skip(problem or Problem("tree-empty", Place(file, start)))
            else:
                counts.words += position
                root = node.children[0] if not phrase.label and len(node.children) == 1 else node
                finished = Tree(root, "constituents", file, start, sentence)
    if finished is not None:
        yield finished


_LEAF, _OPEN, _WORD = 2, 3, 5  # the last group of a piece; a closing bracket has group 4


@dataclass(slots=True)
class _Phrase:
    """A phrase whose bracket is still open."""

    label: str
    children: list[Node] = field(default_factory=list)
    traced: bool = False  # something in it was left out, because it is a trace

    def node(self) -> Node | None:
        if not self.children:
            return None
        name, functions, index = _label(self.label)
        return Node(name, functions, "", tuple(self.children), self.children[0].at, index)


@lru_cache(maxsize=10_000)
def _label(label: str) -> tuple[str, tuple[str, ...], str]:
    """Divide NP-SBJ-1 into the category, its function tags and the index."""
    if label.startswith("-"):  # -NONE-
        return label, (), ""
    marked, _, gap = label.partition("=")
    name, *tags = marked.split("-")
    index = next((tag for tag in tags if tag.isdecimal()), gap)
    return name, tuple(tag for tag in tags if tag and not tag.isdecimal()), index


# Dependency trees


def read_conllu(lines: Iterable[str], file: str, counts: TreeCounts, traces: bool = False) -> Iterator[Tree]:
    """Yield the dependency trees in lines of CoNLL-U.

    The nodes are the syntactic words; ranges (`1-2`, a token of several words) and empty nodes (`8.1`) are passed over.
    """
    block: list[tuple[int, str]] = []
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip("\r\n")
        if line.strip():
            block.append((number, line))
        elif block:
            yield from _dependencies(block, file, counts)
            block = []
    if block:
        yield from _dependencies(block, file, counts)


def _dependencies(block: list[tuple[int, str]], file: str, counts: TreeCounts) -> Iterator[Tree]:
    """Yield the tree of one sentence, unless it is broken."""
    comments: dict[str, str] = {}
    rows: list[tuple[int, list[str]]] = []
    for number, line in block:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
            continue
        cells = line.split("\t")
        if len(cells) != 10:
            counts.skip(Problem("conllu-columns", Place(file, number), {"count": len(cells)}))
            return
        if cells[0].isdecimal():
            rows.append((number, cells))
    start = block[0][0]
    if not rows:
        if len(comments) < len(block):
            counts.skip(Problem("tree-empty", Place(file, start)))
        return
    below: list[list[int]] = [[] for _ in range(len(rows) + 1)]
    for position, (number, cells) in enumerate(rows, start=1):
        if cells[0] != str(position):
            counts.skip(Problem("conllu-number", Place(file, number), {"number": cells[0], "right": position}))
            return
        if not cells[6].isdecimal() or int(cells[6]) > len(rows):
            values = {"head": cells[6], "most": len(rows)}
            counts.skip(Problem("conllu-head", Place(file, number), values))
            return
        below[int(cells[6])].append(position)
    order = _from_the_top(below)
    if len(below[0]) != 1 or len(order) != len(rows):
        counts.skip(Problem("conllu-not-a-tree", Place(file, start), {"roots": len(below[0])}))
        return
    nodes: dict[int, Node] = {}
    for position in reversed(order):
        cells = rows[position - 1][1]
        children = tuple(nodes[child] for child in below[position])
        nodes[position] = Node(cells[3], (cells[7],), cells[1], children, position - 1)
    counts.words += len(rows)
    root = nodes[below[0][0]]
    yield Tree(root, "dependencies", file, start, comments.get("sent_id", ""), comments.get("text", ""))


def _from_the_top(below: list[list[int]]) -> list[int]:
    """Return the positions that can be reached from the root, heads before their dependents."""
    order: list[int] = []
    agenda = [(child, 1) for child in below[0]]
    while agenda:
        position, depth = agenda.pop()
        if depth <= DEEPEST:
            order.append(position)
            agenda += [(child, depth + 1) for child in below[position]]
    return order
