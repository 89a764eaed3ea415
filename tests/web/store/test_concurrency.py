"""Twenty people at once: nobody's words are lost, and nobody sees an error but a conflict."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from bidui.web.store.accounts import local_user
from bidui.web.store.disk import current, refresh
from bidui.web.store.drafts import keep_draft
from bidui.web.store.files import Conflict
from bidui.web.store.overview import coverage
from bidui.web.store.revisions import history
from bidui.web.store.workspace import Store

from .small import saved, the_entry

PEOPLE = 20


def test_twenty_writers_of_one_lexicon_merge_until_every_word_is_in_it(store: Store) -> None:
    gate = Barrier(PEOPLE)
    entry = the_entry(store)
    first = current(entry, "lexicon.tsv")
    rows = first.text + "".join(f"词{number}\tNN\t\n" for number in range(PEOPLE))
    base = saved(store, rows, base=first.revision.id, file="lexicon.tsv").revision.id

    def write(number: int) -> int:
        """Correct one row; after a conflict, merge by row and try again."""
        gate.wait()
        start, text, tries = base, rows.replace(f"词{number}\tNN", f"词{number}\tVV"), 0
        while True:
            tries += 1
            try:
                saved(store, text, base=start, file="lexicon.tsv", tab=f"tab-{number}")
                return tries
            except Conflict as conflict:
                start = conflict.theirs.revision.id
                text = conflict.theirs.text.replace(f"词{number}\tNN", f"词{number}\tVV")

    with ThreadPoolExecutor(PEOPLE) as people:
        tries = list(people.map(write, range(PEOPLE)))
    assert len(tries) == PEOPLE
    assert current(entry, "lexicon.tsv").text == rows.replace("\tNN\t", "\tVV\t")
    line = [each.id for each in reversed(history(entry, "lexicon.tsv"))]
    assert len(line) == 2 + PEOPLE
    assert [each.base for each in reversed(history(entry, "lexicon.tsv"))] == [None, *line[:-1]]


def test_twenty_people_at_their_own_files_do_not_get_into_each_others_way(store: Store) -> None:
    gate = Barrier(PEOPLE)
    entry, who = the_entry(store), local_user(store)

    def work(number: int) -> None:
        file = f"paradigms/p{number % 4}/x{number}.yaml"
        gate.wait()
        base = None
        for step in range(4):
            keep_draft(entry, file, f"uid: [{step}", base=base, who=who, tab=f"tab-{number}")
            base = saved(store, f"uid: x{number}\nstep: {step}\n", base=base, file=file).revision.id
            refresh(entry)
            assert current(entry, file).text == f"uid: x{number}\nstep: {step}\n"
        coverage(entry)

    with ThreadPoolExecutor(PEOPLE) as people:
        list(people.map(work, range(PEOPLE)))
    found = history(entry, most=1000)
    assert len([each for each in found if each.reason == "edit"]) == 4 * PEOPLE
    assert {each.reason for each in found} == {"edit", "outside"}
    assert len([each for each in found if each.reason == "outside"]) == 3  # those of the beginning
