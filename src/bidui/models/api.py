"""Models behind an HTTP server that speaks `/v1/completions` and echoes the prompt's log-probabilities.

So do vLLM, llama.cpp and OpenAI's older models. A server that gives none for the prompt (all chat endpoints) is
refused: what a model would say next is no measure of the sentence. Answers are kept in a file as they come, so that
nothing is asked, or paid for, twice.
"""

import hashlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.models.model import TokenScores, refuse_broken, stable_id

_PARTS = ("tokens", "text_offset", "token_logprobs")
RETRIED = {408, 409, 425, 429, 500, 502, 503, 504}


@dataclass(slots=True)
class ApiModel:
    """A model on a server; `spent` counts the tokens that were asked about."""

    name: str
    url: str
    declared: dict[str, str | int | bool | None]
    key: str | None = None
    cache: Path | None = None
    timeout: float = 60.0
    tries: int = 5
    per_second: float | None = None  # requests
    answers: dict[str, dict[str, list[object]]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    spent: int = 0
    last: float = 0.0

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """The scores of each sentence, in the given order."""
        for sentence in sentences:
            if sentence not in self.answers:
                self._remember(sentence, self._ask(sentence))
            yield self._scores(sentence, self.answers[sentence])

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """The tokens as the server wrote them."""
        return {number: self.texts[number] for number in ids}

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """None: a server does not say."""
        return np.zeros(len(ids), np.bool_)

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
        ids = np.array([stable_id(token, self.texts) for token, _, _ in rows], np.int32)
        refuse_broken(sentence, ends, logprobs, model=self.name)
        return TokenScores(sentence, ids, starts, ends, logprobs)

    def _ask(self, sentence: str) -> dict[str, list[object]]:
        body = {"model": self.declared["model"], "prompt": sentence, "max_tokens": 1, "temperature": 0}
        answer = self._post({**body, "echo": True, "logprobs": 1})
        try:
            found = answer["choices"][0]["logprobs"]  # type: ignore[index]
            kept = {name: list(found[name]) for name in _PARTS}
        except (KeyError, IndexError, TypeError) as error:
            raise fail("api-no-prompt-logprobs", Place(self.url), {"model": self.name}) from error
        if sum(int(str(start)) < len(sentence) for start in kept["text_offset"]) < 1:
            raise fail("api-no-prompt-logprobs", Place(self.url), {"model": self.name})
        usage = answer.get("usage")
        self.spent += int(usage.get("total_tokens", 0)) if isinstance(usage, dict) else len(kept["tokens"])
        return kept

    def _post(self, body: dict[str, object]) -> dict[str, object]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        reason = ""
        for attempt in range(self.tries):
            self._wait(attempt)
            request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                    found: dict[str, object] = json.loads(reply.read())
                    return found
            except urllib.error.HTTPError as error:
                reason = f"{error.code} {error.read(300).decode('utf-8', 'replace')}"
                if error.code not in RETRIED:
                    break
            except (OSError, ValueError) as error:
                reason = str(error)
        raise fail("api-failed", Place(self.url), {"reason": reason.strip(), "tries": attempt + 1})

    def _wait(self, attempt: int) -> None:
        """Keep to the rate asked for, and wait longer after each failure."""
        pause = 1 / self.per_second - (time.monotonic() - self.last) if self.per_second else 0.0
        time.sleep(max(0.0, pause, 0.5 * 2**attempt if attempt else 0.0))
        self.last = time.monotonic()

    def _remember(self, sentence: str, answer: dict[str, list[object]]) -> None:
        self.answers[sentence] = answer
        if self.cache is not None:
            self.cache.parent.mkdir(parents=True, exist_ok=True)
            with self.cache.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"sentence": sentence, **answer}, ensure_ascii=False) + "\n")


def load_api(
    url: str, model: str, *, key: str | None = None, cache: Path | None = None, per_second: float | None = None
) -> ApiModel:
    """The model of that name on a server; `cache` is a folder for its answers."""
    where = url.rstrip("/")
    where = where if where.endswith("/completions") else f"{where}/v1/completions"
    file = cache / f"{hashlib.sha256(f'{where} {model}'.encode()).hexdigest()[:16]}.jsonl" if cache else None
    declared: dict[str, str | int | bool | None] = {"kind": "api", "model": model, "bos": None, "eos": False}
    declared |= {"first_token": None, "dtype": "the server's", "url": where}
    found = ApiModel(model.replace("/", "--"), where, declared, key, file, per_second=per_second)
    if file is not None and file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                answer = json.loads(line)
            except ValueError:
                continue  # the last line of a run that was killed
            found.answers[answer.pop("sentence")] = answer
    return found
