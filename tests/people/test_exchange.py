"""Answers from elsewhere: a plain table, and the results of PCIbex, each read as what was shown and chosen."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.people.exchange import export_pcibex, export_study, import_answers, import_file
from bidui.people.lists import Trial
from bidui.people.participants import Participant, add_participants, read_participants
from bidui.people.responses import add_responses, answer_trial, to_csv
from bidui.people.study import write_study

from .small import answers, study

HEAD = """#
# Results on Monday, November 16 2026 20:00:00 GMT
# USER AGENT: Mozilla/5.0
# Columns below this comment are as follows:
# 1. Results reception time.
# 2. MD5 hash of participant's IP address.
# 3. Controller name.
# 4. Order number of item.
# 5. Inner element number.
# 6. Label.
# 7. Latin Square Group.
# 8. PennElementType.
# 9. PennElementName.
# 10. Parameter.
# 11. Value.
# 12. EventTime.
# 13. item.
# 14. kind.
# 15. shown.
# 16. list.
# 17. slot.
# 18. Comments.
"""


def test_a_plain_table_says_what_was_chosen(tmp_path: Path) -> None:
    """Without the side, nothing is invented: it is stored as unrecorded, and no side bias is computed from it."""
    made = study()
    item = next(item for item in made.items if item.kind == "test")
    path = tmp_path / "answers.csv"
    path.write_text(f"participant,uid,pair,chosen\nann,{item.uid},{item.pair},good\nbob,{item.uid},{item.pair},bad\n")
    ann, bob = import_answers(path, made)
    assert (ann.chosen, bob.chosen, ann.shown, ann.slot, ann.position) == ("good", "bad", "unrecorded", 0, 0)
    path.write_text("participant,uid,pair,chosen\nann,nowhere,1,good\nbob,u0,x,bad\n")
    with pytest.raises(InputError, match=r"answers.csv:2: there is no item nowhere/1[\s\S]*answers.csv:3"):
        import_answers(path, made)
    path.write_text("participant,uid,pair,chosen\n")
    with pytest.raises(InputError, match="no answers to items"):
        import_answers(path, made)
    path.write_text("who,uid,pair,chosen\nann,u0,1,good\n")
    with pytest.raises(InputError, match="missing: participant"):
        import_answers(path, made)


MADE = study(rating_lists=4)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(MADE.trials), st.integers(1, 2), st.none() | st.integers(0, 99_999)),
        min_size=1,
        max_size=6,
        unique_by=lambda row: (row[0].item, row[0].task),
    ),
    st.sampled_from(["csv", "tsv", "jsonl"]),
)
def test_any_tables_of_answers_say_the_same(rows: list[tuple[Trial, int, int | None]], suffix: str) -> None:
    """Whatever is known of a trial is kept, in each format."""
    names = ("participant", "item", "list", "slot", "shown", "answer", "rt_ms")
    cells = [("ann", t.item, t.list, t.slot, t.shown, a, "" if ms is None else ms) for t, a, ms in rows]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"answers.{suffix}"
        if suffix == "jsonl":
            lines = [json.dumps(dict(zip(names, row, strict=True))) for row in cells]
        else:
            lines = ["\t,"[suffix == "csv"].join(map(str, row)) for row in (names, *cells)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        found = import_answers(path, MADE)
    assert found == tuple(answer_trial(MADE, t, participant="ann", answer=a, rt_ms=ms) for t, a, ms in rows)


def test_a_table_of_participants_is_told_from_one_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "people.tsv"
    path.write_text("participant\tage\tstarted\nann\t25–34\t2026-11-16T20:00:00Z\n", encoding="utf-8")
    found = import_file(path, MADE)
    assert (found.responses, [one.background for one in found.participants]) == ((), [{"age": "25–34"}])
    path.write_text("participant\titem\tchosen\nann\tu0/1\tgood\n")
    with pytest.raises(InputError):
        import_file(path, study(per_paradigm=1, lists=1, catch=0, seed=3))


def test_response_times_of_other_tools_have_decimals(tmp_path: Path) -> None:
    item = next(item for item in MADE.items if item.kind == "test")
    path = tmp_path / "a.csv"
    path.write_text(f"participant,item,chosen,rt_ms\nann,{item.id},good,1234.6\n")
    assert import_answers(path, MADE)[0].rt_ms == 1235
    path.write_text(f"participant,item,chosen,rt_ms\nann,{item.id},good,-5\n")
    with pytest.raises(InputError, match=r"a\.csv:2: rt_ms cannot be -5"):
        import_answers(path, MADE)


def test_an_export_can_be_imported_again(tmp_path: Path) -> None:
    """Responses and participants, in both formats, with a codebook for every column."""
    made = study()
    write_study(made, tmp_path / "s")
    add_responses(tmp_path / "s", made, answers(made))
    add_participants(tmp_path / "s", made, [Participant("p1.1", 1, 1, external="X", background={"age": "=1"})])
    for number, to in enumerate(("csv", "jsonl")):
        out = tmp_path / to
        assert export_study(tmp_path / "s", out=out, to=to, external=True) == 3  # type: ignore[arg-type]
        assert import_file(out / f"responses.{to}", made).responses == tuple(answers(made)), number
        assert import_file(out / f"participants.{to}", made).participants == read_participants(tmp_path / "s", made)
    book = (tmp_path / "csv/codebook.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in book for name in ("participant", "shown", "raised", "external"))


def test_exported_responses_are_read_back(tmp_path: Path) -> None:
    made = study()
    rows = answers(made)
    (tmp_path / "r.csv").write_bytes(to_csv(rows))
    assert import_answers(tmp_path / "r.csv", made) == tuple(rows)


def test_results_of_pcibex_are_read_by_their_columns(tmp_path: Path) -> None:
    """Two people with one address are two people; the response time runs from the start of the trial."""
    made = study()
    trial = next(trial for trial in made.trials if trial.kind == "test")
    logged = f"{trial.item},test,{trial.shown},{trial.list},{trial.slot},NULL"
    rows = "".join(
        f"{at},md5,PennController,7,0,main,NULL,PennController,7,_Trial_,Start,1000,{logged}\n"
        f"{at},md5,PennController,7,0,main,NULL,Selector,choice,Selection,{value},3500,{logged}\n"
        for at, value in ((1, "first"), (2, "second"))
    )
    path = tmp_path / "results.csv"
    path.write_text(HEAD + rows)
    one, two = import_answers(path, made)
    assert one.participant != two.participant and one.participant.startswith("pcibex-") and "md5" not in one.participant
    later = rows.replace("1,md5", "9,md5").replace("2,md5", "1,md5").replace(",3500,", ",Never,")
    path.write_text(HEAD + later)
    other, again = import_answers(path, made)
    assert again.participant == one.participant and other.participant not in (one.participant, two.participant)
    assert other.rt_ms is None
    assert (one.answer, two.answer, one.rt_ms) == (1, 2, 2500)
    assert (one.item, one.shown, one.list, one.slot, one.position) == (
        *(trial.item, trial.shown, trial.list, trial.slot, trial.position),
    )


def test_a_study_is_exported_to_pcibex_with_its_order_and_sides(tmp_path: Path) -> None:
    made = study()
    assert export_pcibex(made, tmp_path / "out") == 5
    rows = (tmp_path / "out/chunk_includes/trials.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + len(made.trials)
    trial, item = made.trials[0], made.item[made.trials[0].item]
    first = item.good if trial.shown == "good-bad" else item.bad
    assert rows[1].split(",")[:9] == [
        *("0001-0001", trial.item, trial.kind, "choice", "1", "1", "1", trial.shown, first),
    ]
    if node := shutil.which("node"):
        subprocess.run([node, "--check", str(tmp_path / "out/data_includes/main.js")], check=True)


def test_people_on_pcibex_read_the_instructions_of_their_task_in_the_language_of_the_sentences(tmp_path: Path) -> None:
    chinese, names = study(rating_lists=4), ("consent", "instructions-choice", "instructions-rating")
    export_pcibex(chinese, tmp_path / "zh")
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "zh/chunk_includes").glob("*.html")}
    assert {name: text.strip() for name, text in pages.items()} == {
        name: f"<p>{chinese.texts[name]['zh']}</p>" for name in names
    }
    export_pcibex(replace(chinese, design=replace(chinese.design, language="en")), tmp_path / "en")
    assert "two sentences at a time" in (tmp_path / "en/chunk_includes/instructions-choice.html").read_text()
