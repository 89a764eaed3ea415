"""Models behind an HTTP server that speaks `/v1/completions` and echoes the prompt's log-probabilities.

vLLM and OpenAI's older models do. A server that gives none for the prompt, such as llama.cpp's or any chat endpoint, is
refused: what a model would say next does not measure the sentence. Every answer is checked: its tokens must spell the
sentence. Checked answers are stored in a file as they come, so that nothing is requested, or paid for, twice.
"""

import functools
import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import InputError, Place, fail
from bidui.files import reason as system_reason
from bidui.files import sha256
from bidui.models.model import Declared, HasTexts, TokenScores, refuse_broken, stable_ids

RETRY = {408, 409, 425, 429, 500, 502, 503, 504}
LOWEST = -9999.0  # what servers write for minus infinity, which JSON does not have
CHANGE = 0.5  # nats per token by which a server may answer differently, since it rounds differently in other batches
_LOST = re.compile("\ufffd+")  # what is written for bytes that are not whole characters
_SPECIAL = re.compile(r"|\s*[<\[].*[>\]]\s*", re.DOTALL)  # BOS or EOS: nothing, <s>, <|end|>, [CLS]


@dataclass(frozen=True, slots=True)
class Answer:
    """The tokens of the prompt that a server echoed, then those that it generated, with their log-probabilities."""

    tokens: list[str]
    logprobs: list[float | None]
    generated: int | None = None  # how many were generated, if the server says so


@dataclass(slots=True, repr=False)
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
    answers: dict[str, Answer] = field(default_factory=dict)  # read from the cache, or checked
    texts: dict[int, str] = field(default_factory=dict)
    spent: int = 0
    last: float = 0.0
    unchanged: bool = True  # whether the server still gives the answers in the cache

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        for sentence in sentences:
            scores = self._stored(sentence)
            if scores is None:
                self._refuse_change()
                answer = self._request(sentence)
                scores = self._scores(sentence, answer)  # before it is stored
                self._store(sentence, answer)
            yield scores

    def _stored(self, sentence: str) -> TokenScores | None:
        """Return the scores by a stored answer; one that does not stand the check is not trusted."""
        if sentence not in self.answers:
            return None
        try:
            return self._scores(sentence, self.answers[sentence])
        except InputError:
            del self.answers[sentence]
            return None

    def _scores(self, sentence: str, answer: Answer) -> TokenScores:
        first, spans = self._spelling(sentence, answer)
        tokens = answer.tokens[first : first + len(spans)]
        values = answer.logprobs[first : first + len(spans)]
        if first == 0 and values[0] is None:  # nothing stands before it
            tokens, values, spans = tokens[1:], values[1:], spans[1:]
        for number, (token, value) in enumerate(zip(tokens, values, strict=True), start=1):
            if value is None or value > 1e-6:
                found = {"token": token, "value": json.dumps(value), "number": number, "sentence": sentence}
                raise fail("api-logprob", Place(self.url), found)
        logprobs = np.array([-np.inf if value is None or value <= LOWEST else value for value in values], np.float32)
        refuse_broken(sentence, spans[:, 1], logprobs, model=self.name)
        return TokenScores(sentence, stable_ids(tokens, self.texts), spans[:, 0], spans[:, 1], logprobs)

    def _spelling(self, sentence: str, answer: Answer) -> tuple[int, NDArray[np.int32]]:
        """Return which token is the first of the sentence, and the characters that each of its tokens covers.

        Offsets of the server are not used: some count the text of BOS, or the bytes of a divided character, and some
        do not. The tokens around the sentence may only be special ones, and at the end one that was generated.
        """
        counts = dict.fromkeys((1 if answer.generated is None else answer.generated, 1, 0))
        for generated in counts:
            prompt = answer.tokens[: len(answer.tokens) - generated]
            if answer.generated != generated == 0 and answer.logprobs[:1] != [None]:
                continue  # nothing says that these tokens are the prompt's
            for first in range(min(3, len(prompt))):
                for last in (len(prompt), len(prompt) - 1):
                    around = (*prompt[:first], *prompt[last:])
                    if first < last and all(map(_SPECIAL.fullmatch, around)):
                        spans = spell(sentence, prompt[first:last])
                        if spans is not None:
                            return first, spans
        if len(answer.tokens) <= max(counts):
            raise fail("api-no-prompt-logprobs", Place(self.url), {"model": self.name})
        raise fail("api-tokens", Place(self.url), {"sentence": sentence, "tokens": [repr(t) for t in answer.tokens]})

    def _request(self, sentence: str) -> Answer:
        body = {"model": self.declared["model"], "prompt": sentence, "max_tokens": 1, "temperature": 0}
        content = self._post({**body, "echo": True, "logprobs": 1})
        answer = self._answer(content)
        usage = content.get("usage")
        total = usage.get("total_tokens") if isinstance(usage, dict) else None
        self.spent += total if isinstance(total, int) else len(answer.tokens)
        return answer

    def _answer(self, content: Mapping[str, object]) -> Answer:
        """Read the parts of an answer; without a list of log-probabilities, the server does not echo them."""
        choices = content.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            raise fail("api-answer", Place(self.url), {"part": "choices", "answer": json.dumps(content)})
        logprobs = choice.get("logprobs")
        if not isinstance(logprobs, dict) or "tokens" not in logprobs:
            raise fail("api-no-prompt-logprobs", Place(self.url), {"model": self.name})
        usage = content.get("usage")
        generated = usage.get("completion_tokens") if isinstance(usage, dict) else None
        parts = {"tokens": logprobs["tokens"], "logprobs": logprobs.get("token_logprobs"), "generated": generated}
        answer = read_answer(parts)
        if answer is None:
            raise fail("api-answer", Place(self.url), {"part": "logprobs", "answer": json.dumps(logprobs)})
        return answer

    def _post(self, body: dict[str, object]) -> dict[str, object]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        reason, data = "", b""
        for attempt in range(self.tries):
            self._wait(attempt)
            try:
                request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
                with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                    data = reply.read()
                content = json.loads(data)
                if isinstance(content, dict):
                    return content
                reason = f"the answer is not a JSON object: {data[:200].decode('utf-8', 'replace')}"
            except urllib.error.HTTPError as error:
                reason = f"{error.code} {_body(error)}"
                if "echo" in reason:  # llama.cpp: "Only no echo is supported"
                    raise fail("api-no-prompt-logprobs", Place(self.url), {"model": self.name}) from error
                if error.code not in RETRY:
                    break
            except (ValueError, RecursionError):
                reason = f"the answer is not JSON: {data[:200].decode('utf-8', 'replace')}"
            except (OSError, http.client.HTTPException) as error:
                reason = str(error) or type(error).__name__
        raise fail("api-failed", Place(self.url), {"reason": reason.strip(), "tries": attempt + 1})

    def _wait(self, attempt: int) -> None:
        """Keep to the rate, and wait longer after each failure."""
        pause = 1 / self.per_second - (time.monotonic() - self.last) if self.per_second else 0.0
        time.sleep(max(0.0, pause, 0.5 * 2**attempt if attempt else 0.0))
        self.last = time.monotonic()

    def _refuse_change(self) -> None:
        """Before the first new request, repeat one whose answer is stored: the server may run another model by now."""
        for sentence in () if self.unchanged else tuple(self.answers):
            stored = self._stored(sentence)
            if stored is None:
                continue
            now = self._scores(sentence, self._request(sentence))
            if not np.array_equal(now.ids, stored.ids) or abs(now.logprob - stored.logprob) > CHANGE * len(now):
                values = {"sentence": sentence, "old": f"{stored.logprob:.2f}", "new": f"{now.logprob:.2f}"}
                raise fail("api-changed", Place(str(self.cache)), values)
            break
        self.unchanged = True

    def _store(self, sentence: str, answer: Answer) -> None:
        self.answers[sentence] = answer
        if self.cache is None:
            return
        line = {"sentence": sentence, "tokens": answer.tokens, "token_logprobs": answer.logprobs}
        try:
            self.cache.parent.mkdir(parents=True, exist_ok=True)
            with self.cache.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**line, "generated": answer.generated}) + "\n")
        except OSError as error:
            raise fail("write-failed", Place(str(self.cache)), {"reason": system_reason(error)}) from error


def load_api(
    url: str, model: str, *, key: str | None = None, cache: Path | None = None, per_second: float | None = None
) -> ApiModel:
    """Return the model of that name on a server; `cache` is a folder for its answers."""
    address = url.rstrip("/")
    address = address if address.endswith("/completions") else f"{address}/v1/completions"
    if not re.fullmatch(r"https?://[!-~]+", address):
        raise fail("api-url", Place(), {"url": url})
    if key is not None and not re.fullmatch("[!-~]+", key):
        raise fail("api-key", Place(), {})
    file = cache / f"{sha256(f'{address} {model}'.encode())[:16]}.jsonl" if cache else None
    declared: Declared = {"kind": "api", "model": model, "bos": None, "eos": False}
    declared |= {"first_token": None, "dtype": "the server's", "url": address}
    answers = _read_cache(file) if file is not None and file.is_file() else {}
    name = model.replace("/", "--")
    return ApiModel(name, address, declared, key, file, per_second=per_second, answers=answers, unchanged=not answers)


def _read_cache(file: Path) -> dict[str, Answer]:
    """Read stored answers; what an interrupted run left of a line is skipped, and the next answer begins a new line."""
    try:
        data = file.read_bytes()
        if data and not data.endswith(b"\n"):
            with file.open("ab") as end:
                end.write(b"\n")
    except OSError as error:
        raise fail("file-unreadable", Place(str(file)), {"reason": system_reason(error)}) from error
    answers = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        try:
            record = json.loads(line)
            parts = {"tokens": record["tokens"], "logprobs": record["token_logprobs"]}
            answer = read_answer(parts | {"generated": record.get("generated")})
            if answer is not None:
                answers[str(record["sentence"])] = answer
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return answers


def read_answer(parts: Mapping[str, object]) -> Answer | None:
    """Return an answer with a log-probability, or null, for each token; None if the parts are not such lists."""
    tokens, logprobs, generated = parts["tokens"], parts["logprobs"], parts["generated"]
    if not isinstance(tokens, list) or not isinstance(logprobs, list) or len(tokens) != len(logprobs):
        return None
    numbers = all(value is None or type(value) in (int, float) for value in logprobs)
    if not numbers or not all(isinstance(token, str) for token in tokens):
        return None
    return Answer(tokens, logprobs, generated if type(generated) is int and 0 <= generated <= len(tokens) else None)


def _body(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(300).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return str(error.reason)


def spell(sentence: str, tokens: Sequence[str]) -> NDArray[np.int32] | None:
    """Return the characters that each token covers, if the tokens spell the sentence one after the other; else None.

    Blanks may be added or missing, since some tokenizers count them as part of a word. A token that is part of a
    character covers all of it; so does a token without text, which a server gives for a part of the next character.
    """
    data = sentence.encode("utf-8", "surrogatepass")
    owners = [place for place, char in enumerate(sentence) for _ in char.encode("utf-8", "surrogatepass")]
    owners.append(len(sentence))
    blanks = list(range(len(data) + 1))  # where the blanks that begin at each byte end
    for start in range(len(data) - 1, -1, -1):
        if sentence[owners[start]].isspace() and (start == 0 or owners[start - 1] != owners[start]):
            blanks[start] = blanks[start + len(sentence[owners[start]].encode())]
    ways: list[dict[int, tuple[int, int]]] = [{0: (0, 0)}]  # after each token: its end, by the end before and its start
    for token in tokens:
        reached: dict[int, tuple[int, int]] = {}
        for before in ways[-1]:
            for start in dict.fromkeys((before, blanks[before])):
                for end in _ends(data, start, token):
                    reached.setdefault(end, (before, start))
        ways.append(reached)
    ends = sorted((end for end in ways[-1] if blanks[end] == len(data)), reverse=True)
    if not ends:
        return None
    spans, end = np.zeros((len(tokens), 2), np.int32), ends[0]
    for number in range(len(tokens), 0, -1):
        before, start = ways[number][end]
        last = owners[end - 1] + 1 if end > start else min(owners[start] + (not tokens[number - 1]), len(sentence))
        spans[number - 1] = (owners[start], last)
        end = before
    return spans


def _ends(data: bytes, start: int, token: str) -> Iterator[int]:
    """Yield where a token that begins at a byte may end; more than one place if the server did not give its bytes."""
    for form in _forms(token):
        if data.startswith(form, start):
            yield start + len(form)
    if "\ufffd" in token:  # part of a character
        wanted = _LOST.sub("\ufffd", token).lstrip()
        for end in range(start + 1, min(len(data), start + 4 * len(token)) + 1):
            if _LOST.sub("\ufffd", data[start:end].decode("utf-8", "replace")).lstrip() == wanted:
                yield end


def _forms(token: str) -> Iterator[bytes]:
    """Yield the bytes that a token may stand for: its text, or what is written for parts of characters."""
    text = token.replace("\u2581", " ")  # sentencepiece's blank
    for form in dict.fromkeys((token, text, token.lstrip(), text.lstrip())):
        yield form.encode("utf-8", "surrogatepass")
    if token.startswith("bytes:"):  # OpenAI: bytes:\xe5\x96
        yield re.sub(rb"\\x([0-9a-fA-F]{2})", lambda match: bytes.fromhex(match[1].decode()), token[6:].encode())
    if match := re.fullmatch("<0x([0-9a-fA-F]{2})>", token):  # sentencepiece
        yield bytes.fromhex(match[1])
    alphabet = _byte_alphabet()
    if token and all(char in alphabet for char in token):
        yield bytes(alphabet[char] for char in token)


@functools.cache
def _byte_alphabet() -> dict[str, int]:
    """Return the bytes that the characters of GPT-2's tokenizer stand for."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}
