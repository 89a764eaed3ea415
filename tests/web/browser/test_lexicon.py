"""The whole vocabulary in a grid: found, pasted, undone, deleted, and who uses a word."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from ..store.small import TEXTS
from . import hands
from .conftest import Witness
from .running import Running

WORDS = TEXTS["lexicon.tsv"]


def test_words_are_found_by_text_and_by_features(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    search = page.get_by_label("Search", exact=True)
    search.fill("gender:female pos:NR")
    expect(page.locator(".lexicon-tools")).to_contain_text("1 of 4 words")
    expect(hands.cell(page, 1, "pos")).to_have_text("NR")
    search.fill("三")
    expect(hands.cell(page, 1, "gender")).to_have_text("male")
    search.fill("")
    expect(page.locator(".lexicon-tools")).to_contain_text("4 words")


def test_cells_are_pasted_from_a_spreadsheet_and_taken_back(page: Page, workbench: Running) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hands.open_lexicon(page, workbench)
    page.evaluate("(text) => navigator.clipboard.writeText(text)", "王五\tNR\tmale\n小红\tNR\tfemale\n")
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+ArrowDown", "Control+v")
    hands.saved(page, workbench, "lexicon.tsv", "小红\tNR\tfemale\n")
    assert workbench.read("lexicon.tsv") == WORDS + "王五\tNR\tmale\n小红\tNR\tfemale\n"
    page.keyboard.press("Control+z")
    hands.eventually(page, lambda: workbench.read("lexicon.tsv") == WORDS)
    expect(page.locator(".lexicon-tools")).to_contain_text("4 words")


def test_a_row_is_deleted_and_brought_back(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "ArrowDown", "Control+Delete")
    hands.eventually(page, lambda: "李梅" not in workbench.read("lexicon.tsv"))
    page.keyboard.press("Control+z")
    hands.eventually(page, lambda: workbench.read("lexicon.tsv") == WORDS)


def test_a_word_says_which_paradigms_use_it(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    expect(page.get_by_role("link", name="gender", exact=True)).to_be_visible()


def test_words_are_added_one_after_the_other_at_the_end(page: Page, workbench: Running) -> None:
    """Also where the button is pressed from the first row: new words do not go between the old ones."""
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    page.get_by_role("button", name="Add row").click()
    hands.keys(page, "王五", "Tab", "NR", "Tab", "male", "Enter")
    hands.keys(page, "小红", "Tab", "NR", "Tab", "female", "Enter", "它", "Enter", "咱", "Enter")
    hands.saved(page, workbench, "lexicon.tsv", "咱")
    assert workbench.read("lexicon.tsv") == WORDS + "王五\tNR\tmale\n小红\tNR\tfemale\n它\n咱\n"


def test_words_are_added_at_the_end_of_their_file_among_several(page: Page, workbench: Running) -> None:
    folder = workbench.folder / workbench.project
    (folder / "lexicon.tsv").unlink()
    (folder / "lexicon").mkdir()
    workbench.write("lexicon/a.tsv", WORDS)
    workbench.write("lexicon/b.tsv", "expression\tpos\n饭\tNN\n")
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    page.get_by_role("button", name="Add row").click()
    hands.keys(page, "王五", "Enter", "小红", "Enter")
    hands.saved(page, workbench, "lexicon/a.tsv", "小红")
    assert workbench.read("lexicon/a.tsv") == WORDS + "王五\n小红\n"


def test_a_row_is_put_below_another_by_a_key(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+Enter", "王五", "Enter")
    hands.saved(page, workbench, "lexicon.tsv", "王五")
    assert workbench.read("lexicon.tsv") == WORDS.replace("李梅", "王五\n李梅")


def test_characters_that_nobody_sees_are_left_out_of_what_is_pasted(page: Page, workbench: Running) -> None:
    """Web pages and chats leave them in what is copied; nobody can find them by looking."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hands.open_lexicon(page, workbench)
    page.evaluate("(text) => navigator.clipboard.writeText(text)", "\ufeff王\u200b五\tNR\u00ad\tmale\u200d\n")
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+ArrowDown", "Control+v")
    hands.saved(page, workbench, "lexicon.tsv", "王五")
    assert workbench.read("lexicon.tsv") == WORDS + "王五\tNR\tmale\n"
    expect(page.locator("#lexicon")).to_contain_text("4 invisible characters were removed from the pasted text.")


def test_they_are_left_out_of_what_is_pasted_into_a_cell(page: Page, workbench: Running) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hands.open_lexicon(page, workbench)
    page.evaluate("(text) => navigator.clipboard.writeText(text)", "丰\u200b")
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "F2", "Control+v", "Enter")
    hands.saved(page, workbench, "lexicon.tsv", "张三丰\tNR")
    expect(page.locator("#lexicon")).to_contain_text("1 invisible character was removed from the pasted text.")


def test_all_cells_that_cannot_be_pasted_are_named(page: Page, workbench: Running) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hands.open_lexicon(page, workbench)
    rows = "".join(f"王{n}\tN\ue000R\n" if n % 2 else f"王{n}\tNR\n" for n in range(50))
    page.evaluate("(text) => navigator.clipboard.writeText(text)", rows)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+ArrowDown", "Control+v")
    named = page.locator("dialog .notice.bad li")
    expect(named).to_have_count(21)
    expect(named.first).to_contain_text("Row 2, column 2")
    expect(named.first).to_contain_text("U+E000")
    expect(named.last).to_contain_text("5 more")
    expect(page.get_by_role("button", name="Paste", exact=True)).to_be_disabled()


def test_edits_that_wait_for_errors_say_where_they_are(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+ArrowDown", "ArrowRight", "NR", "Enter")  # a row without an expression
    hands.state(page, "Not saved: errors")
    expect(page.locator(".save-state")).to_contain_text("These rows are kept as a draft")
    assert workbench.read("lexicon.tsv") == WORDS


def test_edits_that_wait_for_errors_are_told_in_another_browser(
    page: Page, workbench: Running, someone: Callable[..., Page]
) -> None:
    """Who goes on at another machine must not take for saved what is not."""
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+ArrowDown", "ArrowRight", "NR", "Enter")
    hands.state(page, "Not saved: errors")
    other = someone(storage_state=workbench.session)
    hands.open_lexicon(other, workbench)
    expect(other.locator("#lexicon")).to_contain_text(
        "Your edits of lexicon.tsv are not saved because they contain errors"
    )
    other.get_by_role("link", name="Open as text").click()
    expect(other.get_by_text("There is a text that is not in this file")).to_be_visible()
    page.keyboard.press("Control+z")
    hands.state(page, "Saved")
    hands.open_lexicon(other, workbench)
    hands.state(other, "Saved")
    expect(other.locator(".notice")).to_have_count(0)


def test_the_grid_has_the_focus_after_two_versions_of_a_row_were_merged(
    page: Page, workbench: Running, witness: Witness
) -> None:
    witness.forgive("status of 409")
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    workbench.write("lexicon.tsv", WORDS.replace("张三\tNR\tmale", "张三\tNN\tmale"))
    hands.keys(page, "Tab", "NT", "Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio").first.check()
    dialog.get_by_role("button", name="Keep these").click()
    hands.saved(page, workbench, "lexicon.tsv", "张三\tNT\tmale")
    expect(page.locator(".cell-field")).to_be_focused()


def test_enter_goes_back_to_the_column_where_the_tabs_began(page: Page, workbench: Running) -> None:
    """The second word used to land under `pos`, in a row without a word that held back all later edits."""
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    page.get_by_role("button", name="Add row").click()
    hands.keys(page, "王五", "Tab", "NR", "Enter", "小红", "Tab", "NR", "Enter")
    hands.saved(page, workbench, "lexicon.tsv", "小红\tNR")
    assert workbench.read("lexicon.tsv") == WORDS + "王五\tNR\n小红\tNR\n"
    hands.keys(page, "Control+Home", "ArrowRight", "NN", "Tab", "female", "Enter", "NN", "Enter")
    hands.saved(page, workbench, "lexicon.tsv", "张三\tNN\tfemale\n李梅\tNN\t")


def test_a_row_with_an_error_does_not_hold_back_the_others(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    page.get_by_role("button", name="Add row").click()
    hands.keys(page, "Tab", "NR", "Enter")  # a row without a word
    hands.state(page, "Not saved: errors")
    hands.keys(page, "Control+Home", "ArrowRight", "NN", "Enter")
    hands.eventually(page, lambda: workbench.read("lexicon.tsv") == WORDS.replace("张三\tNR", "张三\tNN"))
    hands.state(page, "Not saved: errors")
    page.reload()
    hands.eventually(page, lambda: page.locator(".lexicon-tools").count() == 1)
    hands.state(page, "Not saved: errors")  # the draft row is kept


def test_a_word_that_exists_already_is_pointed_out(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    page.get_by_role("button", name="Add row").click()
    hands.keys(page, "李梅", "Enter")
    expect(page.locator("#lexicon")).to_contain_text("The lexicon already has 李梅.")


def test_the_page_names_the_paradigms_that_an_edit_empties_and_offers_undo(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "ArrowRight", "NX", "Enter")
    hands.saved(page, workbench, "lexicon.tsv", "张三\tNX")
    expect(page.get_by_role("alert")).to_have_count(0)  # 李梅 is left
    hands.keys(page, "NX", "Enter")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("no word fits these paradigms any more")
    expect(alert.get_by_role("link", name="gender")).to_be_visible()
    alert.get_by_role("button", name="Undo").click()
    hands.eventually(page, lambda: workbench.read("lexicon.tsv") == WORDS.replace("张三\tNR", "张三\tNX"))
    expect(page.get_by_role("alert")).to_have_count(0)
