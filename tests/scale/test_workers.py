"""Workers: results in order whoever makes them, bounded work ahead, and scores with the same bytes everywhere."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

import bidui
from bidui.errors import InputError
from bidui.models.specs import SHIPPED
from bidui.pairs import stored as stored_pairs
from bidui.pairs import write_pairs
from bidui.pairs.stored import StoredPairs, open_stored
from bidui.reports.section import Settings
from bidui.reports.sections.length_bias import _alpha_cells
from bidui.reports.site import _nothing
from bidui.scale.workers import Needs, On, check_needs, gpu_share, open_workers, parse_on, reach
from bidui.scores import run as scoring
from bidui.scores.run import model_needs
from tests.scale.small import add, broken, die, environment, files_of, pairs_of, ten, write_arpa

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("local", On()),
        ("processes:3", On("processes", 3)),
        ("ray", On("ray")),
        ("ray:10.0.0.1:6379", On("ray", address="10.0.0.1:6379")),
        ("ray:ray://head:10001", On("ray", address="ray://head:10001")),
    ],
)
def test_a_place_is_written_as_it_is_read(text: str, on: On) -> None:
    assert parse_on(text) == parse_on(on) == on
    assert str(on) == text


@pytest.mark.parametrize(
    "text", ["", "ray:", "processes", "processes:0", "processes:-1", "processes:x", "here", "Local"]
)
def test_other_places_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no place to run at; give local, processes:N"):
        parse_on(text)


def meet(answer: bytes) -> None:
    """Reach a program that reads something, gives one answer and closes the connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1024)
                connection.sendall(answer)

        Thread(target=serve, daemon=True).start()
        reach(*server.getsockname())


def test_a_program_that_is_not_ray_is_told_from_ray() -> None:
    """Ray begins with a frame of type 4: here of 24 bytes, without flags, for stream 0."""
    meet(bytes((0, 0, 24, 4, 0, 0, 0, 0, 0)) + bytes(24))
    for answer in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b""):
        with pytest.raises(OSError, match="another program answers there"):
            meet(answer)


def test_results_come_in_order_and_items_are_not_taken_far_ahead() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    with open_workers(ten, on="processes:2") as workers:
        results = workers.map(add, items())
        assert next(results) == 10
        assert len(taken) <= 8  # two workers, two items each, and as many again
        assert list(results) == [10 + number for number in range(1, 100)]
        with pytest.raises(InputError, match="value"):
            list(workers.map(add, [1, -3]))
        with pytest.raises(InputError, match="a worker process ended by itself"):
            list(workers.map(die, [1]))


def test_workers_have_as_many_threads_as_they_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every library that has threads: otherwise each worker starts as many as there are cores."""
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("RAYON_NUM_THREADS", "2")
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    names = ("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS")
    with open_workers(ten, on="processes:1") as workers:
        assert list(workers.map(environment, names)) == ["3", "3", "2"]
    assert [environment(0, name) for name in names] == ["3", None, "2"]


def test_what_goes_wrong_at_the_start_is_told_as_it_is() -> None:
    with open_workers(broken, on="processes:1") as workers, pytest.raises(InputError, match="value"):
        list(workers.map(add, [1]))


def test_workers_end_with_a_driver_that_is_killed(tmp_path: Path) -> None:
    """They have its output open, which therefore ends when the last of them does; they used to wait for ever."""
    script = tmp_path / "script.py"
    script.write_text(
        "import time\n"
        "from functools import partial\n"
        "from operator import add\n"
        "from bidui.scale.workers import open_workers\n"
        "if __name__ == '__main__':\n"
        "    with open_workers(partial(int, 10), on='processes:2') as workers:\n"
        "        print(*workers.map(add, [1, 2]), flush=True)\n"
        "        time.sleep(600)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    driver = subprocess.Popen([sys.executable, str(script)], env=environment, stdout=subprocess.PIPE)
    assert driver.stdout is not None and driver.stdout.readline() == b"11 12\n"
    driver.kill()
    assert driver.communicate(timeout=300) == (b"", None)


def test_shares_of_a_gpu_are_eighths() -> None:
    """Of 80 gigabytes, 5 are less than an eighth, 11 are more than one, and 200 are more than there is."""
    assert [gpu_share(size << 30, of=80 << 30) for size in (5, 10, 11, 80, 200)] == [0.125, 0.125, 0.25, 1.0, 1.0]


class Nodes:
    """A cluster as Ray describes it: two machines, and one that is gone."""

    def nodes(self) -> list[dict[str, object]]:
        alive = [{"CPU": 8.0, "GPU": 2.0, "memory": 64 * 2.0**30}, {"CPU": 4.0, "memory": 8 * 2.0**30}]
        return [*({"Alive": True, "Resources": one} for one in alive), {"Alive": False, "Resources": {"CPU": 99.0}}]


@pytest.mark.parametrize(
    ("needs", "room"),
    [
        (Needs(), 12),
        (Needs(2.0), 6),
        (Needs(gpus=0.25), 8),  # of two GPUs, and one of eight CPUs each
        (Needs(memory=6 << 30), 9),  # eight CPUs on the first machine, and one of eight gigabytes on the second
    ],
)
def test_as_many_workers_as_fit_on_each_machine(needs: Needs, room: int) -> None:
    assert check_needs(Nodes(), needs) == room


def test_what_fits_on_no_machine_is_an_error_and_does_not_wait_for_ever() -> None:
    with pytest.raises(InputError, match=r"needs 1 CPU, 4 GPU, 0 GiB; the machines have 8 CPU, 2 GPU, 64 GiB; 4 CPU"):
        check_needs(Nodes(), Needs(gpus=4.0))


def test_a_model_needs_its_weights_and_room_for_batches(tmp_path: Path) -> None:
    """Two gigabytes of weights and six for batches are an eighth of 64; one that is not here gets a whole GPU."""
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.truncate(2 << 30)
    spec = f"hf:{tmp_path}"
    assert model_needs(spec) == Needs(memory=(2 << 30) + (256 << 20))
    assert model_needs(spec, device="cuda", memory=64 << 30).gpus == 0.125
    assert model_needs("hf:somebody/something", device="cuda", memory=64 << 30).gpus == 1.0


def test_processes_give_the_bytes_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole paradigms, paradigms in parts, and a large folder that is read as it is needed."""
    monkeypatch.setattr(scoring, "TOGETHER", 40)
    monkeypatch.setattr(stored_pairs, "LARGE", 1)
    monkeypatch.setattr(stored_pairs, "LINES", 7)
    spec, pairs = write_arpa(tmp_path / "tiny.arpa"), pairs_of(4, 50)
    write_pairs(pairs, tmp_path / "pairs")
    bidui.score(pairs, spec, out=tmp_path / "local")
    assert isinstance(bidui.open_pairs(tmp_path / "pairs"), StoredPairs)
    bidui.score(tmp_path / "pairs", spec, out=tmp_path / "processes", on="processes:2")
    assert files_of(tmp_path / "processes") == files_of(tmp_path / "local")
    in_memory = bidui.score(tmp_path / "pairs", spec).table.frame
    assert in_memory.equals(bidui.read_scores(tmp_path / "local").table.frame)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says which memory is mapped from a file")
def test_the_weights_of_a_model_are_mapped_from_their_file_and_not_copied() -> None:
    """So workers on one machine share them: nearly all pages of the file are there, and nearly none was written to."""
    pytest.importorskip("torch")
    model = bidui.load_model("bidui:zh-14m-char")
    assert model.name == "zh-14m-char"
    sizes = dict.fromkeys(("Rss", "Private_Dirty"), 0)
    mapped = ""
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, _, value = line.partition(":")
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            mapped = line
        elif name in sizes and mapped.endswith("zh-14m-char/model.safetensors"):
            sizes[name] += int(value.split()[0]) << 10
    size = (SHIPPED / "zh-14m-char" / "model.safetensors").stat().st_size
    assert sizes["Rss"] > 0.9 * size
    assert sizes["Private_Dirty"] < 0.1 * size


def test_models_that_cannot_be_sent_are_refused(tmp_path: Path) -> None:
    mine = bidui.given({"甲": [("甲", -1)]}, name="mine")
    with pytest.raises(InputError, match="a model that is loaded here cannot be sent to processes:2"):
        bidui.score([("甲", "甲")], mine, on="processes:2")
    with pytest.raises(InputError, match="a model behind a server is scored in this process"):
        bidui.score([("甲", "甲")], "api:http://127.0.0.1:1?model=m", on="ray", out=tmp_path)


def test_a_large_folder_is_the_same_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(3, 23)
    write_pairs(pairs, tmp_path)
    assert open_stored(tmp_path) is None  # it is small
    monkeypatch.setattr(stored_pairs, "LARGE", 1)
    monkeypatch.setattr(stored_pairs, "LINES", 5)
    stored = open_stored(tmp_path)
    assert stored is not None and len(stored) == 69
    assert list(stored) == list(pairs)
    paradigm, own = stored.by_uid()["p1"], pairs.by_uid()["p1"]
    assert (paradigm[0], paradigm[7], paradigm[-1]) == (own[0], own[7], own[-1])
    for part in (slice(3, 11), slice(20, 99), slice(5, 5), slice(None), slice(None, None, 2)):
        assert list(paradigm[part]) == list(own[part])
    assert list(paradigm[4:20][2:9]) == list(own[4:20][2:9])
    for start, stop in ((0, 5), (5, 23), (3, 11), (6, 7), (0, 23)):  # as they are sent to workers
        part = paradigm[start:stop]
        assert isinstance(part, stored_pairs.StoredParadigm)
        assert part.lines().pairs() == own[start:stop]


def test_a_large_folder_that_is_damaged_is_an_error_with_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is scored: all pairs are read once for their hashes."""
    monkeypatch.setattr(stored_pairs, "LARGE", 1)
    monkeypatch.setattr(stored_pairs, "LINES", 5)
    write_pairs(pairs_of(1, 23), tmp_path / "pairs")
    file, spec = tmp_path / "pairs" / "p0.jsonl", write_arpa(tmp_path / "tiny.arpa")
    lines = file.read_text(encoding="utf-8").splitlines()
    for changed, message in (
        ("{", r"p0\.jsonl:12.*JSON"),
        (
            lines[11].replace('"p0"', '"p9"'),
            r"p0\.jsonl:12: the pair is of the paradigm p9, but the file is that of p0",
        ),
    ):
        file.write_text("\n".join([*lines[:11], changed, *lines[12:]]) + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=message):
            bidui.score(tmp_path / "pairs", spec, out=tmp_path / "out")
        assert not (tmp_path / "out" / "tiny" / "p0.parquet").exists()


def test_the_resampling_of_a_report_is_the_same_in_processes(tmp_path: Path) -> None:
    """The intervals of the best alpha; a case that cannot be computed is an error in its place, and stops no other."""
    spec = write_arpa(tmp_path / "tiny.arpa")
    same = bidui.pair_totals(bidui.score(pairs_of(3, 12), spec))
    longer = [replace(pair, bad="甲" * (2 + pair.pair_id % 9)) for pair in pairs_of(3, 12)]
    totals = bidui.pair_totals(bidui.score(longer, spec))
    cases = [(totals, "accuracy", 0), (same, "delta", 0), (totals, "accuracy", 1)]
    alone = Settings((bidui.lp(),), main="lp", usual=False)
    expected = alone.each(_alpha_cells, cases)
    with open_workers(_nothing, on="processes:1") as workers:
        found = replace(alone, workers=workers).each(_alpha_cells, cases)
    assert [str(cells) for cells in found] == [str(cells) for cells in expected]
    assert isinstance(found[1], InputError)  # all pairs have sides of one length, so alpha changes nothing
    assert not isinstance(found[2], InputError)
