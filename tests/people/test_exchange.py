"""Answers from elsewhere: a plain table, and the results of PCIbex, each read as what was shown and chosen."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.people.exchange import export_pcibex, import_answers
from bidui.people.responses import to_csv

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
    path.write_text("who,uid,pair,chosen\nann,u0,1,good\n")
    with pytest.raises(InputError, match="missing: participant"):
        import_answers(path, made)


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
    assert (one.participant, two.participant) == ("pcibex-001", "pcibex-002")
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
    assert rows[1].split(",")[:8] == [
        *("0001-0001", trial.item, trial.kind, "choice", "1", "1", trial.shown, first),
    ]
    if node := shutil.which("node"):
        subprocess.run([node, "--check", str(tmp_path / "out/data_includes/main.js")], check=True)
