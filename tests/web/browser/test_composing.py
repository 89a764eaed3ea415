"""Chinese typed through an input method, in a rule and in the lexicon's grid."""

import pytest
from playwright.sync_api import Page, expect

from . import hands
from .running import Running

FILE = "paradigms/anaphor/likes.yaml"
TEXT = """format: 1
uid: likes
phenomenon: anaphor
slots:
  who: pos:NR
  verb: 喜欢
  right: pos:PN mPos:who mPro:gender
  wrong: pos:PN mmPos:who mmPro:gender
good: who verb right 自己
bad: who verb wrong 自己
"""


@pytest.fixture
def likes(workbench: Running) -> Running:
    """The project has a paradigm with a slot of words as they are."""
    workbench.write(FILE, TEXT)
    return workbench


def test_a_word_is_composed_into_a_rule(page: Page, likes: Running) -> None:
    """A preview of half a syllable would show nonsense, and redrawing under an input method breaks it."""
    hands.open_paradigm(page, likes, FILE)
    verb = hands.rule(page, "verb")
    verb.click()
    hands.keys(page, "End", " ")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/preview") else None)
    hands.begin_composing(page, ["p", "pi", "pi'p", "pi'ping"])
    page.wait_for_timeout(400)  # longer than any pause after which a preview is asked for
    assert asked == []
    assert "批评" not in likes.read(FILE)
    hands.compose(page, ["pi'ping"], "批评")
    expect(verb).to_have_text("喜欢 批评")
    expect(hands.pair_lines(page)).to_have_count(4)
    assert set(hands.pairs(page)) == {
        ("张三喜欢他自己", "张三喜欢她自己"),
        ("张三批评他自己", "张三批评她自己"),
        ("李梅喜欢她自己", "李梅喜欢他自己"),
        ("李梅批评她自己", "李梅批评他自己"),
    }
    assert len(asked) == 1
    hands.saved(page, likes, FILE, "  verb: 喜欢 批评\n")


def test_one_undo_takes_back_what_was_composed(page: Page, likes: Running) -> None:
    hands.open_paradigm(page, likes, FILE)
    verb = hands.rule(page, "verb")
    verb.click()
    hands.keys(page, "End", " ")
    hands.compose(page, ["p", "pi", "pi'p", "pi'ping"], "批评")
    expect(verb).to_have_text("喜欢 批评")
    expect(hands.pair_lines(page)).to_have_count(4)
    page.keyboard.press("Control+z")
    expect(hands.pair_lines(page)).to_have_count(2)
    expect(verb).not_to_contain_text("评")
    hands.eventually(page, lambda: likes.read(FILE) == TEXT)


def test_words_are_composed_into_the_lexicon(page: Page, workbench: Running) -> None:
    """In many grids the first syllable, or the whole word, is lost where a cell is chosen and not yet open."""
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.compose(page, ["w", "wang'w", "wang'wu"], "王五")  # in place of what stands there
    page.keyboard.press("Enter")
    hands.keys(page, "Control+ArrowDown", "Home")
    hands.compose(page, ["x", "xiao'h", "xiao'hong"], "小红")
    hands.keys(page, "Tab", "NR", "Tab", "female", "Enter")
    expect(page.locator(".lexicon-tools")).to_contain_text("5 words")
    hands.state(page, "Saved")
    assert workbench.read("lexicon.tsv") == (
        "expression\tpos\tgender\n王五\tNR\tmale\n李梅\tNR\tfemale\n他\tPN\tmale\n她\tPN\tfemale\n小红\tNR\tfemale\n"
    )
