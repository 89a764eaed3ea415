"""The tasks for lm-evaluation-harness are the ones it should run, under names it can take."""

import json

import pytest
import yaml

from bidui.errors import InputError
from bidui.pairs import Pair, Pairs, lm_eval_files

PAIRS = Pairs(
    (
        Pair("她看她自己。", "她看他自己。", "no", "control/raising", 3, words=("她",)),
        Pair("甲", "乙", "complex NP island", "control/raising", 0),
        Pair("丙", "丙", "alone", "", 0),
        Pair("丁", "戊", "both", "p", 0),
        Pair("丁", "己", "both", "q", 1),
    )
)


def exported(pairs: Pairs, name: str = "mine") -> dict[str, str]:
    return {path: data.decode() for path, data in lm_eval_files(pairs, name=name)}


def test_every_paradigm_is_a_task_with_its_pairs() -> None:
    """Blanks are not for a command line, and `no` without quotes would be false to YAML."""
    files = exported(PAIRS)
    tasks = ["mine_no", "mine_complex_NP_island", "mine_alone", "mine_both"]
    assert [path for path in files if path.startswith("tasks/")] == [f"tasks/{task}.yaml" for task in tasks]
    assert yaml.safe_load(files["tasks/mine_no.yaml"]) == {
        "include": "../template_yaml",
        "task": "mine_no",
        "task_alias": "no",
        "dataset_kwargs": {"file": "mine_no.jsonl"},
    }
    assert [json.loads(line) for line in files["data/mine_no.jsonl"].splitlines()] == [
        {"sentence_good": "她看她自己。", "sentence_bad": "她看他自己。", "UID": "no"}
        | {"phenomenon": "control/raising", "pairID": "3"}
    ]
    assert len(files["data/mine_both.jsonl"].splitlines()) == 2


def test_the_sentences_are_asked_for_as_they_are() -> None:
    """A blank before a sentence, or an example before it, would be another score."""
    template = yaml.safe_load(exported(PAIRS)["template_yaml"].replace("!function ", ""))
    assert (template["doc_to_text"], template["target_delimiter"], template["num_fewshot"]) == ("", "", 0)
    assert template["doc_to_choice"] == "{{[sentence_good, sentence_bad]}}"
    assert (template["doc_to_target"], template["output_type"]) == (0, "multiple_choice")
    assert [metric["metric"] for metric in template["metric_list"]] == ["acc"]


def test_groups_are_by_phenomenon_and_of_all() -> None:
    """Every pair weighs the same, and a paradigm is in one group only: else the mean would count it twice."""
    files = exported(PAIRS)
    mean = [{"metric": "acc", "aggregation": "mean", "weight_by_size": True}]
    whole = yaml.safe_load(files["group.yaml"])
    assert (whole["group"], whole["aggregate_metric_list"]) == ("mine", mean)
    assert whole["task"] == ["mine_group_control_raising", "mine_alone", "mine_both"]
    group = yaml.safe_load(files["groups/mine_group_control_raising.yaml"])
    assert (group["group_alias"], group["aggregate_metric_list"]) == ("control/raising", mean)
    assert group["task"] == ["mine_no", "mine_complex_NP_island"]
    assert sum(path.startswith("groups/") for path in files) == 1


def test_the_readme_says_what_a_tie_counts() -> None:
    readme = exported(PAIRS)["README.md"]
    assert "**A tie counts as correct here.**" in readme
    assert "In 1 pairs the two sentences are the same" in readme
    assert "--tasks mine " in readme
    assert "No pair has the same sentence on both sides" in exported(PAIRS[:2])["README.md"]


@pytest.mark.parametrize(
    ("uids", "message"),
    [
        (("a b", "a,b"), "two tasks or groups would be called mine_a_b"),
        (("BA", "ba"), "two tasks or groups would be called mine_ba"),
        (("group_p", "x"), "two tasks or groups would be called mine_group_p"),
        (("a/b", "x"), "the uid 'a/b' cannot be a file name"),
        ((), "there are no pairs to export"),
    ],
)
def test_what_the_harness_could_not_tell_apart_is_an_error(uids: tuple[str, ...], message: str) -> None:
    """It would skip the second task of a name, and say so in a log only."""
    with pytest.raises(InputError, match=message):
        exported(Pairs(tuple(Pair("甲", "乙", uid, "p", 0) for uid in uids)))


def test_conditions_go_with_the_pairs_of_a_task() -> None:
    """`--log_samples` of the harness then has them; the keys of all lines are the same, as `datasets` wants them."""
    pairs = Pairs((Pair("a", "b", "u", "p", 0, "x", columns=(("n", "sg"),)), Pair("c", "d", "u", "p", 1)))
    records = [json.loads(line) for line in exported(pairs)["data/mine_u.jsonl"].splitlines()]
    assert [(record["variant"], record["n"]) for record in records] == [("x", "sg"), ("", "")]
