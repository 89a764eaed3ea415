"""Models behind servers: real ones on this machine that answer as vLLM, OpenAI and llama.cpp do, and that fail."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidui.errors import InputError
from bidui.models import api
from bidui.models.api import load_api, spell

Reply = dict[str, Any] | bytes | tuple[int, str] | str  # JSON, bytes, an HTTP error, or a way to fail
Reader = Callable[[str], Reply]


class Server:
    """A server that answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        self.replies: list[Reply | Reader] = []  # used up first
        self.usual: Reader = echo
        self.asked: list[str] = []
        self.url = ""
        self.late = threading.Event()

    def reply(self, prompt: str) -> Reply:
        self.asked.append(prompt)
        reply = self.replies.pop(0) if self.replies else self.usual
        return reply(prompt) if callable(reply) else reply


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(api.time, "sleep", lambda seconds: None)
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert body["echo"] is True and body["logprobs"] == 1
            reply = told.reply(body["prompt"])
            if reply == "drop":
                self.connection.close()
                return
            if reply == "late":
                told.late.wait(20)
                return
            status, text = reply if isinstance(reply, tuple) else (200, reply)
            data = text if isinstance(text, bytes) else (text if isinstance(text, str) else json.dumps(text)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data) + 100 * (reply == "cut")))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None: ...

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.url = f"http://127.0.0.1:{running.server_port}"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    yield told
    told.late.set()
    running.shutdown()
    running.server_close()
    thread.join()


def answer(tokens: list[str], logprobs: list[Any], *, usage: dict[str, Any] | None = None, **parts: Any) -> Reply:
    content = {"tokens": tokens, "token_logprobs": logprobs, "text_offset": [0] * len(tokens), **parts}
    return {"choices": [{"text": "", "logprobs": content}], **({"usage": usage} if usage else {})}


def echo(prompt: str) -> Reply:
    """Characters with the log-probabilities -1, -2, …; the first has none, and one token is generated."""
    tokens = [*prompt, "！"]
    logprobs = [None, *(-float(n) for n in range(1, len(tokens)))]
    return answer(tokens, logprobs, usage={"total_tokens": len(tokens), "completion_tokens": 1})


def test_a_server_echoes_the_prompt_and_is_asked_once(server: Server, tmp_path: Path) -> None:
    model = load_api(server.url, "m", cache=tmp_path)
    found = list(model.score(["我喝茶", "我喝茶"]))
    assert found[0].logprobs.tolist() == [-1.0, -2.0]  # the first character has nothing before it
    assert found[0].starts.tolist() == [1, 2]
    assert (server.asked, model.spent) == (["我喝茶"], 4)
    again = load_api(server.url, "m", cache=tmp_path)
    assert next(again.score(["我喝茶"])).logprob == -3.0
    assert (server.asked, again.spent) == (["我喝茶"], 0)


# Servers in front of a real network, whose scores must be those of the network itself.

SENTENCES = ["我喝茶。", "妈妈没有喝完茶", "I like 茶", "我 喝  茶", "𠮷"]


@cache
def bytes_model() -> tuple[Any, Any]:
    """A small GPT-2 over a tokenizer that divides Chinese characters into bytes, and joins some of the bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|begin_of_text|>", "<s>"]
    trainer = trainers.BpeTrainer(vocab_size=262, initial_alphabet=alphabet, special_tokens=special)
    inner.train_from_iterator(["妈妈喝茶", "喝完", "like"] * 3, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<|begin_of_text|>")
    torch.manual_seed(0)
    config = GPT2Config(n_embd=32, n_layer=2, n_head=2, n_positions=64, vocab_size=262, initializer_range=0.3)
    return GPT2LMHeadModel(config).eval(), tokenizer


def run(ids: list[int]) -> tuple[list[float | None], int]:
    """The log-probabilities of all ids but the first, and the id that comes next."""
    import torch

    with torch.no_grad():
        logprobs = bytes_model()[0](torch.tensor([ids])).logits[0].log_softmax(-1)
    return [None, *(float(logprobs[at, token]) for at, token in enumerate(ids[1:]))], int(logprobs[-1].argmax())


def vllm(prompt: str, *, complete: bool = False, counts: bool = True) -> Reply:
    """vLLM 0.6 to 0.11: BOS is decoded like any token and counted in all offsets; parts of characters become U+FFFD.

    Later versions (`complete`) give no text for parts, and the whole character for the last of them.
    """
    tokenizer = bytes_model()[1]
    ids = [tokenizer.bos_token_id, *tokenizer.encode(prompt, add_special_tokens=False)]
    values, following = run(ids)
    values.append(-1.0)
    tokens, waiting = [], []
    for number in (*ids, following):
        text = tokenizer.decode([number], clean_up_tokenization_spaces=False)
        if complete:
            waiting.append(number)
            text = tokenizer.decode(waiting, clean_up_tokenization_spaces=False)
            text, waiting = ("", waiting) if text.endswith("\ufffd") else (text, [])
        tokens.append(text)
    offsets = np.cumsum([0, *map(len, tokens)])[:-1].tolist()
    usage = {"prompt_tokens": len(ids), "completion_tokens": 1, "total_tokens": len(ids) + 1}
    return answer(tokens, values, text_offset=offsets, usage=usage if counts else None)


def openai(prompt: str) -> Reply:
    """OpenAI's older models: no BOS, parts of characters as `bytes:\\xe5`, offsets into the prompt."""
    tokenizer = bytes_model()[1]
    ids = tokenizer.encode(prompt, add_special_tokens=False)
    values, following = run(ids)
    alphabet = api._byte_alphabet()
    tokens = []
    for token in tokenizer.convert_ids_to_tokens([*ids, following]):
        data = bytes(alphabet[char] for char in token)
        try:
            tokens.append(data.decode())
        except UnicodeDecodeError:
            tokens.append("bytes:" + "".join(f"\\x{byte:02x}" if byte > 126 else chr(byte) for byte in data))
    return answer(tokens, [*values, -0.5], text_offset=[0] * len(tokens))


def raw(prompt: str) -> Reply:
    """A server that gives tokens as the vocabulary has them."""
    tokenizer = bytes_model()[1]
    ids = [tokenizer.bos_token_id, *tokenizer.encode(prompt, add_special_tokens=False)]
    values, following = run(ids)
    return answer(tokenizer.convert_ids_to_tokens([*ids, following]), [*values, -0.5])


@pytest.mark.parametrize(
    ("usual", "bos"),
    [
        (vllm, True),
        (lambda prompt: vllm(prompt, complete=True), True),
        (lambda prompt: vllm(prompt, counts=False), True),
        (openai, False),
        (raw, True),
    ],
    ids=["vllm", "vllm-complete", "vllm-uncounted", "openai", "raw"],
)
def test_scores_are_those_of_the_network_behind_the_server(server: Server, usual: Reader, bos: bool) -> None:
    """vLLM counts <|begin_of_text|> in the offsets: 17 characters at the end of each sentence used to be dropped."""
    from bidui.models.causal import CausalModel
    from bidui.models.conventions import Conventions

    network, tokenizer = bytes_model()
    assert any("\ufffd" in tokenizer.decode([token]) for token in tokenizer.encode("茶"))  # it is divided
    conventions = Conventions(tokenizer.bos_token_id if bos else None)
    here = CausalModel("here", network, tokenizer, conventions, {})
    server.usual = usual
    for found, wanted in zip(load_api(server.url, "m").score(SENTENCES), here.score(SENTENCES), strict=True):
        assert np.allclose(found.logprobs, wanted.logprobs, atol=1e-4)
        if usual in (vllm, openai, raw):
            assert (found.starts.tolist(), found.ends.tolist()) == (wanted.starts.tolist(), wanted.ends.tolist())


@pytest.mark.parametrize(
    ("tokens", "spans"),
    [
        (["我", "喝", "茶"], [[0, 1], [1, 2], [2, 3]]),
        (["我喝", "茶"], [[0, 2], [2, 3]]),
        (["我\ufffd", "\ufffd茶"], [[0, 2], [1, 3]]),
        (["我", "<0xE5>", "<0x96>", "<0x9D>", "茶"], [[0, 1], [1, 2], [1, 2], [1, 2], [2, 3]]),
        (["▁我", "bytes:\\xe5\\x96", "bytes:\\x9d", "茶"], [[0, 1], [1, 2], [1, 2], [2, 3]]),
        (["我", "", "喝", "茶"], [[0, 1], [1, 2], [1, 2], [2, 3]]),
        (["我", "喝"], None),
        (["我", "茶"], None),
        (["我", "喝", "茶", "了"], None),
        (["我", "\ufffd", "茶", "了"], None),
        (["token_id:5", "token_id:6"], None),
    ],
)
def test_tokens_spell_the_sentence_or_not(tokens: list[str], spans: list[list[int]] | None) -> None:
    """喝 is e5 96 9d in UTF-8."""
    found = spell("我喝茶", tokens)
    assert (None if found is None else found.tolist()) == spans


# What is refused; nothing of it may be stored.


@pytest.mark.parametrize(
    "reply",
    [
        (400, '{"error": {"message": "Only no echo is supported", "code": 400}}'),
        (500, '{"error": {"message": "Only no echo is supported", "code": 500}}'),
        {"choices": [{"text": "喝", "logprobs": {"content": [{"token": "喝", "logprob": -1.5, "top_logprobs": []}]}}]},
        {"choices": [{"text": "喝", "logprobs": None}]},
        {"choices": [{"message": {"content": "喝"}}]},
        answer(["喝"], [-1.5]),
        answer(["我茶"], [-1.5]),  # by chance the sentence itself, but generated
        answer(["我茶"], [-1.5], usage={"completion_tokens": 1}),
        answer([], []),
    ],
)
def test_a_server_without_echo_is_refused(server: Server, reply: Reply, tmp_path: Path) -> None:
    """llama.cpp's server has none, nor have chat endpoints."""
    server.usual = lambda prompt: reply
    with pytest.raises(InputError, match=r"no log-probabilities of the prompt for m\. .* llama\.cpp"):
        list(load_api(server.url, "m", cache=tmp_path).score(["我茶"]))
    assert (server.asked, list(tmp_path.iterdir())) == (["我茶"], [])


FAULTS: list[tuple[Reply, str]] = [
    (b"not json", "no answer after 2 tries: the answer is not JSON: not json"),
    (b"\xff\xfe{", "no answer after 2 tries: the answer is not JSON"),
    (b"[" * 100_000, "the answer is not JSON"),
    (b"[1, 2]", "the answer is not a JSON object"),
    ({}, "the choices of the answer are missing or malformed: {}"),
    ({"error": {"message": "no such model"}}, "no such model"),
    ({"choices": []}, "the choices of the answer are missing"),
    ({"choices": [3]}, "the choices of the answer are missing"),
    (answer(["我", "茶", "了"], [None, -1.0]), "the logprobs of the answer are missing or malformed"),
    (answer(["我", "茶", "了"], [None, "-1", -1]), "the logprobs of the answer are missing or malformed"),
    (answer(["我", 5, "了"], [None, -1, -1]), "the logprobs of the answer are missing or malformed"),  # type: ignore[list-item]
    ({"choices": [{"logprobs": {"tokens": ["我", "茶", "了"]}}]}, "the logprobs of the answer are missing"),
    (answer(["我", "茶", "了"], [None, None, -1]), "gives null as the log-probability of 茶, token 1 of 我茶"),
    (answer(["<s>", "我", "茶", "了"], [None, None, -1, -1]), "gives null as the log-probability of 我"),
    (answer(["我", "茶", "了"], [None, 0.5, -1]), "gives 0.5 as the log-probability of 茶"),
    (answer(["我", "茶", "了"], [None, float("nan"), -1]), "gives nan for token 1 of 我茶"),
    (answer(["我", "茶", "了"], [None, -9999.0, -1]), "gives -inf for token 1 of 我茶"),
    (answer(["我", "了"], [None, -1.0]), "do not spell the sentence 我茶: '我', '了'"),
    (answer(["你", "我", "茶", "了"], [None, -1, -1, -1]), "do not spell the sentence 我茶"),
    (answer(["我", "茶", "了", "吗"], [None, -1, -1, -1]), "do not spell the sentence 我茶"),
    ((404, "no such page"), "no answer after 1 try: 404 no such page"),
    ((503, "busy"), "no answer after 2 tries: 503 busy"),
    ("drop", "no answer after 2 tries: "),
    ("cut", "no answer after 2 tries: IncompleteRead"),
    ("late", "no answer after 2 tries: timed out"),
]


@pytest.mark.parametrize(("reply", "message"), FAULTS, ids=[str(n) for n in range(len(FAULTS))])
def test_every_fault_of_a_server_is_a_clear_error_and_is_not_stored(
    server: Server, reply: Reply, message: str, tmp_path: Path
) -> None:
    server.usual = lambda prompt: reply
    model = load_api(server.url, "m", cache=tmp_path)
    model.tries, model.timeout = 2, 0.5 if reply == "late" else 20
    with pytest.raises(InputError) as raised:
        list(model.score(["我茶"]))
    assert message in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_busy_server_is_asked_again(server: Server) -> None:
    server.replies = [(503, ""), (429, ""), "drop"]
    assert next(load_api(server.url, "m").score(["我茶"])).logprob == -1.0
    assert len(server.asked) == 4


def test_a_server_that_is_not_there_or_an_address_that_is_none_is_an_error(server: Server) -> None:
    with pytest.raises(InputError, match="no answer after 5 tries"):
        list(load_api("http://127.0.0.1:9", "m").score(["我茶"]))
    for url in ("localhost:8000", "file:///etc/passwd", "http://a b"):
        with pytest.raises(InputError, match="is not the address of a server"):
            load_api(url, "m")
    with pytest.raises(InputError, match="BIDUI_API_KEY") as raised:
        load_api(server.url, "m", key="secret\nkey")
    assert "secret" not in str(raised.value)


def test_the_command_ends_with_2_and_resumes_when_the_server_is_mended(server: Server, tmp_path: Path) -> None:
    """What was scored before the fault is kept, and requested once."""
    pairs = [{"sentence_good": "我茶", "sentence_bad": "茶我", "UID": "u", "phenomenon": "p", "pairID": "0"}]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    command = [sys.executable, "-m", "bidui", "score", "pairs.jsonl", "--model", f"api:{server.url}?model=m"]
    server.replies = [echo, answer(["茶", "了"], [None, -1.0])]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    assert "do not spell the sentence 茶我" in "".join(ended.stderr.split("\n"))
    server.usual = echo
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0
    assert server.asked == ["我茶", "茶我", "我茶", "茶我"]  # the third to see whether the server is still the same


# The cache


def store(folder: Path, url: str, *lines: object, end: str = "\n") -> Path:
    """Write a cache as earlier versions did."""
    file = load_api(url, "m", cache=folder).cache
    assert file is not None
    texts = (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    file.write_bytes(("\n".join(texts) + end).encode())
    return file


def line(sentence: str, tokens: list[str], logprobs: list[float | None]) -> dict[str, object]:
    offsets = np.cumsum([0, *map(len, tokens)])[:-1].tolist()
    return {"sentence": sentence, "tokens": tokens, "text_offset": offsets, "token_logprobs": logprobs}


def test_a_bad_answer_in_an_old_cache_is_not_trusted(server: Server, tmp_path: Path) -> None:
    """Earlier versions stored answers before they were checked."""
    good = line("我喝茶", ["<s>", "我", "喝", "茶", "！"], [None, -4, -5, -6, -1])  # vLLM's, once cut to 我
    bad = [line("我茶", ["我", "了"], [None, -1]), line("你茶", ["你", "茶", "了"], [None, None, -1]), "[]", '{"a": 1}']
    store(tmp_path, server.url, good, *bad)
    found = list(load_api(server.url, "m", cache=tmp_path).score(["我喝茶"]))
    assert (found[0].logprobs.tolist(), server.asked) == ([-4, -5, -6], [])
    server.replies = [answer(["<s>", "我", "喝", "茶", "！"], [None, -4, -5.25, -6, -1])]  # rounded differently
    found = list(load_api(server.url, "m", cache=tmp_path).score(["我喝茶", "我茶", "你茶"]))
    assert [scores.logprob for scores in found] == [-15, -1, -1]
    assert server.asked == ["我喝茶", "我茶", "你茶"]  # the first to see whether the server is still the same
    list(load_api(server.url, "m", cache=tmp_path).score(["我茶", "你茶"]))
    assert len(server.asked) == 3


def test_a_line_cut_by_a_kill_costs_one_request_and_no_other_line(server: Server, tmp_path: Path) -> None:
    """The next answer used to be glued to it; the cut may go through a character."""
    file = store(tmp_path, server.url, line("我茶", ["我", "茶", "！"], [None, -1, -1]), '{"sentence": "你', end="")
    file.write_bytes(file.read_bytes()[:-1])
    assert len(list(load_api(server.url, "m", cache=tmp_path).score(["我茶", "你茶"]))) == 2
    asked = len(server.asked)
    assert [s.logprob for s in load_api(server.url, "m", cache=tmp_path).score(["我茶", "你茶"])] == [-1, -1]
    assert len(server.asked) == asked


def test_answers_of_another_model_under_the_same_name_are_not_mixed(server: Server, tmp_path: Path) -> None:
    file = store(tmp_path, server.url, line("我喝茶", ["我", "喝", "茶", "！"], [None, -7, -8, -1]))
    with pytest.raises(InputError, match=r"now gives 我喝茶 a log-probability of -3\.00, and gave it -15\.00 before"):
        list(load_api(server.url, "m", cache=tmp_path).score(["我茶"]))
    assert len(file.read_text().splitlines()) == 1
