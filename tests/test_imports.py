"""Packages that cannot be imported: one that is missing is called missing, and no other is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bidui.errors import import_failed
from tests.snippets import ROOT

PAIR = {"sentence_good": "我们", "sentence_bad": "们我", "UID": "u"}


def tried(code: str) -> ImportError:
    with pytest.raises(ImportError) as failed:
        exec(code, {})
    return failed.value


def test_a_package_that_is_not_installed_is_named_with_its_extra() -> None:
    error = import_failed(tried("import no_such_package.part"), extra="lm")
    assert str(error) == "no_such_package is not installed; install bidui[lm]"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("from json import no_such_name", "cannot import name 'no_such_name' from 'json'"),
        ("import json.no_such_module", "No module named 'json.no_such_module'"),
        ("raise ImportError('libpq.so.5: cannot open shared object file', name='json')", "libpq.so.5: cannot open"),
        ("raise ImportError('it needs einops.\\nPlease install it.')", "it needs einops."),
        ("try:\n raise OSError('bad ELF')\nexcept OSError as e:\n raise ImportError('no') from e", "bad ELF"),
    ],
)
def test_a_package_that_does_not_work_is_not_called_missing(code: str, reason: str) -> None:
    """Another version, or a library that is missing: to install it once more would change nothing."""
    error = str(import_failed(tried(code), extra="lm"))
    assert error.startswith(f"a package is installed but does not work: {reason}")
    assert error.endswith("; install the versions that bidui[lm] asks for")


@pytest.mark.parametrize(
    ("package", "source", "spec", "message"),
    [
        ("transformers", "", "hf:model", "a package is installed but does not work: "),
        ("kenlm", "raise ImportError('undefined symbol: x')", "ngram:m.binary", "does not work: undefined symbol: x;"),
        ("kenlm", "import no_such_package", "ngram:m.binary", "no_such_package is not installed; install bidui[ngram]"),
    ],
)
def test_the_command_says_what_is_wrong_with_a_package(
    tmp_path: Path, package: str, source: str, spec: str, message: str
) -> None:
    """A package of that name without what bidui needs, as another version may be, stands before the real one."""
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(source, encoding="utf-8")
    (tmp_path / "m.binary").write_bytes(b"mmap lm http://kheafield.com/code format version 5")
    (tmp_path / "pairs.jsonl").write_text(json.dumps(PAIR, ensure_ascii=False), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'src'}"}
    ended = subprocess.run(
        [sys.executable, "-m", "bidui", "score", "pairs.jsonl", "--model", spec],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
    )
    assert ended.returncode == 2
    assert message in ended.stderr
    assert f"{package} is not installed" not in ended.stderr and "Traceback" not in ended.stderr
