"""Each way to break a file gives one message, with its place, its value and a hint.

Every case is one edit of a project that works; `‸` in the new text marks the place that the message must name.
"""
# ruff: noqa: E501 - a case is one line of a table

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bidui.errors import InputError, Place, Problem
from bidui.grammar import check_project, load_project, read_project
from bidui.grammar.generate import generate_from

FILES = {
    "project.yaml": """\
format: 1
name: broken
lang: zh
relations:
  fills: fills.tsv
seams: [了了]
repeat: pos:M
""",
    "lexicon.tsv": """\
expression\tpos\tgender\tclass
小明\tNR\tmale
小红\tNR\tfemale
先生\tNN\tmale
他\tPN\tmale
她\tPN\tfemale
喜欢\tVV
讨厌\tVV
瓶子\tNN\t\tcontainer
杯子\tNN\t\tcontainer
酒\tNN\t\tdrink
位\tM
""",
    "fills.tsv": """\
box\tthing@class
瓶子\tdrink
杯子\tdrink
""",
    "phrases.yaml": """\
format: 1
phrases:
  Person:
    - pos:NR
    - parts:
        det: 这 那
        noun: pos:NN gender:*
      line: det 位 noun
      head: noun
""",
    "paradigms/binding/anaphor.yaml": """\
format: 1
uid: anaphor
phenomenon: binding
about: {en: A reflexive agrees in gender., zh: 反身代词与先行词的性别一致。}
source: made up
slots:
  who: phrase:Person
  likes: pos:VV
  right: pos:PN mPos:who.head mPro:gender
  wrong: pos:PN mmPos:who.head mmPro:gender
good: who likes right 自己 。
bad: who likes wrong 自己 。
edit: agreement
equal_length: true
example: {good: 小明喜欢他自己。, bad: 小明喜欢她自己。}
""",
    "paradigms/measure/fill.yaml": """\
format: 1
uid: fill
phenomenon: measure
slots:
  box: class:container
  thing: class:drink rel:fills(box, thing)
  of: 的
good: 一 box thing of 。
bad: 一 thing box of 。
edit: order
""",
}
SETTINGS, LEXICON, RELATION, PHRASES, ANAPHOR, FILL = FILES
LIKES = "likes: pos:VV"
RIGHT = "right: pos:PN mPos:who.head mPro:gender"
WRONG = "wrong: pos:PN mmPos:who.head mmPro:gender"
GOOD = "good: who likes right 自己 。"
NOUN = "noun: pos:NN gender:*"
HEAD = "      head: noun\n"
FILL_BODY = FILES[FILL].partition("phenomenon: measure\n")[2]


@dataclass(frozen=True)
class Broken:
    """An edit of one file, and the one error that must follow."""

    name: str
    file: str
    old: str  # "" is the whole file
    new: str
    kind: str
    says: tuple[str, ...]
    part: str = ""
    at: tuple[int, int] = (0, 0)  # line and column, where they are not marked

    def text(self) -> str:
        whole = FILES[self.file]
        assert not self.old or whole.count(self.old) == 1
        return whole.replace(self.old, self.new) if self.old else self.new

    def place(self) -> Place:
        line, column = self.at
        if "‸" in self.new:
            before = self.text().partition("‸")[0]
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return Place(self.file, line, column, self.part)


def slot(name: str, new: str, kind: str, *says: str) -> Broken:
    """The slot `likes` with another rule."""
    return Broken(name, ANAPHOR, LIKES, f"likes: {new}", kind, says, 'slot "likes"')


def anaphor(
    name: str, old: str, new: str, kind: str, *says: str, part: str = "", at: tuple[int, int] = (0, 0)
) -> Broken:
    return Broken(name, ANAPHOR, old, new, kind, says, part, at)


def fill(name: str, old: str, new: str, kind: str, *says: str, part: str = "", at: tuple[int, int] = (0, 0)) -> Broken:
    return Broken(name, FILL, old, new, kind, says, part, at)


def phrase(name: str, old: str, new: str, kind: str, *says: str, part: str = "") -> Broken:
    return Broken(name, PHRASES, old, new, kind, says, part)


def lexicon(name: str, old: str, new: str, kind: str, *says: str, part: str = "", line: int = 1) -> Broken:
    return Broken(name, LEXICON, old, new, kind, says, part, (line, 0))


def relation(name: str, old: str, new: str, kind: str, *says: str, part: str = "", line: int = 1) -> Broken:
    return Broken(name, RELATION, old, new, kind, says, part, (line, 0))


def setting(name: str, old: str, new: str, kind: str, *says: str) -> Broken:
    return Broken(name, SETTINGS, old, new, kind, says)


# fmt: off
YAML = [
    anaphor("a rule that begins with a bar", LIKES, "likes: ‸| pos:VV", "yaml-needs-quotes", "likes: '| pos:VV'"),
    anaphor("a rule that begins with !", LIKES, "likes: ‸!pos:VV", "yaml-needs-quotes", "'!pos:VV'"),
    anaphor("a rule that begins with *", LIKES, "likes: ‸*pos", "yaml-needs-quotes", "'*pos'"),
    anaphor("an alias in a list", "equal_length: true", "seams: [‸*a, b]", "yaml-needs-quotes", "text: *a;", "'*a'"),
    anaphor("a rule that begins with &", LIKES, "likes: ‸&x 自己", "yaml-needs-quotes", "'&x 自己'"),
    anaphor("a rule that begins with %", LIKES, "likes: ‸%x", "yaml-needs-quotes", "likes: '%x'"),
    anaphor("a rule that begins with a quote", LIKES, 'likes: ‸"喜欢" | pos:VV', "yaml-needs-quotes", "'\"喜欢\" | pos:VV'"),
    anaphor("quotes that hold a single one", LIKES, "likes: ‸\"it's\" x", "yaml-needs-quotes", "'\"it''s\" x'"),
    anaphor("a blank after the colon", LIKES, "likes: pos‸: VV", "yaml-colon-blank", "pos: VV", "likes: pos:VV"),
    anaphor("a colon in a text", "source: made up", "source: Huang‸: a book", "yaml-colon-blank", "source: 'Huang: a book'"),
    anaphor("a tab before a key", "  likes", "‸\tlikes", "yaml-broken", "tab", "indentation"),
    anaphor("one blank too many before a key", "  likes: ", "   likes‸: ", "yaml-broken", "indentation"),
    anaphor("two documents", "edit: agreement", "---\n‸edit: agreement", "yaml-several-documents", "`---`"),
    anaphor("a list for a file", "", "- a\n", "not-a-mapping", "key: value", at=(1, 0)),
    anaphor("an empty file", "", "", "not-a-mapping", "key: value", at=(1, 0)),
    anaphor("a list for a key", "source: ", "‸[a, b]: ", "key-not-a-word", "good: "),
    anaphor("a file nested without end", "made up", "[" * 20 + "‸[", "yaml-too-deep", "20", "indentation"),
]
KEYS = [
    anaphor("an unknown key", "source:", "‸sourse:", "key-unknown", "`sourse`", "did you mean source"),
    anaphor("a key twice", "source: made up", "‸uid: anaphor", "key-twice", "`uid`", "line 2"),
    anaphor("a slot twice", "likes:", "‸who:", "key-twice", "`who`", "line 7"),
    anaphor("no uid", "uid: anaphor\n", "", "key-missing", "`uid:`", at=(1, 1)),
    anaphor("no bad line", "bad: who likes wrong 自己 。\n", "", "key-missing", "`bad:`", at=(1, 1)),
    fill("no slots", FILL_BODY[: FILL_BODY.index("good")], "", "key-missing", "`slots:`", at=(1, 1)),
    anaphor("a format of the future", "format: 1", "format: ‸9", "format-unknown", "format 9", "`format: 1`"),
    anaphor("a uid without a value", "uid: anaphor", "uid:‸", "value-blank", "`uid`"),
    anaphor("a list for a uid", "uid: anaphor", "uid: ‸[a]", "not-a-text", "`uid`", "plain text"),
    anaphor("a uid that is a path", "uid: anaphor", "uid: ‸../x", "name-bad", "../x", "letters, digits"),
    anaphor("a list for texts", "made up", "‸[made, up]", "not-a-text", "`source`"),
    fill("slots that are a text", FILL_BODY[: FILL_BODY.index("good")], "slots: ‸box\n", "not-a-mapping", "slots"),
    anaphor("yes for true", "equal_length: true", "equal_length: ‸yes", "value-not-allowed", "yes", "true, false"),
    anaphor("an unknown status", "source: made up", "status: ‸gone", "value-not-allowed", "gone", "included, excluded"),
    anaphor("excluded, and no reason", "source: made up", "status: ‸excluded", "excluded-without-reason", "`reason:`"),
    anaphor("an unknown edit", "edit: agreement", "edit: ‸order + swap", "value-not-allowed", "swap", "substitution"),
    anaphor("a text for a list", "equal_length: true", "seams: ‸了了", "not-a-list", "`seams`", "`- `"),
    anaphor("an about without a text", "about: {en: A reflexive agrees in gender., zh: 反身代词与先行词的性别一致。}", "about:‸", "value-blank", "`about`"),
    anaphor("a mapping for a list", "equal_length: true", "seams: ‸{a: b}", "not-a-list", "`seams`", "`- `"),
]
RULES = [
    slot("a list for a rule", "‸[pos:VV, 自己]", "rule-not-a-text", "` | `"),
    Broken("a slot without a rule", ANAPHOR, LIKES, "likes:‸", "slot-without-rule", ("pos:NN", '`""`'), 'slot "likes"'),
    slot("an empty alternative", "pos:VV |‸ | 喜欢", "alternative-empty", '`""`'),
    slot("a bar at the end", "pos:VV |‸", "alternative-empty", "remove the `|`"),
    slot("a weight and nothing", "pos:VV |‸ 2*", "alternative-empty", "the weight"),
    slot("a weight of nought", "‸0* pos:VV | 喜欢", "weight-zero", "above 0"),
    slot("a weight below nought", "‸-1* pos:VV | 喜欢", "weight-bad", "-1", "`0.5`"),
    slot("a weight beyond measure", "‸9999999* 喜欢 | 讨厌", "weight-bad", "9999999"),
    slot("quotes that do not close", '喜欢 ‸"讨厌', "quote-open", '"讨厌'),
    slot("quotes inside a word", '喜‸"欢"', "quote-inside", '喜"', '`\\"`'),
    slot("a backslash before a letter", "pos:‸\\n", "escape-unknown", "\\n", "`\\\\`"),
    slot("a backslash at the end", "pos:VV‸\\", "escape-unknown", "\\"),
    slot("a bracket that does not close", "phrase:Person ‸head:<pos:NR", "bracket-open", "head:<pos:NR", "`>`"),
    slot("a bracket that was not opened", "pos:VV‸>", "bracket-stray", "`\\>`"),
    slot("brackets round a value", "pos:‸(VV)", "bracket-stray", "`\\(`"),
    slot("brackets round a word", "‸(喜欢)", "bracket-stray", "`\\(`"),
    slot("brackets three deep", "phrase:Person head:<a:(b:‸<c>)>", "bracket-too-deep", "two are allowed"),
    slot("nothing among words", '喜欢 ‸""', "empty-among-words", '`自己 | ""`'),
    slot("a time of day", "13:30 ‸出发", "words-among-features", "出发", '`"13:30"`'),
    slot("a feature without a value", "pos:VV ‸gender", "words-among-features", "gender", "`feature:value`"),
    slot("a blank in a quoted feature", "'‸pos: VV'", "value-missing", "`pos`", "without blanks"),
    slot("a value missing after a slash", "‸pos:VV/", "value-missing", "`pos`"),
    slot("two colons", "‸pos:VV:x", "colon-twice", "pos:VV:x", "`\\:`"),
    slot("a phrase after features", "pos:VV ‸phrase:Person", "phrase-not-first", "`phrase:`", "in angle brackets"),
    anaphor("a match without a property", RIGHT, "right: pos:PN ‸mPos:who.head", "link-half", "`mPos`", "`mPro`", part='slot "right"'),
    anaphor("a match without a position", RIGHT, "right: pos:PN ‸mPro:gender", "link-half", "`mPro`", "`mPos`", part='slot "right"'),
    anaphor("half a match and half a mismatch", "mmPos:who.head mmPro", "‸mmPos:who.head mPro", "link-half", "`mmPos`", "`mmPro`", part='slot "wrong"'),
    anaphor("a property without its other half", " mPro:gender", " ‸mPro:gender=", "property-form", '"gender="', "`takes=class`", part='slot "right"'),
    anaphor("a mismatch that shares", "mmPro:gender", "‸mmPro:gender#1", "share-mismatch", "gender#1", "remove the `#`", part='slot "wrong"'),
    anaphor("a slot with two dots", " mPos:who.head", " ‸mPos:who..head", "slot-form", '"who..head"', "`subj.head`", part='slot "right"'),
    anaphor("a feature beside a phrase", "phrase:Person", "phrase:Person ‸pos:NN", "override-form", "pos:NN", "`part:<…>`", part='slot "who"'),
    anaphor("a word added to a phrase", "phrase:Person", "phrase:Person head:<‸先生>", "override-form", "<先生>", part='slot "who"'),
    fill("a relation in square brackets", "rel:fills(box, thing)", "‸rel:fills[box]", "relation-form", "rel:fills[box]", "`rel:fills(box, thing, verb)`", part='slot "thing"'),
]
LINES = [
    anaphor("a word in Latin letters", GOOD, "good: who likes ‸the right 自己 。", "line-unknown", '`"the"`', "who, likes", part="good line"),
    anaphor("a slot misspelt", GOOD, "good: who ‸like right 自己 。", "line-unknown", "no slot is called like ", "did you mean likes?", part="good line"),
    anaphor("an empty line", GOOD, "good: '‸'", "line-empty", "separated by blanks", part="good line"),
    anaphor("quotes open in a line", GOOD, 'good: who likes right ‸"自己 。', "quote-open", '"自己 。', part="good line"),
    anaphor("a backslash ends a line", GOOD, "good: who likes right 自己 ‸\\", "escape-unknown", "\\", part="good line"),
    anaphor("a slot that nothing uses", LIKES, f"{LIKES}\n  again: ‸pos:VV", "slot-unused", "again", "remove it", part='slot "again"'),
    anaphor("two equal lines", "bad: who likes wrong", "bad: ‸who likes right", "sides-equal", "contrast"),
    fill("no slot at all", FILL_BODY, "slots: ‸{}\ngood: ''\nbad: ''\n", "slots-none", "`who: pos:NR`"),
    fill("a slot with a sign in its name", FILL_BODY, "slots:\n  ‸a+b: 的\ngood: a+b 了\nbad: 了 a+b\n", "slot-name", '"a+b"', "digits"),
    fill("a number for a slot", FILL_BODY, "slots:\n  ‸3: 的\ngood: 3 了\nbad: 了 3\n", "slot-name", '"3"', "not digits only"),
]
VARIANTS = "slots: {a: 甲, b: 乙}\nvariants:\n"
GROUPS = [
    anaphor("a group of one", "equal_length: true", "repeat: ‸[who]", "group-form", "`repeat: [a, b]`"),
    anaphor("an unknown slot in a group", "equal_length: true", "repeat: ‸[who, like]", "slot-unknown", "like;", "likes"),
    fill("alternatives of unequal number", FILL_BODY, "slots: {a: 甲 | 乙, b: 丙}\ngood: a b\nbad: b a\nlink: [a, b]", "linked-unequal", "a: 2, b: 1", at=(1, 1)),
    fill("variants that are a text", FILL_BODY, "variants: ‸two\n", "not-a-list", "`variants`"),
    fill("no variants", FILL_BODY, "variants: ‸[]\n", "not-a-list", "`variants`"),
    fill("a variant that is a text", FILL_BODY, "variants: [‸two]\n", "not-a-mapping", "variant 1"),
    fill("an unknown key in a variant", FILL_BODY, VARIANTS + "- {good: a b, bad: b a, ‸wieght: 2}", "key-unknown", "`wieght`", "weight", part="variant 1"),
    fill("a weight that would fill the memory", FILL_BODY, VARIANTS + "- {good: a b, bad: b a, weight: ‸1e999999999}", "weight-bad", "1e999999999", "`0.5`", part="variant 1"),
    fill("two variants of one name", FILL_BODY, VARIANTS + "- {name: x, good: a b, bad: b a}\n- ‸{name: x, good: a b 了, bad: b a 了}", "variant-twice", "called x", "`name`", part='variant "x"'),
    fill("a slot that no variant uses", FILL_BODY, "slots: {a: 甲, b: 乙, c: ‸丙}\nvariants:\n- {good: a b, bad: b a}", "slot-unused", "c has a rule", part='slot "c"'),
    fill("crossed without a substitution", "edit: order", "crossed: true", "crossed-form", "Only in good: none", "remove `crossed: true`", at=(1, 1)),
    fill("crossed features and words", FILL_BODY, "slots:\n  a: ‸甲\n  b: pos:PN\ngood: a 了\nbad: b 了\ncrossed: true\n", "crossed-form", "Only in good: a; only in bad: b", part='slot "a"'),
]
LINKS = [
    anaphor("an unknown phrase", "phrase:Person", "‸phrase:Preson", "phrase-unknown", "Preson", "did you mean Person", part='slot "who"'),
    anaphor("a part that a phrase lacks", " mPos:who.head", " ‸mPos:who.nuon", "part-unknown", "no part nuon", "every alternative", part='slot "right"'),
    anaphor("a part that one alternative lacks", GOOD, "good: ‸who.det likes right 自己 。", "part-unknown", "no part det", part="good line"),
    anaphor("a condition on an unknown part", "phrase:Person", "phrase:Person nuon:<‸pos:NN>", "part-unknown", "no part nuon", part='slot "who"'),
    anaphor("a link to a phrase", " mPos:who.head", " ‸mPos:who", "link-to-phrase", "Person", "`who.head`", part='slot "right"'),
    anaphor("a link to itself", " mPos:who.head", " ‸mPos:right", "link-to-self", "right", "another slot", part='slot "right"'),
    anaphor("a link to an unknown slot", " mPos:who.head", " ‸mPos:whom.head", "slot-unknown", "whom", "did you mean who", part='slot "right"'),
    fill("a link to what may be empty", "thing: class:drink rel:fills(box, thing)\n  of: 的", "thing: class:drink ‸mPos:of mPro:class\n  of: 的 | \"\"", "link-to-empty", "of can be empty", '`""`', part='slot "thing"'),
    anaphor("a position that holds a literal", " mPos:who.head", " ‸mPos:3", "position-bad", "position 3", "自己", part='slot "right"'),
    anaphor("a position past the end", " mPos:who.head", " ‸mPos:9", "position-bad", "position 9", "5 items", part='slot "right"'),
    fill("a match with a word not in the lexicon", FILL_BODY, "slots:\n  a: pos:PN mPos:b mPro:gender\n  b: ‸自己\ngood: a b\nbad: b a\n", "literal-not-in-lexicon", "自己", "gender", "add a row", part='slot "b"'),
    anaphor("an unknown feature", "likes: pos:VV", "likes: ‸pso:VV", "feature-unknown", "`pso`", "did you mean pos", part='slot "likes"'),
    anaphor("an unknown feature to match", RIGHT, "right: pos:PN ‸mPos:who.head mPro:gendre", "feature-unknown", "`gendre`", "gender", part='slot "right"'),
    anaphor("an unknown value", RIGHT, f"{RIGHT} ‸gender:mael", "value-unknown", "gender:mael", "did you mean male", "pos:PN: 2", part='slot "right"'),
    anaphor("no word with both features", LIKES, "likes: ‸pos:VV gender:male", "no-word-fits", "pos:VV gender:male", "pos:VV: 2, gender:male: 3", part='slot "likes"'),
    anaphor("a column of a whole phrase", GOOD, "good: ‸who@gender likes right 自己 。", "column-of-phrase", "who@gender", "`np.head@column`", part="good line"),
    anaphor("an unknown column to print", GOOD, "good: who ‸likes@gendre right 自己 。", "feature-unknown", "`gendre`", "gender", part="good line"),
    fill("an unknown relation", "rel:fills", "‸rel:filled", "relation-unknown", "filled", "available: fills", part='slot "thing"'),
    fill("a relation with too many slots", "rel:fills(box, thing)", "‸rel:fills(box, thing, of)", "relation-arity", "3 slots", "box, thing@class", part='slot "thing"'),
    fill("a relation between unknown slots", "rel:fills(box", "‸rel:fills(bax", "slot-unknown", "bax", "did you mean box", part='slot "thing"'),
    fill("a relation in another slot's rule", "of: 的", "of: class:drink ‸rel:fills(box, thing)", "relation-elsewhere", "rel:fills(box, thing)", part='slot "of"'),
]
SECOND = 'phrase "Person" alternative 2'
TAIL = f"{NOUN}\n      line: det 位 noun\n{HEAD}"
INNER = f"noun: phrase:A\n      line: det 位 noun\n{HEAD}"
DEEP = "    - pos:NR\n"
IN_PHRASES = [
    phrase("a depth in words", DEEP, "    depth: ‸many\n    alternatives:\n    - pos:NR\n", "depth-bad", "many", "0 to 12", part='phrase "Person"'),
    phrase("a depth past the limit", DEEP, "    depth: ‸99\n    alternatives:\n    - pos:NR\n", "depth-bad", "99", "0 to 12", part='phrase "Person"'),
    phrase("an unknown head", "head: noun", "head: ‸nuon", "slot-unknown", "nuon", "did you mean noun", part=SECOND),
    phrase("a head that is asked for and missing", f"- parts:\n        det: 这 那\n        {NOUN}\n      line: det 位 noun\n{HEAD}", f"- ‸parts:\n        det: 这 那\n        {NOUN}\n      line: det 位 noun\n", "head-missing", "Person", "`head:`", part=SECOND),
    phrase("a part that nothing uses", "det: 这 那\n", "det: 这 那\n        of: ‸的\n", "slot-unused", "of has a rule", part=f'{SECOND} part "of"'),
    phrase("a weight in words", HEAD, f"{HEAD}      weight: ‸lots\n", "weight-bad", "lots", "`0.5`", part=SECOND),
    phrase("an unknown key in a phrase", "head: noun", "‸haed: noun", "key-unknown", "`haed`", "head", part=SECOND),
    phrase("a part called head", HEAD, f"{HEAD}    - parts: {{‸head: 的}}\n", "slot-name", "not `head`", part='phrase "Person" alternative 3'),
    phrase("an unknown word in a phrase's line", "line: det 位", "line: det ‸wei", "line-unknown", '`"wei"`', part=SECOND),
    phrase("a broken rule in a phrase", NOUN, "noun: pos:NN |‸", "alternative-empty", '`""`', part=f'{SECOND} part "noun"'),
    phrase("a list for an alternative", "- pos:NR", "- ‸[pos:NR]", "not-a-mapping", "an alternative", part='phrase "Person" alternative 1'),
    phrase("an alternative without parts", HEAD, f"{HEAD}    - ‸head: x\n", "key-missing", "`parts:`", part='phrase "Person" alternative 3'),
    phrase("a phrase without alternatives", HEAD, f"{HEAD}  NP:\n    ‸depth: 2\n", "key-missing", "`alternatives:`", part='phrase "NP"'),
    phrase("phrases under another key", "phrases:", "‸phrase:", "key-unknown", "`phrase`", "phrases"),
    phrase("a phrase inside itself", TAIL, INNER + "  A:\n    ‸- parts: {x: phrase:B}\n  B: [phrase:A]\n", "phrase-cycle", "A > B > A", "`depth: 1`", part='phrase "A"'),
    phrase("a phrase that never ends", TAIL, INNER + "  A: [phrase:B]\n  B:\n    ‸depth: 2\n    alternatives: [{parts: {y: phrase:B}}]\n", "phrase-endless", "the phrase B contains B again", part='phrase "B"'),
    phrase("conditions on literal words", TAIL, INNER.replace("phrase:A", "phrase:A head:<‸pos:NN>") + "  A: [的 地]\n", "override-on-words", "的 地", "`expression:自己/本人`", part=f'{SECOND} part "noun"'),
]
TABLES = [
    lexicon("no column of words", "expression", "word", "lexicon-no-expression", "word, pos", "`expression`"),
    lexicon("blanks for tabs", "expression\tpos\tgender\tclass", "expression pos gender class", "lexicon-no-expression", "tabs"),
    lexicon("a row twice", "位\tM\n", "位\tM\n小红\tNR\tfemale\n", "lexicon-duplicate", "小红", "line 3", line=13),
    lexicon("a blank after a value", "讨厌\tVV", "讨厌\tVV ", "lexicon-whitespace", "'VV '", part='column "pos"', line=8),
    lexicon("a blank before a word", "讨厌\tVV", " 讨厌\tVV", "lexicon-whitespace", "' 讨厌'", part='column "expression"', line=8),
    lexicon("a slash and no value", "先生\tNN\tmale", "先生\tNN\tmale/", "lexicon-whitespace", "'male/'", "`/`", part='column "gender"', line=4),
    lexicon("a cell too many", "讨厌\tVV", "讨厌\tVV\t\t\tx", "lexicon-too-many-cells", "5 cells", "extra cells: x", line=8),
    lexicon("a row without a word", "讨厌\tVV", "\tVV", "lexicon-empty-expression", "remove the row", part='column "expression"', line=8),
    lexicon("a column twice", "gender\tclass", "gender\tclass\tgender", "lexicon-column-twice", '"gender"', part="column 5"),
    lexicon("a keyword for a column", "gender\tclass", "gender\tclass\tphrase", "lexicon-column-keyword", "`phrase`", part="column 5"),
    lexicon("a colon in a column's name", "gender\tclass", "gender\tclass\ta:b", "lexicon-column-name", '"a:b"', part="column 5"),
    lexicon("a column without a name", "gender\tclass", "gender\tclass\t", "lexicon-column-name", '""', part="column 5"),
    relation("a row too short", "瓶子\tdrink", "瓶子", "relation-cells", "1 cell,", "has 2", line=2),
    relation("a blank in a relation", "瓶子\tdrink", "瓶子/\tdrink", "relation-blank", "瓶子/", line=2),
    relation("a row of a relation twice", "杯子", "瓶子", "relation-duplicate", "line 2", line=3),
    relation("a column of a relation twice", "thing@class", "box", "relation-column", '"box"', part="column 2"),
    relation("a relation on an unknown feature", "@class", "@clas", "feature-unknown", "`clas`", "class", part='column "thing@clas"'),
    setting("a relation outside of the project", "fills.tsv", "‸../fills.tsv", "path-outside", "../fills.tsv"),
    setting("a relation in a hidden folder", "fills.tsv", "‸.git/config", "table-name", ".git/config", "`.tsv`"),
    setting("a relation in a hidden table", "fills.tsv", "‸.git/a.tsv", "table-name", ".git/a.tsv"),
    setting("a relation without a file", "fills.tsv", "nothing.tsv", "file-unreadable", "No such file"),
    setting("no language tag", "lang: zh", "lang: ‸French", "lang-tag", "not French"),
    setting("words for repeat", "repeat: pos:M", "repeat: ‸pos:M | 位", "repeat-form", "pos:M | 位", "`repeat: pos:M/CD`"),
    setting("a value for repeat that no word has", "repeat: pos:M", "repeat: ‸pos:Q", "value-unknown", "pos:Q"),
    setting("an unknown feature for repeat", "repeat: pos:M", "repeat: pos:M ‸gendre:male", "feature-unknown", "`gendre`", "gender"),
    setting("features for repeat that no word has together", "repeat: pos:M", "repeat: ‸pos:M gender:male", "no-word-fits", "pos:M gender:male", "pos:M: 1"),
    setting("seams that are a text", "seams: [了了]", "seams: ‸了了", "not-a-list", "`seams`", "`- `"),
    setting("a list for what the project is about", "name: broken", "name: broken\nabout: ‸[a]", "not-a-mapping", "about"),
    setting("a list for a licence", "name: broken", "name: broken\nlicence: ‸[a]", "not-a-text", "`licence`"),
    phrase("a phrase that is an empty list", FILES[PHRASES].partition("Person:")[2], " ‸[]\n", "phrase-empty", "Person", "`- pos:NN`", part='phrase "Person"'),
    phrase("a depth without alternatives", FILES[PHRASES].partition("Person:")[2], "\n    depth: 1\n    alternatives: ‸[]\n", "phrase-empty", "Person", part='phrase "Person"'),
    phrase("an alternative with an empty list of parts", FILES[PHRASES].partition("parts:")[2], " ‸{}\n", "parts-none", "`parts: {noun: pos:NN}`", part='phrase "Person" alternative 2'),
    fill("one slot as a group", "edit: order", "edit: order\nlink: ‸[of, of]", "group-form", "`link`", "at least two"),
    fill("a group with a slot of another variant", FILL_BODY, "slots: {a: 甲, b: 乙, c: 丙}\nvariants:\n- {good: a b, bad: b a, link: ‸[a, c]}\n- {good: a c, bad: c a}\n", "group-slot-unused", "`link`", "slot c", part="variant 1"),
    fill("a word without the column that is printed", FILL_BODY, "slots:\n  a: pos:NR\n  b: ‸位\ngood: a b@gender\nbad: b@gender a\n", "literal-without-column", "位", "gender", part='slot "b"'),
    fill("a column of a word not in the lexicon", FILL_BODY, "slots:\n  a: pos:NR\n  b: ‸自己\ngood: a b@gender\nbad: b@gender a\n", "literal-not-in-lexicon", "自己", "gender", part='slot "b"'),
    setting("relations that are a text", "\n  fills: fills.tsv", " ‸fills.tsv", "not-a-mapping", "relations"),
]
# fmt: on
CASES = [*YAML, *KEYS, *RULES, *LINES, *GROUPS, *LINKS, *IN_PHRASES, *TABLES]


def errors_of(folder: Path, changes: Mapping[str, str | bytes | None]) -> list[Problem]:
    """The errors of the project in `folder` with some files changed, or (None) left out."""
    write(folder, changes)
    return [problem for problem in check_project(read_project(folder)) if problem.severity == "error"]


def write(folder: Path, changes: Mapping[str, str | bytes | None]) -> None:
    for name, text in {**FILES, **changes}.items():
        if text is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def test_the_project_works_before_it_is_broken(tmp_path: Path) -> None:
    assert errors_of(tmp_path, {}) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_one_mistake_gives_one_message_with_place_value_and_hint(tmp_path: Path, case: Broken) -> None:
    (problem,) = errors_of(tmp_path, {case.file: case.text().replace("‸", "")})
    assert problem.kind == case.kind
    place = case.place()
    if case.name == "a relation without a file":  # the file that is missing is the one to be named
        place = Place("nothing.tsv")
    assert problem.place == place
    for words in case.says:
        assert words in problem.text()
    assert problem.text("zh") != problem.text("en")


def test_there_are_enough_of_them_and_each_is_another() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 100
    assert len({case.kind for case in CASES}) >= 70


@pytest.mark.parametrize(
    ("file", "data", "kind", "line", "says"),
    [
        (ANAPHOR, FILES[ANAPHOR].replace("made up", "Bücher").encode("latin-1", "replace"), "not-utf8", 5, "0xfc"),
        (LEXICON, FILES[LEXICON].encode("gb18030"), "not-utf8", 2, "0xc3"),  # 小, d0 a1, could be UTF-8; 明, c3 f7, not
        (ANAPHOR, FILES[ANAPHOR].encode("utf-16"), "not-utf8", 1, "0xff"),
        (ANAPHOR, bytes(range(128, 256)), "not-utf8", 1, "0x80"),
        (PHRASES, b"PK\x03\x04\x14\x00\x06\x00", "control-character", 1, "U+0003"),
        (ANAPHOR, FILES[ANAPHOR].replace("made up", "a\0b").encode(), "control-character", 5, "U+0000"),
        (LEXICON, FILES[LEXICON].replace("酒", "\x1b酒").encode(), "control-character", 11, "U+001B"),
    ],
    ids=["latin-1", "gb18030", "utf-16", "bytes", "zip", "null", "escape"],
)
def test_bytes_that_are_no_text(tmp_path: Path, file: str, data: bytes, kind: str, line: int, says: str) -> None:
    (problem,) = errors_of(tmp_path, {file: data})
    assert (problem.kind, problem.place) == (kind, Place(file, line))
    assert says in problem.text()


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("saved", ["with a BOM", "with CRLF", "with both"])
def test_how_windows_saves_a_file_is_no_mistake(tmp_path: Path, file: str, saved: str) -> None:
    text = FILES[file].replace("\n", "\r\n") if saved != "with a BOM" else FILES[file]
    assert errors_of(tmp_path, {file: text.encode("utf-8" if saved == "with CRLF" else "utf-8-sig")}) == []
    assert len(read_project(tmp_path).lexicon.features) == 3


@pytest.mark.parametrize("file", [LEXICON, RELATION])
def test_a_file_that_is_missing_is_named_and_nothing_else_is_said(tmp_path: Path, file: str) -> None:
    (problem,) = errors_of(tmp_path, {file: None})
    assert (problem.kind, problem.place) == ("file-unreadable", Place(file))
    assert "No such file or directory; check that the file exists" in problem.text()


def test_a_project_may_do_without_phrases_until_it_asks_for_one(tmp_path: Path) -> None:
    (problem,) = errors_of(tmp_path, {PHRASES: None})
    assert (problem.kind, problem.place) == ("phrase-unknown", Place(ANAPHOR, 7, 8, 'slot "who"'))


def test_a_project_without_paradigms_is_a_mistake_for_checking_and_generating(tmp_path: Path) -> None:
    """It passed with "0 errors", and "0 pairs in 0 paradigms" were generated with exit code 0."""
    (problem,) = errors_of(tmp_path, {ANAPHOR: None, FILL: None})
    assert (problem.kind, problem.place) == ("paradigms-none", Place("paradigms"))
    assert "`paradigms/<phenomenon>/<uid>.yaml`" in problem.text()
    with pytest.raises(InputError, match="the project has no paradigms"):
        generate_from(load_project(tmp_path))


def test_a_project_whose_paradigms_are_all_excluded_generates_nothing_without_a_word_no_more(tmp_path: Path) -> None:
    excluded = {name: FILES[name] + "status: excluded\nreason: a test\n" for name in (ANAPHOR, FILL)}
    assert errors_of(tmp_path, excluded) == []
    with pytest.raises(InputError, match=r"all paradigms are excluded: anaphor, fill; .*--include-excluded"):
        generate_from(load_project(tmp_path))
    assert len(generate_from(load_project(tmp_path), include_excluded=True, n=1)) == 2


def test_broken_paradigms_are_not_missing_ones(tmp_path: Path) -> None:
    kinds = [problem.kind for problem in errors_of(tmp_path, {ANAPHOR: None, FILL: "format: 1\nuid: fill\n"})]
    assert kinds == ["key-missing", "key-missing"]


def test_a_value_of_repeat_that_no_word_has_also_stops_generation(tmp_path: Path) -> None:
    """Words that should have been allowed twice would be distinct, without a word."""
    write(tmp_path, {SETTINGS: FILES[SETTINGS].replace("repeat: pos:M", "repeat: pos:CD")})
    with pytest.raises(InputError, match=r"project\.yaml:7:9: no word has pos:CD"):
        load_project(tmp_path)


def test_a_relation_that_is_in_two_files_is_refused(tmp_path: Path) -> None:
    """The one in the folder was ignored."""
    (problem,) = errors_of(tmp_path, {"relations/fills.tsv": FILES[RELATION]})
    assert (problem.kind, problem.place.file) == ("relation-twice", SETTINGS)
    assert "relations/fills.tsv" in problem.text()


@pytest.mark.parametrize("name", ["relations/more.csv", "relations/more.TSV", "relations/more.xlsx"])
def test_a_table_in_another_format_is_not_ignored_without_a_word(tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: "a,b\n"})
    (problem,) = [problem for problem in read_project(tmp_path).problems if problem.place.file == name]
    assert (problem.kind, problem.severity) == ("table-ignored", "warning")
    assert "more.tsv" in problem.text()


@pytest.mark.parametrize("file", [SETTINGS, FILL])
def test_a_seam_of_one_character_is_warned_about(tmp_path: Path, file: str) -> None:
    """It can never arise where two items meet; `的` for `的的` would let everything pass."""
    write(tmp_path, {file: FILES[file].replace("seams: [了了]\n", "") + "seams: [的]\n"})
    (problem,) = [problem for problem in check_project(read_project(tmp_path)) if problem.kind == "seam-short"]
    assert (problem.severity, problem.place.file) == ("warning", file)


@pytest.mark.parametrize("name", ["nowhere", "empty", "file"])
def test_a_place_without_a_project_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("format: 1\n")
    with pytest.raises(InputError) as caught:
        read_project(tmp_path / name)
    (problem,) = caught.value.problems
    assert (problem.kind, problem.place) == ("no-project", Place(str(tmp_path / name)))
    assert "`project.yaml`" in problem.text()


@pytest.mark.parametrize(
    "name",
    [
        "paradigms/binding/anaphora.yaml",
        "paradigms/bind/anaphor.yaml",
        "paradigms/anaphor.yaml",
        "paradigms/binding/anaphor.yml",
        "paradigms/binding/old/anaphor.yaml",
    ],
)
def test_a_misplaced_file_is_told_where_to_go(tmp_path: Path, name: str) -> None:
    """One that is looked for elsewhere would be left out without a word."""
    (problem,) = errors_of(tmp_path, {ANAPHOR: None, name: FILES[ANAPHOR]})
    assert (problem.kind, problem.place) == ("file-misplaced", Place(name))
    assert f"move it to {ANAPHOR}" in problem.text()


@pytest.mark.parametrize("uid", ["fill", "Fill"])
def test_two_paradigms_of_one_uid_are_refused(tmp_path: Path, uid: str) -> None:
    """Their pairs would go to one file; upper and lower case are one name on some systems."""
    name = f"paradigms/other/{uid}.yaml"
    text = FILES[FILL].replace("uid: fill", f"uid: {uid}").replace("measure", "other")
    (problem,) = errors_of(tmp_path, {name: text})
    assert (problem.kind, problem.place) == ("paradigm-twice", Place(name))
    assert f"the uid {uid} is already used by {FILL}" in problem.text()


def test_mistakes_in_several_files_come_out_together(tmp_path: Path) -> None:
    """And several in one file: nobody wants to mend one to hear of the next."""
    changes = {
        SETTINGS: FILES[SETTINGS].replace("lang: zh", "lang: French"),
        LEXICON: FILES[LEXICON].replace("讨厌\tVV", "讨厌\tVV ") + "位\tM\n",
        RELATION: FILES[RELATION].replace("杯子", "瓶子"),
        PHRASES: FILES[PHRASES].replace("head: noun", "head: nuon"),
        ANAPHOR: FILES[ANAPHOR].replace("pos:VV", "pos:VV |").replace("likes right", "likes the right"),
        FILL: FILES[FILL].replace("class:container", "class:containr"),
    }
    found = [(problem.kind, problem.place.file, problem.place.line) for problem in errors_of(tmp_path, changes)]
    assert found == [
        ("lang-tag", SETTINGS, 3),
        ("lexicon-whitespace", LEXICON, 8),
        ("lexicon-duplicate", LEXICON, 13),
        ("slot-unknown", PHRASES, 9),
        ("relation-duplicate", RELATION, 3),
        ("alternative-empty", ANAPHOR, 8),
        ("line-unknown", ANAPHOR, 11),
        ("value-unknown", FILL, 5),
    ]


def test_a_broken_rule_hides_neither_lines_nor_groups(tmp_path: Path) -> None:
    """A slot whose rule is broken is declared all the same."""
    text = FILES[FILL].replace("of: 的", "of: 的 |").replace("edit: order", "repeat: [of, box]\nlink: [of, thing]")
    (problem,) = errors_of(tmp_path, {FILL: text})
    assert (problem.kind, problem.place.part) == ("alternative-empty", 'slot "of"')


def test_the_same_holds_for_a_slot_that_variants_share(tmp_path: Path) -> None:
    body = (
        "slots: {a: 甲 |, b: 乙}\nvariants:\n- {good: a b, bad: b a, repeat: [a, b]}\n- {good: a b 了, bad: b a 了}\n"
    )
    text = FILES[FILL].replace(FILL_BODY, body)
    (problem,) = errors_of(tmp_path, {FILL: text})
    assert (problem.kind, problem.place.part) == ("alternative-empty", 'slot "a"')


def test_a_file_without_a_format_is_warned_about_and_read(tmp_path: Path) -> None:
    write(tmp_path, {FILL: FILES[FILL].replace("format: 1\n", "")})
    project = read_project(tmp_path)
    assert [(p.kind, p.severity, p.place.file) for p in project.problems] == [("format-missing", "warning", FILL)]
    assert {paradigm.uid for paradigm in project.paradigms} == {"anaphor", "fill"}


def test_loading_raises_with_every_error_and_prints_one_a_line(tmp_path: Path) -> None:
    write(tmp_path, {ANAPHOR: FILES[ANAPHOR].replace("pos:VV", "pos:VV |"), LEXICON: FILES[LEXICON] + "位\tM\n"})
    with pytest.raises(InputError) as caught:
        load_project(tmp_path)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("lexicon.tsv:13: 位 is identical to line 12")
    assert lines[1].startswith('paradigms/binding/anaphor.yaml:8:18 slot "likes": an alternative is empty')
    assert len(lines) == 2


def test_where_there_is_nothing_to_guess_no_guess_is_made() -> None:
    """`did you mean` with nothing after it looks like a fault of the message."""
    problem = Problem("phrase-unknown", values={"phrase": "NP", "near": []})
    assert problem.text("en") == "there is no phrase NP"
    assert problem.text("zh") == "没有短语 NP"


def test_long_values_are_cut() -> None:
    problem = Problem("phrase-unknown", values={"phrase": "x" * 10_000, "near": ["y" * 10_000] * 50})
    assert "(10000 characters)" in problem.text() and "(+38)" in problem.text()
    assert len(problem.text()) < 4_000
