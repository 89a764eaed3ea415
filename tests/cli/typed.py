"""What became of a command that was typed, and projects to type it for."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

UIDS = [  # of the project that `bidui new` writes
    "BA_bare_verb",
    "BA_inversion",
    "anaphor_gender_agreement",
    "classifier_noun_agreement",
    "question_A_not_A_ma",
]


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


Bidui = Callable[..., Ended]
Run = Callable[..., subprocess.CompletedProcess[str]]


def copy_of(project: Path, folder: Path) -> Path:
    copy = folder / "copy"
    for path in sorted(project.rglob("*")):
        if path.is_file():
            target = copy / path.relative_to(project)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return copy


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def write_lines(file: Path, lines: list[dict[str, object]]) -> None:
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
