"""Trees are read as treebanks are distributed; what is broken is skipped, counted and named with its line."""

import gzip
import lzma
import os
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.treebank.trees import DEEPEST, Node, Tree, Trees, join_words, read_trees

from .small import CONLLU, GARDENER, TEACHER, TRACE


def read(folder: Path, text: str, name: str = "a.mrg", *, encoding: str = "utf-8", traces: bool = False) -> Trees:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return read_trees(path, traces=traces)


def sentences(trees: Trees) -> list[str]:
    return [tree.text for tree in trees]


def problems(trees: Trees) -> list[tuple[str, int]]:
    """Walk the trees; the kinds and lines of what is broken."""
    list(trees)
    return [(problem.kind, problem.place.line) for problem in trees.counts.problems]


def test_a_tree_over_many_lines_and_one_on_a_line(tmp_path: Path) -> None:
    trees = read(tmp_path, GARDENER + "\n" + TEACHER)
    assert [(tree.text, tree.line) for tree in trees] == [
        ("昨天园丁修剪了两排灌木，又喷洒肥料。", 1),
        ("这位钢琴老师批改作业。", 10),
    ]
    assert (trees.counts.trees, trees.counts.words, trees.counts.broken) == (2, 19, 0)


def test_labels_are_divided_into_category_functions_and_index(tmp_path: Path) -> None:
    """The outer bracket without a label is not a node."""
    (tree,) = read(tmp_path, TRACE, traces=True)
    subject, phrase, stop = tree.root.children
    assert (tree.root.label, subject.label, subject.functions, subject.coindex) == ("IP", "NP", ("SBJ",), "1")
    assert subject.children == (Node("-NONE-", (), "*pro*", (), 0, ""),)
    assert (stop.word, stop.at) == ("。", 3)  # traces take no position: 被 风 吹 。
    assert phrase.children[1].functions == ("OBJ",)


def test_traces_and_phrases_of_traces_only_are_left_out(tmp_path: Path) -> None:
    (tree,) = read(tmp_path, TRACE)
    assert tree.text == "被风吹。"
    assert [child.label for child in tree.root.children] == ["VP", "PU"]
    assert tree.root.text == tree.text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk", "utf-16"])
def test_encodings_are_recognised(tmp_path: Path, encoding: str) -> None:
    """Released treebanks come in GB as well as in UTF-8."""
    assert sentences(read(tmp_path, GARDENER, encoding=encoding)) == ["昨天园丁修剪了两排灌木，又喷洒肥料。"]


def test_sgml_of_the_released_files_gives_the_number_of_the_sentence(tmp_path: Path) -> None:
    text = (
        f"<DOC>\n<DOCID> chtb_0001 </DOCID>\n<BODY>\n<S ID=7>\n{GARDENER}</S>\n<S ID=8>\n{TEACHER}</S>\n</BODY></DOC>\n"
    )
    trees = read(tmp_path, text, "chtb_0001.nw")
    assert [(tree.id, tree.line) for tree in trees] == [("7", 5), ("8", 15)]
    assert trees.counts.broken == 0


def test_markup_may_stand_on_the_line_of_a_tree(tmp_path: Path) -> None:
    trees = read(tmp_path, f'<s id="3">{TEACHER.strip()}</s>\n')
    assert [(tree.id, tree.text) for tree in trees] == [("3", "这位钢琴老师批改作业。")]


def test_several_trees_on_a_line_and_no_outer_bracket(tmp_path: Path) -> None:
    trees = read(tmp_path, "(IP (VP (VV 走)) (PU 。)) (IP (VP (VV 来)) (PU 。))\n(IP (VP\n (VV\n  坐)))\n")
    assert [(tree.text, tree.line) for tree in trees] == [("走。", 1), ("来。", 1), ("坐", 2)]


def test_escaped_brackets_are_brackets(tmp_path: Path) -> None:
    assert sentences(read(tmp_path, "(IP (PU -LRB-) (VP (VV 走)) (PU -RRB-))\n")) == ["(走)"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(IP (VP (VV 走))\n\n(IP (VP (VV 来)))\n", ("tree-unclosed", 1)),
        ("( (IP (VP (VV 走))\n( (IP (VP (VV 来))))\n", ("tree-unclosed", 1)),
        ("<S ID=1>\n(IP (VP (VV 走))\n</S>\n<S ID=2>\n(IP (VP (VV 来)))\n</S>\n", ("tree-unclosed", 2)),
        ("(IP (VP (VV 走))))\n(IP (VP (VV 来)))\n", ("tree-bracket-extra", 1)),
        ("(IP (VP (VV 走 路)))\n(IP (VP (VV 来)))\n", ("tree-words", 1)),
        ("(IP (NP ) (VP (VV 走)))\n(IP (VP (VV 来)))\n", ("tree-bracket-empty", 1)),
        ("(IP (VP (-NONE- *)))\n(IP (VP (VV 来)))\n", ("tree-empty", 1)),
        ("(IP (VP (VV 来)))\n\n(NN 书)\n", ("tree-of-one-word", 3)),
        ("(IP (VP (VV 来)))\nthe end\nof it\n", ("tree-text-outside", 2)),
        ("(IP " * (DEEPEST + 1) + "(VV 走)" + ")" * (DEEPEST + 1) + "\n(IP (VP (VV 来)))\n", ("tree-too-deep", 1)),
    ],
)
def test_a_broken_tree_is_named_and_the_next_one_read(tmp_path: Path, text: str, found: tuple[str, int]) -> None:
    """Losing the rest of a file for a bracket, or losing a tree in silence, would both be wrong."""
    trees = read(tmp_path, text)
    assert problems(trees) == [found]
    assert (sentences(trees), trees.counts.broken) == (["来"], 1)


def test_a_last_tree_that_is_cut_off_is_counted(tmp_path: Path) -> None:
    assert problems(read(tmp_path, TEACHER + "(IP (VP (VV 走)")) == [("tree-unclosed", 2)]


def test_dependencies(tmp_path: Path) -> None:
    (tree,) = read(tmp_path, CONLLU, "a.conllu")
    assert (tree.kind, tree.id, tree.text, tree.root.text) == (
        "dependencies",
        "one",
        "他修了三台电脑。",
        "他修了三台电脑。",
    )
    assert (tree.root.label, tree.root.word, tree.root.functions) == ("VERB", "修", ("root",))
    computer = tree.root.children[2]
    assert (computer.text, computer.functions, computer.at) == ("三台电脑", ("obj",), 5)


def test_tokens_of_several_words_and_empty_nodes_are_passed_over(tmp_path: Path) -> None:
    rows = CONLLU.splitlines()
    rows.insert(3, "2-3\t修了\t_\t_\t_\t_\t_\t_\t_\t_")
    rows.insert(6, "3.1\t的\t的\tPART\t_\t_\t_\t_\t2:dep\t_")
    (tree,) = read(tmp_path, "\n".join(rows), "a.conllu")
    assert tree.root.words == ("他", "修", "了", "三", "台", "电脑", "。")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("\tobj\t", "\t", ("conllu-columns", 8)),
        ("\n5\t台", "\n6\t台", ("conllu-number", 7)),
        ("_\t4\tclf", "_\t12\tclf", ("conllu-head", 7)),
        ("_\t4\tclf", "_\tx\tclf", ("conllu-head", 7)),
        ("_\t0\troot", "_\t1\tdep", ("conllu-not-a-tree", 1)),
        ("_\t2\tnsubj", "_\t0\tnsubj", ("conllu-not-a-tree", 1)),
    ],
)
def test_a_broken_sentence_is_named_and_the_next_one_read(
    tmp_path: Path, old: str, new: str, found: tuple[str, int]
) -> None:
    """The last two: words in a circle, and two roots."""
    trees = read(tmp_path, CONLLU.replace(old, new) + CONLLU, "a.conllu")
    assert problems(trees) == [found]
    assert (trees.counts.trees, trees.counts.broken) == (1, 1)


def test_folders_globs_and_compressed_files(tmp_path: Path) -> None:
    """A file without trees is named, and one that was asked for by its name must have some."""
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "a.fid.gz").write_bytes(gzip.compress(TEACHER.encode("gbk")))
    (tmp_path / "in" / "deep" / "b.conllu.xz").write_bytes(lzma.compress(CONLLU.encode()))
    (tmp_path / "in" / "README").write_text("(c) somebody\n")
    (tmp_path / "in" / ".hidden.mrg").write_text(GARDENER)
    trees = read_trees(tmp_path / "in")
    assert sorted(sentences(trees)) == sorted(["这位钢琴老师批改作业。", "他修了三台电脑。"])
    assert (trees.counts.files, trees.counts.ignored) == (2, [str(tmp_path / "in" / "README")])
    assert sentences(read_trees(str(tmp_path / "in" / "**" / "*.xz"))) == ["他修了三台电脑。"]
    with pytest.raises(InputError, match="no tree in the file"):
        list(read_trees(tmp_path / "in" / "README"))
    with pytest.raises(InputError, match="no such file"):
        read_trees(str(tmp_path / "*.mrg"))


def test_a_truncated_archive_and_an_unknown_encoding_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.mrg.gz").write_bytes(gzip.compress(GARDENER.encode() * 50)[:-20])
    with pytest.raises(InputError, match="cannot be read"):
        list(read_trees(tmp_path / "a.mrg.gz"))
    (tmp_path / "b.mrg").write_bytes(b"(IP (NN \xff\xff\xff))")
    with pytest.raises(InputError, match="neither UTF-8"):
        list(read_trees(tmp_path / "b.mrg"))


def test_trees_can_be_walked_again(tmp_path: Path) -> None:
    trees = read(tmp_path, TEACHER)
    assert sentences(trees) == sentences(trees)
    assert trees.counts.trees == 1


def test_words_are_joined_as_they_are_written() -> None:
    assert join_words(["买", "了", "Mac", "Book", "和", "3", "D", "打印机"]) == "买了Mac Book和3 D打印机"


def test_real_dependency_treebanks_are_read_whole() -> None:
    """PUD, HK and two parts of GSD: 1,000, 1,004, 500 and 500 sentences."""
    shared = os.environ.get("BIDUI_SHARED")
    if not shared or not (Path(shared) / "data" / "treebank").is_dir():
        pytest.skip("BIDUI_SHARED does not name a folder with data/treebank")
    trees = read_trees(Path(shared) / "data" / "treebank")
    read: list[Tree] = list(trees)
    assert (len(read), trees.counts.files, trees.counts.broken) == (3004, 4, 0)
    pud = [tree for tree in read if "pud" in tree.file]
    assert sum(tree.root.text == tree.text for tree in pud) > 900  # the others have blanks in them
