"""The pairs of the shipped benchmarks, which take many seconds to generate: once for all processes of tests."""

import fcntl
import pickle
from collections.abc import Callable

import pytest

from bidui.benchmarks import generate
from bidui.grammar.project import Project
from bidui.pairs import Pairs

Generate = Callable[..., Pairs]


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Generate:
    """`generate` with seed 0, whose result the first process leaves to the others."""
    folder = tmp_path_factory.getbasetemp().parent

    def read_or_generate(project: Project, *, n: int, include_excluded: bool = False) -> Pairs:
        file = folder / f"{testrun_uid}-{project.settings.name}-{n}.pickle"
        with file.open("a+b") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if file.stat().st_size:
                pairs: Pairs = pickle.loads(file.read_bytes())
                return pairs
            pairs = generate(project, n=n, seed=0, include_excluded=include_excluded)
            handle.write(pickle.dumps(pairs))
            return pairs

    return read_or_generate
