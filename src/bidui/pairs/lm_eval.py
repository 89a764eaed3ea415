"""Pairs as a folder of tasks for lm-evaluation-harness: one task per paradigm, one group per phenomenon, one of all.

The harness scores both sentences after its prefix token and takes the one with the higher log-probability, which is
`lp`. The tasks are written for version 0.4.13, which runs them without bidui.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bidui.errors import Place, fail
from bidui.files import encode, json_text, write_new_folder
from bidui.pairs.folder import AnyPairs, as_pairs, uid_fits
from bidui.pairs.formats import record_of
from bidui.pairs.pair import Pair, Pairs, column_names

_FIELDS = ("sentence_good", "sentence_bad", "UID", "phenomenon", "pairID")

# Without target_delimiter the harness would put a blank before every sentence.
_TEMPLATE = """\
custom_dataset: !function dataset.pairs
output_type: multiple_choice
test_split: test
doc_to_text: ""
target_delimiter: ""
doc_to_choice: "{{[sentence_good, sentence_bad]}}"
doc_to_target: 0
num_fewshot: 0
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""

# The harness's own way to name a local file takes it from where the command is run; this takes it from the folder.
_DATASET = '''\
"""Reads the pairs of a task from the folder `data` beside this file, wherever the harness is run from."""

import json
from pathlib import Path

import datasets


def pairs(file, **_):
    text = (Path(__file__).parent / "data" / file).read_text(encoding="utf-8")
    return {"test": datasets.Dataset.from_list([json.loads(line) for line in text.split("\\n") if line])}
'''

_README = """\
# {name}: {count:,} minimal pairs for lm-evaluation-harness

{paradigms} paradigms as tasks (`tasks/`, their pairs in `data/`), grouped by phenomenon (`groups/`) and as a whole
(`{name}`), for version 0.4.13 of the harness:

    lm_eval --include_path THIS_FOLDER --tasks {name} --model hf --model_args pretrained=MODEL,dtype=float32

`acc` is the share of pairs whose good sentence has the higher log-probability, summed over its tokens, with no blank
before it, after the model's BOS (EOS where it has none). Groups weigh every pair equally. You can ignore the harness's
warning that kwargs could be passed. `acc` is what `bidui compare --link lp` shows, except for ties:

- **A tie counts as correct here.** The harness takes the first of equal scores, and the good sentence comes first, so
  a model that gives all sentences the same score reaches 100%, and so does one whose scores are not numbers. bidui
  counts a tie as one half and refuses scores that are not numbers.
- {same}
- Scores also tie where sentences differ only in characters that the tokenizer does not know, and where numbers are
  rounded (float16, bfloat16). `--log_samples` writes both scores of every pair, so that you can count ties.
"""


def export_lm_eval(pairs: AnyPairs, *, out: str | Path, name: str = "bidui") -> None:
    """Write pairs as a new folder of tasks for lm-evaluation-harness; `name` is the group of all tasks."""
    write_new_folder(Path(out), lm_eval_files(as_pairs(pairs), name=name))


def lm_eval_files(pairs: Pairs, *, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a task folder, by their paths in it; `name` is the group of all and the prefix of other names.

    A paradigm without a phenomenon, or with several, is in the group of all only.
    """
    paradigms = pairs.by_uid()
    if not paradigms:
        raise fail("export-none")
    name = slug(name)
    tasks = {uid: f"{name}_{slug(uid)}" for uid in paradigms}
    groups: dict[str, list[str]] = {}  # by phenomenon
    alone: list[str] = []
    for uid, group in paradigms.items():
        if not uid_fits(uid):
            raise fail("uid-unfit", Place(), {"uid": repr(uid)})
        phenomena = {pair.phenomenon for pair in group}
        if len(phenomena) == 1 and "" not in phenomena:
            groups.setdefault(group[0].phenomenon, []).append(tasks[uid])
        else:
            alone.append(tasks[uid])
    names = {phenomenon: f"{name}_group_{slug(phenomenon)}" for phenomenon in groups}
    _check_names([name, *tasks.values(), *names.values()])
    yield "README.md", encode(_readme(pairs, name, len(paradigms)))
    yield "template_yaml", encode(_TEMPLATE)  # without a suffix, or the harness would take it for a task
    yield "dataset.py", encode(_DATASET)
    yield "group.yaml", _group(name, name, [*names.values(), *alone])
    for phenomenon, members in groups.items():
        yield f"groups/{names[phenomenon]}.yaml", _group(names[phenomenon], phenomenon, members)
    for uid, group in paradigms.items():
        yield f"tasks/{tasks[uid]}.yaml", _task(tasks[uid], uid)
        yield f"data/{tasks[uid]}.jsonl", _data(group)


def slug(text: str) -> str:
    """Make a name that the harness's command line takes; blanks, commas and stars have a meaning there."""
    return re.sub(r"[^\w-]+", "_", text)


def _check_names(names: Iterable[str]) -> None:
    taken: set[str] = set()
    for name in names:
        if name.casefold() in taken:  # they are file names, too
            raise fail("task-twice", Place(), {"name": name})
        taken.add(name.casefold())


def _readme(pairs: Sequence[Pair], name: str, paradigms: int) -> str:
    same = sum(pair.good == pair.bad for pair in pairs)
    ties = f"In {same:,} pairs the two sentences are the same, so that every model has such ties."
    no_ties = "No pair has the same sentence on both sides, which would be such a tie for every model."
    return _README.format(name=name, count=len(pairs), paradigms=paradigms, same=ties if same else no_ties)


def _task(task: str, uid: str) -> bytes:
    fields = {"include": "../template_yaml", "task": task, "task_alias": uid}
    return _yaml({**fields, "dataset_kwargs": {"file": f"{task}.jsonl"}})


def _group(group: str, alias: str, members: Sequence[str]) -> bytes:
    mean = {"metric": "acc", "aggregation": "mean", "weight_by_size": True}
    fields = {"group": group, "group_alias": alias, "task": list(members), "aggregate_metric_list": [mean]}
    return _yaml({**fields, "metadata": {"version": 1.0}})


def _yaml(fields: dict[str, object]) -> bytes:
    """Write one key per line. JSON is YAML, and quotes every text, so that no uid is taken for a number."""
    return encode("".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items()))


def _data(pairs: Sequence[Pair]) -> bytes:
    names = column_names(pairs)
    records = (record_of(pair, names) for pair in pairs)
    fields = (*_FIELDS, *(["variant"] if any(pair.variant for pair in pairs) else []), *names)
    return encode("".join([json_text({field: record[field] for field in fields}) + "\n" for record in records]))
