"""A small project, and what most tests of the store do to it."""

from collections.abc import Iterable
from pathlib import Path

from bidui.errors import Problem
from bidui.web.store.accounts import User, local_user
from bidui.web.store.files import NewDraft, NewRevision, save
from bidui.web.store.workspace import Entry, Store, entry

PARADIGM = "paradigms/anaphor/gender.yaml"
TEXTS = {
    "project.yaml": "format: 1\nname: small\nlang: zh\n",
    "lexicon.tsv": "expression\tpos\tgender\n张三\tNR\tmale\n李梅\tNR\tfemale\n他\tPN\tmale\n她\tPN\tfemale\n",
    PARADIGM: """format: 1
uid: gender
phenomenon: anaphor
slots:
  who: pos:NR
  right: pos:PN mPos:who mPro:gender
  wrong: pos:PN mmPos:who mmPro:gender
good: who 喜欢 right 自己
bad: who 喜欢 wrong 自己
""",
}


def write_small(folder: Path) -> Path:
    """The small project in a folder."""
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8", newline="\n")
    return folder


def anything(_: str) -> Iterable[Problem]:
    """A check that finds nothing."""
    return ()


def the_entry(store: Store) -> Entry:
    return entry(store, "small")


def saved(
    store: Store, text: str, *, base: int | None, file: str = PARADIGM, who: User | None = None, tab: str = ""
) -> NewRevision:
    """Save a text that is taken to be without fault."""
    done = save(the_entry(store), file, text, base=base, who=who or local_user(store), check=anything, tab=tab)
    assert isinstance(done, NewRevision), done
    return done


def kept(store: Store, text: str, *, base: int | None, problem: Problem, tab: str = "") -> NewDraft:
    """Save a text that has a problem."""
    who = local_user(store)
    done = save(the_entry(store), PARADIGM, text, base=base, who=who, check=lambda _: [problem], tab=tab)
    assert isinstance(done, NewDraft), done
    return done
