"""A made-up project of the size and shape of the real benchmark, for measuring.

118 paradigms over a lexicon of any size: nested phrases, three and more links, distinctness over several slots of one
class, relations. The words are random characters; nothing here is meant to be read.
"""

import random
from pathlib import Path

CLASSES = [f"class{n}" for n in range(30)]
CLASSIFIERS = [f"m{n}" for n in range(40)]

PHRASES = """format: 1
phrases:
  Person:
    - 2* pos:NR
    - pos:PN
    - parts: {det: pos:DT, cl: "pos:M mPos:noun mPro:classifier", noun: pos:NN class:person}
      head: noun
    - parts: {owner: "pos:PN", kin: "pos:NN class:kin"}
      line: owner 的 kin
      head: kin
    - parts: {adj: "pos:VA goes:person", noun: pos:NN class:person}
      line: adj 的 noun
      head: noun
  Thing:
    - pos:NN class:!person/kin
    - parts: {det: pos:DT, cl: "pos:M mPos:noun mPro:classifier", noun: "pos:NN class:!person/kin"}
      head: noun
    - parts:
        num: pos:CD
        cl: pos:M mPos:noun mPro:classifier
        adj: pos:VA mPos:noun mPro:goes=class
        noun: pos:NN class:!person/kin
      line: num cl adj 的 noun
      head: noun
    - parts: {who: phrase:Person, noun: "pos:NN class:!person/kin"}
      line: who 的 noun
      head: noun
"""

TEMPLATES = [
    """slots:
  who: phrase:Person
  adv: 'pos:AD | ""'
  verb: pos:VV takes:*
  what: "phrase:Thing head:<mPos:verb mPro:class=takes>"
  whom: phrase:Person
good: who adv verb 了 what 给 whom 。
bad: adv verb who 了 what 给 whom 。
""",
    """slots:
  who: phrase:Person
  right: pos:M mPos:noun mPro:classifier
  wrong: pos:M mmPos:noun mmPro:classifier
  adj: pos:VA mPos:noun mPro:goes=class
  noun: "pos:NN class:!person/kin mPos:verb mPro:class=takes"
  verb: pos:VV takes:*
good: who verb 了 一 right adj 的 noun 。
bad: who verb 了 一 wrong adj 的 noun 。
equal_length: true
""",
    """slots:
  box: pos:NN class:!person/kin
  thing: pos:NN class:!person/kin rel:fills(box, thing, verb)
  verb: pos:VV
  who: phrase:Person
  friend: phrase:Person
good: who 跟 friend 把 box verb 满了 thing 。
bad: who 跟 friend verb 满了 box thing 。
""",
    """slots:
  a: pos:NR
  b: pos:NR
  c: pos:NR
  verb: pos:VV
  self: pos:PN mPos:b mPro:gender
  other: pos:PN mmPos:b mmPro:gender
good: a 说 c 知道 b verb self 自己 。
bad: a 说 c 知道 b verb other 自己 。
equal_length: true
""",
    """variants:
  - slots:
      who: phrase:Person
      verb: pos:VV takes:*
      what: "phrase:Thing head:<mPos:verb mPro:class=takes>"
    good: who 把 what verb 了 。
    bad: who what 把 verb 了 。
  - weight: 2
    slots:
      who: phrase:Person
      verb: pos:VV
      adv: pos:AD mPos:verb mPro:kind
      place: pos:NN class:class1/class2
    good: who 在 place adv verb 。
    bad: who adv verb 在 place 。
""",
    """slots:
  a: pos:NR
  b: pos:NR
  c: pos:NR
  verb: pos:VV takes:*
  what: "phrase:Thing head:<mPos:verb mPro:class=takes>"
  right: pos:PN mPos:c mPro:gender
  wrong: pos:PN mmPos:c mmPro:gender
good: a 跟 b 说 c verb 了 what 给 right 自己 。
bad: a 跟 b 说 c verb 了 what 给 wrong 自己 。
""",
]


def write_synthetic(folder: Path, *, words: int, paradigms: int = 118, seed: int = 0) -> None:
    """Write the project into a folder."""
    rng = random.Random(seed)
    rows = _lexicon(rng, words)
    header = ["expression", "pos", "class", "gender", "classifier", "takes", "goes", "kind"]
    (folder / "relations").mkdir(parents=True)
    (folder / "project.yaml").write_text(
        "format: 1\nname: synthetic\nseams: [了了, 在在]\nrepeat: pos:M/DT/CD\n"
        "relations:\n  fills: relations/fills.tsv\n"
    )
    lines = ["\t".join(row.get(column, "") for column in header) for row in rows]
    (folder / "lexicon.tsv").write_text("\n".join(["\t".join(header), *lines]) + "\n")
    (folder / "phrases.yaml").write_text(PHRASES)
    things = [r["expression"] for r in rows if r["pos"] == "NN" and r["class"] not in ("person", "kin")]
    verbs = [r["expression"] for r in rows if r["pos"] == "VV"]
    fills = {(rng.choice(things), rng.choice(things), rng.choice(verbs)) for _ in range(800)}
    text = "\n".join("\t".join(row) for row in sorted(fills))
    (folder / "relations" / "fills.tsv").write_text(f"container\tcontent\tverb\n{text}\n")
    for number in range(paradigms):
        phenomenon = folder / "paradigms" / f"p{number % 15:02}"
        phenomenon.mkdir(parents=True, exist_ok=True)
        head = f"format: 1\nuid: u{number:03}\nphenomenon: p{number % 15:02}\nabout: {{en: made up, zh: 虚构}}\n"
        (phenomenon / f"u{number:03}.yaml").write_text(head + TEMPLATES[number % len(TEMPLATES)])


def _lexicon(rng: random.Random, words: int) -> list[dict[str, str]]:
    forms: set[str] = set()

    def form(length: int) -> str:
        while True:
            text = "".join(chr(rng.randrange(0x4E00, 0x9000)) for _ in range(length))
            if text not in forms:
                forms.add(text)
                return text

    def some(values: list[str], least: int, most: int) -> str:
        return "/".join(sorted(rng.sample(values, rng.randint(least, most))))

    # as in a real lexicon, words share their sets: some 80 sets of classifiers, 120 of what verbs take
    pools = {
        "classifier": [some(CLASSIFIERS, 1, 3) for _ in range(80)],
        "takes": [some(CLASSES, 1, 4) for _ in range(120)],
        "goes": [some(["person", *CLASSES], 2, 8) for _ in range(60)],
    }
    rows = [{"expression": form(1), "pos": "M", "classifier": m} for m in CLASSIFIERS]
    rows += [{"expression": form(1), "pos": "DT"} for _ in range(6)]
    rows += [{"expression": form(1), "pos": "CD"} for _ in range(8)]
    rows += [{"expression": form(1), "pos": "PN", "gender": g} for g in ("male", "female")]
    shares = {"NR": 0.08, "VV": 0.2, "AD": 0.05, "VA": 0.1, "NN": 0.57}
    for pos, share in shares.items():
        for _ in range(int(words * share)):
            row = {"expression": form(rng.choice((2, 2, 2, 3))), "pos": pos}
            if pos == "NR":
                row["gender"] = rng.choice(("male", "female"))
            elif pos == "VV":
                row |= {"takes": rng.choice(pools["takes"]), "kind": rng.choice("abcd")}
            elif pos == "AD":
                row["kind"] = some(list("abcd"), 1, 3)
            elif pos == "VA":
                row["goes"] = rng.choice(pools["goes"])
            else:
                kind = rng.choice([*CLASSES, "kin", *["person"] * 5])
                row |= {"class": kind, "classifier": rng.choice(pools["classifier"])}
            rows.append(row)
    return rows
