"""Model cards, and checkpoints on a hub: here a server on this machine that answers as Hugging Face's does."""

import base64
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import torch
import typer
import yaml
from transformers import AutoModelForCausalLM, AutoTokenizer

import bidui
from bidui.cli.train import train as train_command
from bidui.errors import InputError
from bidui.scores.run import read_totals
from bidui.training import publish
from bidui.training.build import build_corpus
from bidui.training.corpus import Bos
from bidui.training.publish import model_card, push
from bidui.training.tokenizers import train_char
from tests.training import small

ROOT = Path(__file__).parent.parent.parent


def checkpoint(folder: Path, *, bos: Bos = "line", steps: int = 40) -> Path:
    """The last checkpoint of a model of a language with one sentence, in three documents of different lengths."""
    documents = ["\n".join(["猫吃鱼。"] * count) for count in (600, 601, 602)]
    (folder / "a.txt").write_text("\n\n".join(documents), encoding="utf-8")
    corpus = build_corpus(folder / "a.txt", train_char(["猫吃鱼。\n"], least=1), out=folder / "shards", bos=bos)
    recipe = bidui.Recipe("14m", tokens=steps * 8 * 12, batch=8, context=12, peak=3e-3, milestones="last")
    return bidui.train(recipe, corpus=corpus, out=folder / "runs", name="cat").checkpoints[-1]


def generated(folder: Path, *, bos: bool) -> str:
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    start = torch.tensor([tokenizer.convert_tokens_to_ids(["<s>"] if bos else ["猫"])])
    tokens = model.generate(start, attention_mask=torch.ones_like(start), max_new_tokens=30, do_sample=False)
    return str(tokenizer.decode(tokens[0]))


def test_text_ends_where_the_model_learned_that_it_ends(tmp_path: Path) -> None:
    """After a line comes the BOS of the next, so that is its end; EOS itself is never seen."""
    folder = checkpoint(tmp_path)
    assert generated(folder, bos=True) == "<s>猫吃鱼。<s>"
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "`generation_config.json` names it as EOS, and `generate` stops there" in card


def test_without_marks_text_never_ends_and_the_card_says_so(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, bos="none")
    assert generated(folder, bos=False).startswith("猫吃鱼。\n猫吃鱼。\n猫吃鱼。\n猫吃鱼。\n猫吃鱼。\n猫")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "`generate` continues until `max_new_tokens`" in card and "names it as EOS" not in card


def training(**changes: object) -> dict[str, object]:
    values: dict[str, object] = {"step": 25, "tokens": 1600, "validation": 1.25, "validation_per_character": 1.5}
    return {**values, "validation_rows": 512, "recipe": asdict(small.recipe(**changes))}


def test_a_card_has_the_recipe_the_data_a_place_for_the_licence_and_how_to_load() -> None:
    card = model_card("run@step-000025", training(), about="Three documents.\n\n")
    _, head, body = card.split("---\n", 2)
    assert yaml.safe_load(head) == {
        "license": "other",
        "license_name": "not-stated",
        "tags": ["bidui", "minimal-pairs"],
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
    }
    assert body.startswith("\n# run@step-000025\n")
    for said in (
        "after step 25, when it had seen 1,600 tokens",
        "1.2500 nats per token and 1.5000 per character, on 512 rows of held-out text",
        "Three documents.",
        "| seed | 3 |",
        "| peak | 0.002 |",
        "bidui score zhoblimp --model MODEL",
        'AutoModelForCausalLM.from_pretrained("MODEL")',
        "## Licence\n\nNot stated.",
        "BOS stood before every line",
    ):
        assert said in body, said


def test_the_card_of_an_lstm_does_not_promise_transformers() -> None:
    """And one without held-out text says that nothing was measured."""
    values = training(size="lstm") | {"validation": None, "validation_per_character": None}
    card = model_card("run@step-000025", values)
    assert "transformers" not in card and "An LSTM" in card and "no text was held out" in card


def test_the_card_of_a_checkpoint_names_the_texts_and_no_place(tmp_path: Path) -> None:
    """The hash is that of the file; the path is nobody's business, and differs from machine to machine."""
    folder = checkpoint(tmp_path, steps=1)
    card = (folder / "README.md").read_text(encoding="utf-8")
    digest = hashlib.sha256((tmp_path / "a.txt").read_bytes()).hexdigest()
    assert f"- `a.txt`, sha256 `{digest}`" in card
    assert "2 documents with 4,8" in card and "1 other documents are held out" in card
    assert str(tmp_path) not in card


# The shipped model's card gives the commands that made it, and says where its text ends.


def test_text_of_the_shipped_model_ends_with_its_line() -> None:
    """BOS, 1, stands before every line; EOS, 2, which its configuration names, never occurred."""
    shipped = Path(bidui.__file__).parent / "models" / "shipped" / "zh-14m-char"
    model, tokenizer = AutoModelForCausalLM.from_pretrained(shipped), AutoTokenizer.from_pretrained(shipped)
    start = torch.tensor([[1, *tokenizer.encode("我不知道他是不是在家。", add_special_tokens=False)]])
    torch.manual_seed(0)
    tokens = model.generate(start, attention_mask=torch.ones_like(start), max_new_tokens=50, do_sample=True)
    assert tokens[0, -1] == 1 and tokens.shape[1] < start.shape[1] + 50


def test_the_commands_on_the_shipped_card_are_those_of_its_recipe() -> None:
    shipped = Path(bidui.__file__).parent / "models" / "shipped" / "zh-14m-char"
    card = (shipped / "card.md").read_text(encoding="utf-8")
    tokenizer, corpus, train = (shlex.split(line) for line in re.findall(r"^    (bidui .*)$", card, re.MULTILINE)[:3])
    assert tokenizer[:5] == ["bidui", "tokenizer", "train", "char", "--corpus"]
    assert tokenizer[6:] == ["--least", "20", "-o", "tok"]
    assert corpus[:3] == ["bidui", "corpus", "build"] and corpus[3] == tokenizer[5]
    assert corpus[4:] == ["--tokenizer", "tok", "-o", "corpus"]
    app = typer.Typer()
    app.command()(train_command)
    options = typer.main.get_command(app).make_context("train", train[2:]).params
    recipe = json.loads((shipped / "training.json").read_text(encoding="utf-8"))["recipe"]
    assert (options["size"], options["recipe"]) == (recipe["size"], recipe["optimizer"])
    for name in ("seed", "epochs", "batch", "context", "peak", "warmup", "milestones"):
        assert options[name] == recipe[name], name
    assert (str(options["corpus"]), options["device"], options["tokens"]) == ("corpus", "cuda", None)


# Pushing to a hub.


@dataclass
class Hub:
    """What was uploaded, by model and revision, and the answers that the hub of Hugging Face would give."""

    url: str = ""
    token: str = "hf_secret"
    private: dict[str, bool] = field(default_factory=dict)
    files: dict[tuple[str, str], dict[str, bytes]] = field(default_factory=dict)


@contextmanager
def hub_server() -> Iterator[Hub]:
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            """The tests show what is asked."""

        def answer(self, value: object, status: int = 200, **headers: str) -> None:
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name.replace("_", "-"), text)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            if self.path == "/api/validate-yaml":
                return self.answer({"errors": [], "warnings": []})
            if self.headers["Authorization"] != f"Bearer {hub.token}":
                return self.answer({"error": "Invalid username or password."}, 401)
            if self.path == "/api/repos/create":
                asked = json.loads(body)
                name = f"{asked['organization']}/{asked['name']}"
                if name in hub.private:
                    return self.answer(
                        {"error": "You already created this model repo", "url": f"{hub.url}/{name}"}, 409
                    )
                hub.private[name] = bool(asked.get("private")) or asked.get("visibility") == "private"
                return self.answer({"url": f"{hub.url}/{name}", "name": name})
            _, _, kind, user, name, what, *rest = self.path.split("?")[0].split("/")
            revision = "/".join(rest)
            if what == "branch":
                return self.answer({})
            if what == "preupload":
                files = [{"path": f["path"], "uploadMode": "regular"} for f in json.loads(body)["files"]]
                return self.answer({"files": [{**f, "shouldIgnore": False, "oid": None} for f in files]})
            assert (kind, what) == ("models", "commit"), self.path
            stored = hub.files.setdefault((f"{user}/{name}", revision), {})
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    stored[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            commit = {"commitUrl": f"{hub.url}/{user}/{name}/commit/{'0' * 40}", "commitOid": "0" * 40, "success": True}
            return self.answer({**commit, "hookOutput": ""})

        def do_GET(self) -> None:
            parts = self.path.split("?")[0].split("/")
            if len(parts) >= 6 and parts[3] == "resolve":
                content = hub.files.get((f"{parts[1]}/{parts[2]}", parts[4]), {}).get("/".join(parts[5:]))
                if content is not None:
                    tag = f'"{hashlib.sha256(content).hexdigest()}"'
                    return self.answer(content, ETag=tag, X_Repo_Commit="0" * 40)
            return self.answer({"error": "Entry not found"}, 404, X_Error_Code="EntryNotFound", X_Repo_Commit="0" * 40)

        do_HEAD = do_GET

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def typed(folder: Path, hub: str, *arguments: str, token: str = "hf_secret") -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, where huggingface_hub reads the address of the hub when it is imported."""
    settings = {"HF_ENDPOINT": hub, "HF_TOKEN": token, "HF_HOME": str(folder / "home"), "HF_HUB_DISABLE_XET": "1"}
    environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1", "NO_PROXY": "*"}
    command = [sys.executable, "-P", "-m", "bidui", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_a_checkpoint_is_pushed_whole_and_scored_from_the_hub_as_here(tmp_path: Path) -> None:
    """It was trained without BOS, which its tokenizer has: only bidui.json tells, so that must count on a hub too."""
    folder = checkpoint(tmp_path, bos="none", steps=5)
    (tmp_path / "pairs.jsonl").write_text(
        json.dumps({"sentence_good": "猫吃鱼。", "sentence_bad": "鱼吃猫。", "UID": "cat", "pairID": "0"}) + "\n",
        encoding="utf-8",
    )
    with hub_server() as hub:
        pushed = typed(tmp_path, hub.url, "push", str(folder), "me/cat", "--private")
        assert pushed.returncode == 0, pushed.stderr
        assert "README.md does not state a licence yet" in pushed.stderr
        assert f"uploaded to {hub.url}/me/cat\n" in pushed.stderr and "--model 'hf:me/cat'" in pushed.stderr
        assert hub.private == {"me/cat": True}
        assert hub.files[("me/cat", "main")] == {path.name: path.read_bytes() for path in folder.iterdir()}
        again = typed(tmp_path, hub.url, "push", str(folder), "me/cat", "--revision", "step-5")
        assert again.returncode == 0, again.stderr
        assert hub.files[("me/cat", "step-5")] == hub.files[("me/cat", "main")]
        scored = typed(tmp_path, hub.url, "score", "pairs.jsonl", "--model", "hf:me/cat", "-o", "results")
        assert scored.returncode == 0, scored.stderr
    bidui.score(tmp_path / "pairs.jsonl", folder, out=tmp_path / "results")
    (manifest, here), (other, there) = (
        read_totals(tmp_path / "results" / name) for name in (f"cat@{folder.name}", "me--cat")
    )
    assert there.totals().logprob.tolist() == pytest.approx(here.totals().logprob.tolist(), abs=1e-4)
    assert there.totals().length.tolist() == here.totals().length.tolist() == [3, 3]  # the first token is not scored
    assert other.declared["bos_rule"] == manifest.declared["bos_rule"] == "declared by the model"


def test_a_hub_that_refuses_or_is_not_there_is_an_error_with_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "step-000001"
    folder.mkdir(parents=True)
    (folder / "training.json").write_text("{}")
    with hub_server() as hub:
        refused = typed(tmp_path, hub.url, "push", str(folder), "me/cat", token="hf_wrong")
        url = hub.url
    away = typed(tmp_path, url, "push", str(folder), "me/cat")
    for ended, said in ((refused, "401"), (away, "refused")):
        assert ended.returncode == 2, ended.stderr
        assert f"me/cat: cannot be uploaded to {url} (" in ended.stderr and said in ended.stderr
        assert "Traceback" not in ended.stderr


def test_what_is_no_checkpoint_is_not_pushed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not a checkpoint of a training run \(it has no training.json\)"):
        push(tmp_path, "me/cat")


def test_without_huggingface_hub_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "training.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(InputError, match="huggingface_hub"):
        publish.push(tmp_path, "me/cat")
