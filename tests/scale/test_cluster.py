"""A real Ray cluster of three nodes on this machine; one is killed in the middle, and nothing is lost or changed."""

import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bidui
from bidui.cli.main import app
from bidui.errors import InputError, Interruption
from bidui.scale.tasks import Status, Task, run_all
from bidui.scores import run as scoring
from bidui.training.suite import SuiteRun
from tests.scale.small import files_of, pairs_of, write_arpa

ray = pytest.importorskip("ray", reason="Ray is not installed: nothing is tested on a cluster; install bidui[cluster]")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
MEMORY = 80 << 20  # bytes of the object store of a node
PATIENCE = 600.0  # seconds: a busy machine is no fault


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """A head and another node with one CPU each, which find these sources; tests add the third, and kill it."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT / "src"), str(ROOT))))
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        cluster = Cluster()
        for _ in range(2):
            add(cluster)
        received: list[int] = []
        before = signal.signal(signal.SIGTERM, lambda number, frame: received.append(number))
        try:
            with bidui.connect(f"ray:{cluster.address}"):
                os.kill(os.getpid(), signal.SIGTERM)
                assert received == [signal.SIGTERM]  # Ray's own handler would have aborted this process
                signal.signal(signal.SIGTERM, before)
                yield cluster
        finally:
            cluster.shutdown()


def add(cluster: Any) -> Any:
    return cluster.add_node(num_cpus=1, memory=2 << 30, object_store_memory=MEMORY, include_dashboard=False)


def kill(cluster: Any, node: Any) -> None:
    """Kill a node, and wait until the cluster knows; its processes need a moment to see it."""
    cluster.remove_node(node, allow_graceful=False)
    until = time.monotonic() + PATIENCE
    while sum(bool(known["Alive"]) for known in ray.nodes()) != 1 + len(cluster.worker_nodes):
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(2)


def on(cluster: Any) -> str:
    return f"ray:{cluster.address}"


def test_a_benchmark_is_scored_though_a_node_dies(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole paradigms and paradigms in parts; the scores of one process and of the cluster have the same bytes."""
    monkeypatch.setattr(scoring, "TOGETHER", 40)
    spec, pairs = write_arpa(tmp_path / "tiny.arpa"), pairs_of(6, 50)
    bidui.score(pairs, spec, out=tmp_path / "local")
    seen: list[int] = []
    node = add(nodes)

    def advance(uid: str, count: int) -> None:
        seen.append(count)
        if len(seen) == 3:
            kill(nodes, node)

    scores = bidui.score(pairs, spec, out=tmp_path / "ray", on=on(nodes), on_paradigm=advance)
    assert [note.kind for note in scores.notes] == ["workers-lost"]
    assert sum(seen) == 300
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "local")


def test_errors_of_workers_are_those_of_this_process(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = str(tmp_path / "none.arpa")
    with pytest.raises(InputError) as here:
        bidui.score(pairs_of(1, 1), missing, out=tmp_path / "a")
    with pytest.raises(InputError) as there:
        bidui.score(pairs_of(1, 1), missing, out=tmp_path / "a", on=on(nodes))
    assert str(there.value) == str(here.value)
    absent = r"the Ray cluster 127\.0\.0\.1:1 cannot be reached or started: .*refused"
    with monkeypatch.context() as patch, pytest.raises(InputError, match=absent):
        patch.setattr(ray, "is_initialized", lambda: False)
        bidui.score(pairs_of(1, 1), missing, out=tmp_path / "a", on="ray:127.0.0.1:1")
    with pytest.raises(InputError, match=r"needs 1 CPU, 1 GPU, .*the machines have 1 CPU, 0 GPU"):
        bidui.score(pairs_of(1, 1), missing, out=tmp_path / "a", device="cuda", on=on(nodes))


def test_several_models_are_scored_at_once(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As typed, with paths as seen from here: each has its own worker, and the folders are those of one by one."""
    monkeypatch.chdir(tmp_path)
    bidui.write_pairs(pairs_of(2, 5), "pairs")
    models = [word for name in "ab" for word in ("--model", write_arpa(Path(f"{name}.arpa")))]
    for out, place in (("local", "local"), ("ray", on(nodes))):
        app(["score", "pairs", *models, "--on", place, "-o", out], standalone_mode=False)
    assert {name.partition("/")[0] for name in files_of(tmp_path / "ray")} == {"a", "b"}
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "local")


def test_pairs_are_generated_by_the_cluster(nodes: Any, tmp_path: Path) -> None:
    """The project is sent to the workers, which need not have its folder."""
    bidui.new_project(tmp_path / "project", lang="zh")
    for place in ("local", on(nodes)):
        bidui.generate_folder(tmp_path / "project", out=tmp_path / place[:3], n=5, on=place)
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "loc")


TEXT = "甲乙丙丁戊己庚辛壬癸"
SUITE = """format: 1
tokenizers: {char: {kind: char, least: 1}}
runs: [{sizes: [14m], tokens: [12800], seeds: [0, 1, 2]}]
train: {batch: 4, context: 16, milestones: "geometric:6"}
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from bidui.training.build import build_corpus
    from bidui.training.tokenizers import train_char

    folder = tmp_path_factory.mktemp("corpus")
    (folder / "a.txt").write_text("\n".join([TEXT[:9]] * 1280), encoding="utf-8")
    tokenizer = train_char([TEXT + "\n"], least=1)
    return build_corpus(folder / "a.txt", tokenizer, out=folder / "shards", bos="none", validation=0).folder


def test_a_run_is_trained_by_torchrun_as_a_task(
    nodes: Any, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes on one machine of the cluster, which average their gradients, learn what one does.

    The folder of runs is as seen from here, not from where Ray was started.
    """
    monkeypatch.chdir(tmp_path)
    node = nodes.add_node(num_cpus=2, memory=4 << 30, object_store_memory=MEMORY, include_dashboard=False)
    recipe = bidui.Recipe("14m", tokens=640, batch=4, context=16, milestones="last")
    suite = replace(bidui.read_suite(write_suite(tmp_path)), runs=(SuiteRun("14m", "char", 640, 0),))
    suite = replace(suite, settings={**suite.settings, "milestones": "last"})
    outcomes = bidui.run_suite(suite, {"char": corpus}, out="runs", on=on(nodes), gpus={"14m": 2}, score="later")
    nodes.remove_node(node)
    assert [(outcome.state, outcome.reason) for outcome in outcomes] == [("done", "")]
    run, alone = tmp_path / "runs" / suite.runs[0].name, bidui.train(recipe, corpus=corpus, out=tmp_path / "alone")
    assert json.loads(_read(run / "recipe.json"))["world"] == 2
    ours, theirs = ([json.loads(line) for line in _read(one / "log.jsonl").splitlines()] for one in (run, alone.folder))
    assert [line["step"] for line in ours] == [line["step"] for line in theirs]
    losses = [[line["loss"] for line in lines if "loss" in line] for lines in (ours, theirs)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


def test_a_command_that_fails_on_the_cluster_stops_no_other_and_says_why(nodes: Any, tmp_path: Path) -> None:
    tasks = [
        Task("broken", ("sh", "-c", "echo 坏了 >&2; exit 3"), lambda: False),
        Task("absent", (str(tmp_path / "no-such-command"),), lambda: False),
        Task("right", ("touch", str(tmp_path / "right")), (tmp_path / "right").exists),
    ]
    outcomes = run_all(tasks, folder=tmp_path / "t", on=on(nodes), every=0.1)
    assert {outcome.name: (outcome.state, outcome.reason) for outcome in outcomes} == {
        "broken": ("failed", "坏了\nexit code 3"),
        "absent": ("failed", "No such file or directory"),
        "right": ("done", ""),
    }
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["absent.log", "broken.log", "right.log"]


def test_stopped_it_lets_the_commands_of_the_cluster_save_their_state(nodes: Any, tmp_path: Path) -> None:
    """A signal reaches a command at once, and not when it has ended."""
    child = "trap 'sleep 0.2; touch saved; exit 1' TERM; touch began; while :; do sleep 0.01; done"
    endless = Task("endless", ("sh", "-c", f"cd '{tmp_path}'; {child}"), lambda: False)

    def stop(status: Status) -> None:
        if (tmp_path / "began").exists():
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(Interruption) as stopped:
        run_all([endless], folder=tmp_path / "t", on=on(nodes), every=0.1, on_status=stop)
    assert stopped.value.signal == signal.SIGTERM
    assert (tmp_path / "saved").exists()
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["endless.log"]


def write_suite(folder: Path) -> Path:
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return folder / "suite.yaml"


def test_a_suite_is_trained_though_a_node_dies(nodes: Any, corpus: Path, tmp_path: Path) -> None:
    """The run of the dead node is trained again elsewhere, and all checkpoints are those of one process."""
    killed: list[str] = []
    add(nodes)

    def kill_one(status: Status) -> None:
        """Kill a node in the middle of its run; not the head, which is the cluster."""
        raylets = {node.all_processes["raylet"][0].process.pid: node for node in nodes.worker_nodes}
        for task in () if killed else status.running:
            state = json.loads(_read(tmp_path / "runs" / ".tasks" / f"{task.name}.json") or "{}")
            node = raylets.get(_parent(state.get("process", 0)))
            if node is not None and (tmp_path / "runs" / task.name / "recipe.json").is_file():
                killed.append(task.name)
                kill(nodes, node)
                return

    suite = bidui.read_suite(write_suite(tmp_path))
    outcomes = bidui.run_suite(
        suite, {"char": corpus}, out=tmp_path / "runs", on=on(nodes), score="later", on_status=kill_one
    )
    assert {outcome.name: (outcome.state, outcome.reason) for outcome in outcomes} == {
        run.name: ("done", "") for run in suite.runs
    }
    assert len(killed) == 1
    for run in suite.runs:
        recipe = bidui.Recipe("14m", tokens=12800, seed=run.seed, batch=4, context=16, milestones="geometric:6")
        bidui.train(recipe, corpus=corpus, out=tmp_path / "alone", name=run.name)
        ours, alone = (_without_times(files_of(tmp_path / folder / run.name)) for folder in ("runs", "alone"))
        assert ours.keys() == alone.keys()
        assert [name for name in alone if ours[name] != alone[name]] == []


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _parent(process: int) -> int:
    """The process that started a process, as Linux knows it."""
    status = _read(Path(f"/proc/{process}/stat"))
    return int(status.rpartition(")")[2].split()[1]) if status else 0


def _without_times(files: dict[str, bytes]) -> dict[str, object]:
    """Files without what differs between two runs of one process, too: speeds and times in the log."""
    lines = [json.loads(line) for line in files["log.jsonl"].splitlines()]
    timeless = [{k: v for k, v in line.items() if k not in ("tokens_per_second", "seconds")} for line in lines]
    return {**files, "log.jsonl": timeless}
