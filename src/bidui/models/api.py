"""Models behind an HTTP server that speaks `/v1/completions` and echoes the prompt's log-probabilities.

vLLM, llama.cpp and OpenAI's older models do. A server that gives none for the prompt, such as any chat endpoint, is
refused: what a model would say next does not measure the sentence. Answers are stored in a file as they come, so that
nothing is requested, or paid for, twice.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bidui.errors import Place, fail
from bidui.files import sha256
from bidui.models.model import Declared, HasTexts, TokenScores, refuse_broken, stable_ids

_PARTS = ("tokens", "text_offset", "token_logprobs")
RETRY = {408, 409, 425, 429, 500, 502, 503, 504}


@dataclass(slots=True)
class ApiModel(HasTexts):
    """A model on a server; `spent` counts the tokens of all requests."""

    name: str
    url: str
    declared: Declared
    key: str | None = None
    cache: Path | None = None
    timeout: float = 60.0
    tries: int = 5
    per_second: float | None = None  # most requests per second
    answers: dict[str, dict[str, list[object]]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    spent: int = 0
    last: float = 0.0

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        for sentence in sentences:
            if sentence not in self.answers:
                self._store(sentence, self._request(sentence))
            yield self._scores(sentence, self.answers[sentence])

    def _scores(self, sentence: str, answer: dict[str, list[object]]) -> TokenScores:
        rows = [
            (str(token), int(str(start)), float(str(logprob)))
            for token, start, logprob in zip(
                answer["tokens"], answer["text_offset"], answer["token_logprobs"], strict=True
            )
            if logprob is not None and int(str(start)) < len(sentence)
        ]
        starts = np.array([start for _, start, _ in rows], np.int32)
        ends = np.append(starts[1:], np.int32(len(sentence)))
        ends = np.maximum(ends, np.minimum(starts + 1, len(sentence))).astype(np.int32)  # parts of one character
        logprobs = np.array([logprob for _, _, logprob in rows], np.float32)
        ids = stable_ids((token for token, _, _ in rows), self.texts)
        refuse_broken(sentence, ends, logprobs, model=self.name)
        return TokenScores(sentence, ids, starts, ends, logprobs)

    def _request(self, sentence: str) -> dict[str, list[object]]:
        body = {"model": self.declared["model"], "prompt": sentence, "max_tokens": 1, "temperature": 0}
        answer = self._post({**body, "echo": True, "logprobs": 1})
        try:
            logprobs = answer["choices"][0]["logprobs"]  # type: ignore[index]
            parts = {name: list(logprobs[name]) for name in _PARTS}
        except (KeyError, IndexError, TypeError) as error:
            raise fail("api-no-prompt-logprobs", Place(self.url), {"model": self.name}) from error
        if sum(int(str(start)) < len(sentence) for start in parts["text_offset"]) < 1:
            raise fail("api-no-prompt-logprobs", Place(self.url), {"model": self.name})
        usage = answer.get("usage")
        self.spent += int(usage.get("total_tokens", 0)) if isinstance(usage, dict) else len(parts["tokens"])
        return parts

    def _post(self, body: dict[str, object]) -> dict[str, object]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        reason = ""
        for attempt in range(self.tries):
            self._wait(attempt)
            request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                    answer: dict[str, object] = json.loads(reply.read())
                    return answer
            except urllib.error.HTTPError as error:
                reason = f"{error.code} {error.read(300).decode('utf-8', 'replace')}"
                if error.code not in RETRY:
                    break
            except (OSError, ValueError) as error:
                reason = str(error)
        raise fail("api-failed", Place(self.url), {"reason": reason.strip(), "tries": attempt + 1})

    def _wait(self, attempt: int) -> None:
        """Keep to the rate, and wait longer after each failure."""
        pause = 1 / self.per_second - (time.monotonic() - self.last) if self.per_second else 0.0
        time.sleep(max(0.0, pause, 0.5 * 2**attempt if attempt else 0.0))
        self.last = time.monotonic()

    def _store(self, sentence: str, answer: dict[str, list[object]]) -> None:
        self.answers[sentence] = answer
        if self.cache is not None:
            self.cache.parent.mkdir(parents=True, exist_ok=True)
            with self.cache.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"sentence": sentence, **answer}, ensure_ascii=False) + "\n")


def load_api(
    url: str, model: str, *, key: str | None = None, cache: Path | None = None, per_second: float | None = None
) -> ApiModel:
    """Return the model of that name on a server; `cache` is a folder for its answers."""
    address = url.rstrip("/")
    address = address if address.endswith("/completions") else f"{address}/v1/completions"
    file = cache / f"{sha256(f'{address} {model}'.encode())[:16]}.jsonl" if cache else None
    declared: Declared = {"kind": "api", "model": model, "bos": None, "eos": False}
    declared |= {"first_token": None, "dtype": "the server's", "url": address}
    loaded = ApiModel(model.replace("/", "--"), address, declared, key, file, per_second=per_second)
    if file is not None and file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                answer = json.loads(line)
            except ValueError:
                continue  # the last line of an interrupted run
            loaded.answers[answer.pop("sentence")] = answer
    return loaded
