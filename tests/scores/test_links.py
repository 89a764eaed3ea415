"""Linking functions against values worked out by hand, and what they have in common at their edges."""

import sys
from dataclasses import replace
from math import e
from pathlib import Path

import numpy as np
import pytest

from bidui.errors import InputError
from bidui.files import sha256
from bidui.scores.links import (
    LINKS,
    Floats,
    Link,
    Totals,
    as_link,
    as_links,
    log_norm_lp,
    lp,
    mean_lp,
    morcela,
    parse_link,
    pen_lp,
    slln_lp,
    slor,
)

# Three sentences: LP -12 over 4 tokens, -7 over 1, -30 over 9; U -20, -10, -45.
TOTALS = Totals(np.array([-12.0, -7.0, -30.0]), np.array([4.0, 1.0, 9.0]), np.array([-20.0, -10.0, -45.0]))
NAMES = ["lp", "mean_lp", "pen_lp", "slor", "morcela", "slln", "log_norm"]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (lp(), [-12, -7, -30]),
        (mean_lp(), [-3, -7, -30 / 9]),
        # (5 + 4) / 6 = 3/2, (5 + 1) / 6 = 1, (5 + 9) / 6 = 7/3; with alpha 1 they divide as they are
        (pen_lp(1), [-12 * 2 / 3, -7, -30 * 3 / 7]),
        # (3/2)^2 = 9/4, (7/3)^2 = 49/9
        (pen_lp(2), [-12 * 4 / 9, -7, -30 * 9 / 49]),
        # (-12 + 20) / 4, (-7 + 10) / 1, (-30 + 45) / 9
        (slor(), [2, 3, 15 / 9]),
        # (-12 + 0.5 * 20 + 6) / 4 = 4/4, (-7 + 5 + 6) / 1, (-30 + 22.5 + 6) / 9 = -1.5/9
        (morcela(0.5, 6), [1, 4, -1.5 / 9]),
        # square roots 2, 1, 3
        (slln_lp(), [-6, -7, -10]),
        # 4^1.5 = 8, 9^1.5 = 27
        (slln_lp(1.5), [-12 / 8, -7, -30 / 27]),
        # log 5 = 1.6094379, log 2 = 0.6931472, log 10 = 2.3025851
        (log_norm_lp(), [-12 / 1.6094379, -7 / 0.6931472, -30 / 2.3025851]),
    ],
    ids=lambda value: value.name if isinstance(value, Link) else "",
)
def test_a_linking_function_is_its_formula(link: Link, expected: list[float]) -> None:
    assert link.score(TOTALS) == pytest.approx(expected, rel=1e-6)


def test_the_usual_penalty_has_the_power_four_fifths() -> None:
    """At |x| = 187 the base is 192 / 6 = 32 = 2^5, and 2^(5 * 0.8) = 16; at |x| = 1 it is 1."""
    totals = Totals(np.array([-48.0, -7.0]), np.array([187.0, 1.0]))
    assert pen_lp().score(totals) == pytest.approx([-3, -7])


def test_the_logarithm_is_the_natural_one() -> None:
    """At |x| = e - 1 the divisor is log e = 1, and only in that base."""
    assert log_norm_lp().score(Totals(np.array([-5.0]), np.array([e - 1]))) == pytest.approx([-5.0])


@pytest.mark.parametrize(
    ("link", "same"),
    [
        (slln_lp(0), lp()),
        (slln_lp(1), mean_lp()),
        (pen_lp(0), lp()),
        (morcela(1, 0), slor()),
        (morcela(0, 0), mean_lp()),
        (morcela(), slor()),
    ],
)
def test_at_their_edges_linking_functions_meet(link: Link, same: Link) -> None:
    """To the last bit: otherwise a tie by one would be none by the other."""
    assert link.score(TOTALS).tolist() == same.score(TOTALS).tolist()


def test_a_single_token_is_scored_the_same_whatever_the_power_of_its_length() -> None:
    one = Totals(np.array([-7.0]), np.array([1.0]))
    assert {slln_lp(alpha).score(one)[0] for alpha in (0, 0.3, 0.5, 1, 2)} == {-7.0}
    assert {pen_lp(alpha).score(one)[0] for alpha in (0, 0.8, 3)} == {-7.0}


@pytest.mark.parametrize("name", ["slor", "morcela", "morcela:0.6,18"])
def test_what_needs_unigrams_says_so_and_refuses_to_go_without(name: str) -> None:
    link = parse_link(name)
    assert link.needs_unigrams
    with pytest.raises(InputError, match="give them with --unigrams"):
        link.score(Totals(np.array([-1.0]), np.array([1.0])))


@pytest.mark.parametrize("name", ["lp", "mean_lp", "pen_lp", "slln", "log_norm"])
def test_the_others_do_without_unigrams(name: str) -> None:
    assert not parse_link(name).needs_unigrams


@pytest.mark.parametrize(
    ("text", "same", "name"),
    [
        ("lp", lp(), "lp"),
        ("mean_lp", mean_lp(), "mean_lp"),
        ("pen_lp", pen_lp(0.8), "pen_lp"),
        ("pen_lp:0.8", pen_lp(0.8), "pen_lp"),
        ("pen_lp:1", pen_lp(1), "pen_lp:1"),
        ("slor", slor(), "slor"),
        ("morcela", morcela(1, 0), "morcela:1,0"),
        ("morcela:0.6", morcela(0.6, 0), "morcela:0.6,0"),
        ("morcela:0.6,18", morcela(0.6, 18), "morcela:0.6,18"),
        ("morcela: 0.6, -1e1", morcela(0.6, -10), "morcela:0.6,-10"),
        ("slln", slln_lp(0.5), "slln:0.5"),
        ("slln:0", slln_lp(0), "slln:0"),
        ("log_norm", log_norm_lp(), "log_norm"),
    ],
)
def test_a_name_means_its_function(text: str, same: Link, name: str) -> None:
    link = parse_link(text)
    assert link.name == name
    assert link.score(TOTALS).tolist() == same.score(TOTALS).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_function_means_that_function(name: str) -> None:
    """Files store the name, so it must lead back."""
    link = parse_link(name)
    assert parse_link(link.name).score(TOTALS).tolist() == link.score(TOTALS).tolist()


def test_a_new_linking_function_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name and numbers are parsed, and the list of names in messages has it, without another edit."""

    def root_lp(degree: float = 2.0) -> Link:
        return Link(f"root:{degree:g}", lambda x: -((-x.logprob) ** (1 / degree)))

    monkeypatch.setitem(LINKS, "root", root_lp)
    nine = Totals(np.array([-9.0]), np.array([1.0]))
    assert parse_link("root").score(nine).tolist() == [-3.0]
    assert parse_link("root:1").name == "root:1"
    with pytest.raises(InputError, match=r"^root:1,2 takes at most 1 number,"):
        parse_link("root:1,2")
    with pytest.raises(InputError, match="log_norm, root"):
        parse_link("square")


def test_a_link_may_be_a_name_a_link_or_a_function() -> None:
    def longest_first(x: Totals) -> Floats:
        return x.length

    assert as_link("slln:0.5").name == "slln:0.5"
    assert as_link(lp()).name == "lp"
    mine = as_link(longest_first)
    assert mine.name == "longest_first" and mine.score(TOTALS).tolist() == [4.0, 1.0, 9.0]


@pytest.mark.parametrize("text", ["", "LP", "ppl", "slln0.5", " lp", "0.5", ":0.5"])
def test_an_unknown_name_is_an_error_that_lists_the_known(text: str) -> None:
    with pytest.raises(InputError, match="is not a linking function; available: " + ", ".join(NAMES)):
        parse_link(text)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("lp:1", 0),
        ("slor:1", 0),
        ("mean_lp:0", 0),
        ("log_norm:2", 0),
        ("slln:half", 1),
        ("slln:0.5,1", 1),
        ("pen_lp:1:2", 1),
        ("morcela:1,2,3", 2),
        ("morcela:1,", 2),
        ("slln:nan", 1),
        ("slln:inf", 1),
        ("morcela:1,-inf", 2),
    ],
)
def test_numbers_that_make_no_sense_are_an_error(text: str, most: int) -> None:
    """NaN and infinity are numbers to Python, but every sentence would score the same."""
    with pytest.raises(InputError, match=f"^{text} takes at most {most} numbers?,"):
        parse_link(text)


# Functions of one's own, in a module or a file

OWN = """\
import numpy as np
from bidui import Link

def per_root(x):
    return x.logprob / np.sqrt(x.length)

def slor_like(x):
    return x.logprob - x.unigram

with_unigrams = Link("anything", slor_like, needs_unigrams=True)
CONSTANT = 3

def raises(x):
    return x.nothing

def single(x):
    return 1.0

def wrong_type(x):
    return "high"

def infinite(x):
    return x.logprob / (x.length - 4)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the current folder, which is not among the places where Python looks for modules."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", str(tmp_path))])
    (tmp_path / "own_links.py").write_text(OWN, encoding="utf-8")
    return tmp_path


def test_a_function_of_ones_own_is_found_in_a_file_and_in_a_module(own: Path) -> None:
    """By hand, as SLLN-LP: the roots of 4, 1 and 9 are 2, 1 and 3. The name in tables has no folders."""
    before = list(sys.path)
    try:
        for text in ("own_links.py:per_root", f"{own}/own_links.py:per_root", "own_links:per_root"):
            link = parse_link(text)
            assert (link.name, link.needs_unigrams) == ("own_links:per_root", False)
            assert link.sha256 == sha256(OWN.encode())
            np.testing.assert_allclose(link.score(TOTALS), [-6, -7, -10])
    finally:
        sys.modules.pop("own_links", None)
    assert sys.path == before
    link = parse_link("own_links.py:with_unigrams")
    assert link.needs_unigrams and link.score(TOTALS).tolist() == [8, 3, 15]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nope.py:f", "nope.py:f: there is no file nope.py"),
        ("nope:f", "nope:f is not one of the linking functions (lp, mean_lp"),
        ("nope.inner:f", "there is no Python module nope.inner here"),
        ("own_links.py:nope", "own_links.py: there is no function nope; available here: Link, per_root, slor_like"),
        ("own_links.py:CONSTANT", "own_links.py: CONSTANT is 3, not a function"),
        ("broken.py:f", "broken.py:2: broken.py:f cannot be loaded: ZeroDivisionError: division by zero"),
        ("syntax.py:f", "syntax.py:1: syntax.py:f cannot be loaded: SyntaxError"),
        ("needs.py:f", "needs.py:1: needs.py:f cannot be loaded: ModuleNotFoundError: No module named 'nothing_here'"),
        ("slnn:0.5", "slnn:0.5 is not a linking function; available: lp"),
        ("slnn", "slnn is not a linking function"),
    ],
)
def test_what_is_no_function_is_refused(own: Path, text: str, told: str) -> None:
    (own / "broken.py").write_text("x = 1\ny = 1 / 0\n", encoding="utf-8")
    (own / "syntax.py").write_text("def f(:\n", encoding="utf-8")
    (own / "needs.py").write_text("import nothing_here\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        parse_link(text)
    assert told in str(caught.value).replace(f"{own}/", "") and caught.value.problems[0].text("zh")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("raises", "own_links.py:14: the linking function own_links:raises failed: AttributeError"),
        ("single", "returned a single number for 3 sentences; it must return one number per sentence"),
        ("wrong_type", "own_links:wrong_type returned str; it must return one number per sentence"),
        ("infinite", "gave -inf for a sentence with LP -12 and length 4; scores must be finite"),
        ("slor_like", "slor_like failed: TypeError"),
    ],
)
def test_what_a_function_of_ones_own_does_wrong_is_said(own: Path, name: str, told: str) -> None:
    """A single number would have made every pair a tie: an accuracy of 50% without a word."""
    with pytest.raises(InputError) as caught, np.errstate(divide="ignore"):
        parse_link(f"own_links.py:{name}").score(replace(TOTALS, unigram=None))
    assert told in str(caught.value)


def test_functions_given_as_they_are_are_checked_too() -> None:
    with pytest.raises(InputError, match="returned an array of shape"):
        as_link(lambda x: x.logprob[:2]).score(TOTALS)


def test_two_functions_cannot_share_a_name(own: Path) -> None:
    """In a report, the second would take the place of the first."""
    (own / "other").mkdir()
    (own / "other/own_links.py").write_text("def per_root(x):\n    return x.logprob\n", encoding="utf-8")
    assert [link.name for link in as_links(["lp", "lp", "own_links.py:per_root"])] == ["lp", "own_links:per_root"]
    with pytest.raises(InputError, match="two different linking functions are called own_links:per_root"):
        as_links(["own_links.py:per_root", "other/own_links.py:per_root"])
