"""Random small projects and paradigms that use every means of the language at once.

A seed is a project and a paradigm; many are refused (a link into a phrase, a condition no word meets), the rest are
held against brute force.
"""

import random

from bidui.grammar.paradigm import Paradigm
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.grammar.project import Project, Settings
from bidui.grammar.rules import Condition

from .small import HEADER, project_of

FORMS = ["甲", "乙", "丙", "丁", "戊", "己", "子丑", "寅", "卯辰", "巳", "午", "未"]  # some are two characters long
PHRASES = """
  A:
    - pos:P
    - parts: {d: pos:Q, h: "pos:P mPos:d mPro:f"}
      head: h
  B:
    - parts: {x: phrase:A, y: pos:Q f:*}
      line: y 的 x
      head: x
  C:
    depth: 1
    alternatives:
      - pos:P f:*
      - parts: {of: phrase:C, h: "pos:P mPos:of.head mPro:g"}
        line: of 之 h
        head: h
"""


def random_project(rng: random.Random) -> Project:
    """Five to eleven words of two classes, with features f and g of none to two values, and now and then a seam."""
    rows = [_row(rng, form) for form in FORMS[: rng.randint(5, 10)]]
    if rng.random() < 0.3:
        rows.append(_row(rng, rng.choice(FORMS)))  # one form in two rows
    lexicon = "\n".join(["expression pos f g concept col", *dict.fromkeys(rows)])
    pairs = (f"{rng.choice(FORMS)}/{rng.choice(FORMS)} {rng.choice('abc')} {rng.choice('abc')}" for _ in range(5))
    relation = "\n".join(["p q@f r@g", *dict.fromkeys(list(pairs)[: rng.randint(1, 5)])])
    repeat = (Condition("g", "any", ("a",)),) if rng.random() < 0.15 else ()
    settings = Settings("random", seams=("甲乙",) if rng.random() < 0.2 else (), repeat=repeat)
    return project_of(lexicon, phrases=PHRASES, relations={"r": relation}, settings=settings)


def _row(rng: random.Random, form: str) -> str:
    def cell() -> str:
        return "/".join(sorted(rng.sample("abc", rng.choice([0, 1, 1, 1, 2])))) or "_"

    return " ".join((form, rng.choice("PQ"), cell(), cell(), rng.choice(["_", "_", "k1", "k2"]), rng.choice("_xy甲")))


def random_paradigm(rng: random.Random, project: Project) -> Paradigm:
    """Two to four slots with links between them, lines that keep, move, copy, drop, add and replace them."""
    names = ["s", "t", "u", "v"][: rng.randint(2, 4)]
    rules = {name: _rule(rng, names[:number], name) for number, name in enumerate(names)}
    good, bad = _lines(rng, names)
    rules = {name: rule for name, rule in rules.items() if name in {*good, *bad}}
    if rng.random() < 0.2:
        plain = [name for name, rule in rules.items() if "phrase" not in rule and "天" not in rule]
        bad = [f"{plain[0]}@col", *bad] if plain else bad
    text = HEADER + "slots:\n" + "".join(f"  {name}: '{rule}'\n" for name, rule in rules.items())
    text += f"good: {' '.join(good)}\nbad: {' '.join(bad)}\n"
    if rng.random() < 0.3:
        text += "equal_length: true\n"
    first = list(rules)[:2]
    if len(first) == 2:
        if rng.random() < 0.2:
            text += f"repeat: [{first[0]}, {first[1]}]\n"
        if all(rules[name].count("|") == 1 for name in first) and rng.random() < 0.7:
            text += f"link: [{first[0]}, {first[1]}]\n"
    paradigm, problems = parse_paradigm(text, name="random.yaml")
    # the two lines may have come out equal: then one of them says a little more
    if paradigm is None and [problem.kind for problem in problems] == ["sides-equal"]:
        paradigm, problems = parse_paradigm(text.replace("\nbad: ", "\nbad: 了 "), name="random.yaml")
    assert paradigm is not None, problems
    return paradigm


def _rule(rng: random.Random, earlier: list[str], name: str) -> str:
    return " | ".join(_alternative(rng, earlier, name) for _ in range(rng.choice([1, 1, 2])))


def _alternative(rng: random.Random, earlier: list[str], name: str) -> str:
    chance = rng.random()
    if 0.6 <= chance < 0.75:
        return rng.choice(["phrase:A", "phrase:B", "phrase:C"]) + _override(rng, earlier)
    if 0.75 <= chance < 0.85:
        return rng.choice(["甲 天", "甲 天", '""'])  # one that may be in the lexicon, one that is not; nothing
    rule = "pos:" + rng.choice(["P", "Q", "P/Q"])
    if rng.random() < 0.3:
        rule += " f:" + rng.choice(["a", "!a", "*", "-"])
    if earlier and rng.random() < 0.6:
        m = rng.choice(["m", "m", "mm"])
        properties = ["f", "g", "expression"] + (["f/g", "f=g", "f#1"] if m == "m" else [])
        rule += f" {m}Pos:{rng.choice(earlier)}.head {m}Pro:{rng.choice(properties)}"
    if len(earlier) == 2 and rng.random() < 0.3:
        middle = rng.choice((f"{earlier[1]}.head", "_"))
        rule += f" rel:r({earlier[0]}.head, {middle}, {name})"
    return rule


def _override(rng: random.Random, earlier: list[str]) -> str:
    chance = rng.random()
    if chance < 0.2:
        return " head:<f:a>"
    if chance < 0.4 and earlier:
        return f" head:<mPos:{rng.choice(earlier)}.head mPro:g>"
    return ""


def _lines(rng: random.Random, names: list[str]) -> tuple[list[str], list[str]]:
    items = [*names, "把"]
    good = [item for item in items if rng.random() < 0.85] or ["s"]
    rng.shuffle(good)
    bad = [item for item in items if rng.random() < 0.85] or ["s"]
    if rng.random() < 0.5:
        bad = list(good)
        bad[rng.randrange(len(bad))] = rng.choice(items)
    if rng.random() < 0.3:
        bad.append(rng.choice(names))
    if not {*good, *bad} & set(names):
        bad.append(names[0])
    return good, bad
