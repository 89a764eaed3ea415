"""Random projects that use every means of the language at once, held against brute force.

A seed gives a lexicon, a relation, phrases in phrases and a paradigm of one to three variants, with links into phrases,
overrides, mismatches, shared values, linked alternatives, empty slots, printed columns, seams and lengths. The tests
run a few hundred seeds; to run many more:

    python -m tests.grammar.wild --cases 10000 --first 0 --jobs 2
"""

import argparse
import random
import sys
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from math import prod
from operator import and_
from unittest import mock

from bidui.errors import InputError
from bidui.grammar import draw
from bidui.grammar.count import Count
from bidui.grammar.draw import draw_even, draw_uniform, enumerate_pairs
from bidui.grammar.generate import count_pairs, diagnose
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.grammar.project import Project, Settings, paradigm_text
from bidui.grammar.rules import Condition

from . import brute
from .small import HEADER, project_of

FORMS = ["甲", "乙", "丙", "丁", "戊", "己", "子丑", "寅", "卯辰", "巳", "午", "未"]  # some are two characters long
SLOTS = ["s", "t", "u", "v"]
BRUTE = 6_000  # fillings that brute force may look at
REFUSED = {"uniform-repeats", "uniform-sparse"}


@dataclass(frozen=True)
class Reach:
    """What links and overrides may name below a slot, under every alternative; "" is the slot itself."""

    links: frozenset[str] = frozenset()
    overrides: frozenset[str] = frozenset()

    def __and__(self, other: "Reach") -> "Reach":
        return Reach(self.links & other.links, self.overrides & other.overrides)

    def under(self, name: str) -> "Reach":
        return Reach(
            *(frozenset(f"{name}.{p}" if p else name for p in paths) for paths in (self.links, self.overrides))
        )


WORD = Reach(frozenset(("", "head")), frozenset(("",)))
LITERAL = Reach(frozenset(("", "head")))
Rules = dict[str, tuple[str, Reach]]  # the rules of slots or parts so far


@dataclass
class Maker:
    """Makes the texts of one project, with few mistakes: each is refused, and nothing can be compared then."""

    rng: random.Random
    phrases: dict[str, Reach] = field(default_factory=dict)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def project(self) -> Project:
        rng = self.rng
        forms = ["甲", *rng.sample(FORMS[1:], rng.randint(1, 5))]
        rows = [self.row(form) for form in forms]
        rows += [self.row(rng.choice(forms)) for _ in range(rng.choice([0, 0, 1, 2]))]  # one form in several rows
        rows += ["申 P a/b c _ x", "酉 Q c a/b _ y"]  # no class and no value is missing
        lexicon = "\n".join(["expression pos f g concept col", *dict.fromkeys(rows)])
        cells = (f"{self.cell(FORMS, 3)} {self.cell('abc')} {self.cell('abc')}" for _ in range(rng.randint(1, 6)))
        relation = "\n".join(["p q@f r@g", *dict.fromkeys(cells)])
        repeat = Condition("g", rng.choice(["any", "not"]), ("a",)) if self.chance(0.15) else None
        settings = Settings("wild", seams=self.seams(), repeat=(repeat,) if repeat else ())
        return project_of(lexicon, phrases=self.all_phrases(), relations={"r": relation}, settings=settings)

    def seams(self) -> tuple[str, ...]:
        return (self.rng.choice(FORMS) + self.rng.choice([*FORMS, "的"]),) if self.chance(0.15) else ()

    def cell(self, values: str | list[str], most: int = 2) -> str:
        return "/".join(sorted(self.rng.sample(values, self.rng.choice([0, 1, 1, 1, most])))) or "_"

    def row(self, form: str) -> str:
        concept, column = self.rng.choice(["_", "_", "_", "k1", "k2", "k1/k2"]), self.rng.choice("_xy甲")
        return " ".join((form, self.rng.choice("PQ"), self.cell("abc"), self.cell("abc"), concept, column))

    # phrases

    def all_phrases(self) -> str:
        text = ""
        for name in "ABC"[: self.rng.randint(1, 3)]:
            depth = self.rng.choice([0, 0, 0, 0, 1])
            made = [self.alternative()]
            self.phrases[name] = made[0][1] if depth else Reach()  # the phrase in itself, from the second one on
            names = [*self.phrases] if depth else [other for other in self.phrases if other != name]
            made += [self.alternative(names) for _ in range(self.rng.choice([0, 1, 1, 2]))]
            self.phrases[name] = reduce(and_, [reach for _, reach in made])
            body = "".join(f"      - {item}\n" for item, _ in made)
            text += f"  {name}:\n    depth: {depth}\n    alternatives:\n{body}"
        return text

    def alternative(self, phrases: list[str] | None = None) -> tuple[str, Reach]:
        inner = list(self.phrases) if phrases is None else phrases
        if self.chance(0.4):
            rule, reach = self.one({}, inner, "")
            reach = reach if rule != '""' else Reach()
            return f"'{rule}'", Reach(*map(frozenset, _both(reach, "word", "word")))
        parts: Rules = {}
        for name in ["d", "h", "k"][: self.rng.choice([1, 2, 2, 3])]:
            parts[name] = self.rule(parts, inner)
        line = [*parts, *self.rng.choice([[], ["的"], [next(iter(parts))]])]
        self.rng.shuffle(line)
        head = self.rng.choice(list(parts)) if self.chance(0.9) else ""
        links, overrides = set(), set()
        for name, (_, reach) in parts.items():
            both = _both(reach, name, head)
            links |= both[0]
            overrides |= both[1]
        rules = ", ".join(f"{name}: '{rule}'" for name, (rule, _) in parts.items())
        more = (f", head: {head}" if head else "") + (", weight: 3" if self.chance(0.1) else "")
        return f"{{parts: {{{rules}}}, line: {' '.join(line)}{more}}}", Reach(frozenset(links), frozenset(overrides))

    # rules

    def rule(self, earlier: Rules, inner: list[str], *, name: str = "") -> tuple[str, Reach]:
        made = [self.one(earlier, inner, name) for _ in range(self.rng.choice([1, 1, 1, 1, 2, 2, 3]))]
        return " | ".join(rule for rule, _ in made), reduce(and_, [reach for _, reach in made])

    def one(self, earlier: Rules, inner: list[str], name: str) -> tuple[str, Reach]:
        chance = self.rng.random()
        if inner and chance < 0.35:
            phrase = self.rng.choice(inner)
            return f"phrase:{phrase}{self.overrides(self.phrases[phrase], earlier)}", self.phrases[phrase]
        if chance < 0.45:
            literal, reach = self.rng.choice(
                [("甲 酉", LITERAL), ("2* 申", LITERAL), ("甲 天", Reach()), ('""', Reach())]
            )
            return literal, reach
        rule = self.rng.choice(["pos:P", "pos:Q", "pos:P/Q", "pos:!Q", "expression:!甲"])
        if self.chance(0.25):
            rule += " " + self.rng.choice("fg") + ":" + self.rng.choice(["!c", "*", "!a", "a/b/c"])
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            rule += self.link(earlier)
        if name and self.chance(0.3):
            first, middle = self.target(earlier), self.target(earlier)
            if first and middle and first != middle:
                rule += f" rel:r({first}, {self.rng.choice([middle, '_'])}, {name})"
        return rule, WORD

    def link(self, earlier: Rules) -> str:
        m = self.rng.choice(["m", "m", "mm"])
        properties = ["f", "g", "expression", "f/g", "f=g"] + (["f#1", "g=f#2", "expression=col"] if m == "m" else [])
        target = self.target(earlier)
        return f" {m}Pos:{target} {m}Pro:{self.rng.choice(properties)}" if target else ""

    def target(self, earlier: Rules) -> str:
        """A slot or part that links may name, or an empty text."""
        names = [f"{name}.{path}".rstrip(".") for name, (_, reach) in earlier.items() for path in sorted(reach.links)]
        return self.rng.choice(names) if names else ""

    def overrides(self, reach: Reach, earlier: Rules) -> str:
        text = ""
        for _ in range(self.rng.choice([0, 0, 1, 1, 2]) if reach.overrides else 0):
            what = self.link(earlier).strip() if self.chance(0.7) else self.rng.choice(["f:*", "g:!c", "f:!b", "pos:P"])
            part = self.rng.choice(sorted(reach.overrides)) or "head"
            text += f" {part}:<{what}>" if what else ""
        return text

    # paradigms

    def paradigm(self) -> str:
        text = HEADER
        if self.chance(0.3):
            text += "equal_length: true\n"
        if seams := self.seams():
            text += f"seams: [{seams[0]}]\n"
        if self.chance(0.75):
            return text + self.variant("")
        variants = [self.variant("    ").strip() for _ in range(self.rng.choice([2, 2, 3]))]
        return text + "variants:\n" + "".join(f"  - {variant}\n" for variant in variants)

    def variant(self, indent: str) -> str:
        slots: Rules = {}
        for name in SLOTS[: self.rng.choice([2, 3, 3, 4])]:
            slots[name] = self.rule(slots, list(self.phrases), name=name)
        good, bad = self.sides(slots)
        lines = ["slots:", *(f"  {name}: '{rule}'" for name, (rule, _) in slots.items())]
        lines += [f"good: {' '.join(good)}", f"bad: {' '.join(bad)}"]
        for key, probability in (("repeat", 0.2), ("link", 0.4)):
            pair = self.rng.sample(list(slots), 2)
            if self.chance(probability) and (key == "repeat" or len({slots[n][0].count("|") for n in pair}) == 1):
                lines.append(f"{key}: [{', '.join(pair)}]")
        ends = [
            [name for name in slots if name in one and name not in other] for one, other in ((good, bad), (bad, good))
        ]
        plain = all(len(only) == 1 and slots[only[0]][1] is WORD and "|" not in slots[only[0]][0] for only in ends)
        if plain and self.chance(0.4):
            lines.append("crossed: true")
        return "".join(f"{indent}{line}\n" for line in lines)

    def sides(self, slots: Rules) -> tuple[list[str], list[str]]:
        """Two lines that differ and together use every slot."""
        items = [*slots, "把"]
        good = [item for item in items if self.chance(0.9)] or ["把"]
        self.rng.shuffle(good)
        bad = [item for item in items if self.chance(0.85)] or ["把"]
        if self.chance(0.5):
            bad = list(good)
            bad[self.rng.randrange(len(bad))] = self.rng.choice(items)
        if self.chance(0.3):
            bad.append(self.rng.choice(list(slots)))
        for name in slots:
            if name not in (*good, *bad):
                self.rng.choice([good, bad]).append(name)
        if self.chance(0.25) and (part := self.target(slots)):
            self.rng.choice([good, bad]).append(part + self.rng.choice(["", "@col"]))
        return good, bad if bad != good else ["了", *bad]


def _both(reach: Reach, name: str, head: str) -> tuple[set[str], set[str]]:
    """The paths through a part, by its name and, if it is the head, by that."""
    links, overrides = set(), set()
    for called in (name, "head") if name == head else (name,):
        under = reach.under(called)
        links |= under.links
        overrides |= under.overrides
    return links, overrides | ({""} if head == name and "" in reach.overrides else set())


@dataclass(frozen=True)
class Case:
    """What a seed gives: the project, the paradigm and its networks."""

    project: Project
    paradigm: Paradigm
    networks: list[Network]


def case_of(seed: int) -> Case | str:
    """The case of a seed, or why there is none: the language refuses it, or brute force would take too long."""
    maker = Maker(random.Random(seed))
    try:
        project = maker.project()
        paradigm, problems = parse_paradigm(maker.paradigm(), name="wild.yaml")
        assert paradigm is not None or problems
        if paradigm is None:
            return "refused"
        networks = Compiler.of(project).networks(paradigm)
    except InputError as error:
        assert all(problem.text("en") and problem.text("zh") for problem in error.problems)
        return "refused"
    for variant in paradigm.variants:
        if prod(brute.size(project, slot.rule) for slot in variant.slots.values()) > BRUTE:
            return "too large"
    return Case(project, paradigm, networks)


def sentences(draws: object) -> list[tuple[str, str]]:
    return [draw.printer.sentences(draw.pieces) for draw in draws]  # type: ignore[attr-defined]


def differences(case: Case) -> list[str]:
    """How the solver and brute force differ: in number, in the pairs drawn or listed, or in the reasons for few."""
    expected = brute.all_pairs(case.project, case.paradigm)
    networks = case.networks
    found = []
    if (count := count_pairs(networks)) != Count(len(expected)):
        found.append(f"count {count}, not {len(expected)}")
    made = {
        "even": sentences(draw_even(networks, seed="a")),
        "listed": sentences(enumerate_pairs(networks)),
        "uniform": sentences(draw_uniform(networks, seed="a")),
    }
    with mock.patch.multiple(draw, SMALL=0, REPEATING=0):  # as if it were too large to be enumerated
        try:
            made["sampled"] = sentences(islice(draw_uniform(networks, seed="a"), len(expected)))
        except InputError as error:
            if error.problems[0].kind not in REFUSED:
                raise
    for name, pairs in made.items():
        if len(pairs) != len(expected) or set(pairs) != expected:
            found.append(f"{name}: {len(pairs)} pairs, {len(set(pairs) ^ expected)} of them differ")
    diagnose(networks, asked=len(expected) + 1, given=len(expected))  # counts again, without each of the rules
    return found


def outcome(seed: int) -> tuple[str, str]:
    """What became of a seed, and what is wrong with it, if anything is."""
    case: Case | str = "?"
    try:
        case = case_of(seed)
        if isinstance(case, str):
            return case, ""
        found = differences(case)
    except Exception:
        found = [traceback.format_exc()]
    if found and isinstance(case, Case):
        found.append(paradigm_text(case.paradigm))
    return ("wrong", f"seed {seed}: " + "\n".join(found)) if found else ("equal", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=1_000, help="cases that are held against brute force")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    seed = options.first
    with ProcessPoolExecutor(options.jobs) as pool:
        while outcomes["equal"] + outcomes["wrong"] < options.cases:
            for result, report in pool.map(outcome, range(seed, seed + 200), chunksize=20):
                outcomes[result] += 1
                if report:
                    print(report, flush=True)
            seed += 200
            print(f"\r{outcomes['equal'] + outcomes['wrong']:,} cases", end="", file=sys.stderr, flush=True)
    print(f"seeds {options.first} to {seed - 1}: {dict(outcomes)}")
    sys.exit(1 if outcomes["wrong"] else 0)


if __name__ == "__main__":
    main()
