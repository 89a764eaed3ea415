"""A small project that the tests of editing work on: eighteen words, one phrase, one relation, two paradigms."""

from pathlib import Path

from bidui.grammar.project import read_project, write_texts
from bidui.web.editing.preview import OpenProject, open_project

LEXICON = """\
expression\tpos\tkind\tgender\tclassifier\tclass\ttakes
王先生\tNR\t\tmale
李太太\tNR\t\tfemale
张老师\tNR\t\tmale/female
小林\tNR
妈妈\tNN\tkin\tfemale
爸爸\tNN\tkin\tmale
他\tPN\t\tmale
她\tPN\t\tfemale
书\tNN\tthing\t\t本\tread
词典\tNN\tthing\t\t本\tread
红酒\tNN\tthing\t\t瓶/杯\tdrink
咖啡\tNN\tthing\t\t杯\tdrink
本\tM
瓶\tM
杯\tM
条\tM
看\tVV\t\t\t\t\tread
喝\tVV\t\t\t\t\tdrink
"""
PHRASES = """\
format: 1
phrases:
  Person:  # somebody
    - 2* pos:NR gender:*
    - parts:
        whose: 我 你
        kin: pos:NN kind:kin
      head: kin
"""
GENDER = """\
# a comment at the top
format: 1
uid: gender
phenomenon: anaphor
about:
  en: 他自己 and 她自己 agree in gender with the subject.
  zh: “他自己”与主语的性别一致。
edit: agreement
slots:   # three of them
  who: pos:NR

  # the pronouns
  right: pos:PN mPos:who mPro:gender
  wrong: 'pos:PN mmPos:who mmPro:gender'
good: who 总是责怪 right 自己 。
bad: who 总是责怪 wrong 自己 。
"""
CLASSIFIER = """\
format: 1
uid: classifier
phenomenon: classifier
edit: agreement
slots: {thing: "pos:NN kind:thing", verb: "pos:VV rel:acts(verb, thing)"}
variants:
  - name: plain
    slots:
      right: pos:M mPos:thing mPro:expression=classifier
      wrong: pos:M mmPos:thing mmPro:expression=classifier
    good: 他 verb 了一 right thing 。
    bad: 他 verb 了一 wrong thing 。
  - name: of somebody
    weight: 2
    slots:
      who: phrase:Person
      right: pos:M mPos:thing mPro:expression=classifier
      wrong: pos:M mmPos:thing mmPro:expression=classifier
    good: who verb 了一 right thing 。
    bad: who verb 了一 wrong thing 。
"""
FILES = {
    "project.yaml": "format: 1\nname: small\nlang: zh\n",
    "lexicon.tsv": LEXICON,
    "phrases.yaml": PHRASES,
    "relations/acts.tsv": "verb\tthing@class\n看\tread\n喝\tdrink\n",
    "paradigms/anaphor/gender.yaml": GENDER,
    "paradigms/classifier/classifier.yaml": CLASSIFIER,
}


def open_small(folder: Path) -> OpenProject:
    """The project, written to a folder and opened."""
    write_texts(folder / "small", FILES)
    project = read_project(folder / "small")
    assert project.problems == ()
    return open_project(project)
