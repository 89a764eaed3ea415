"""Offsets of a tokenizer that is run by sentencepiece."""

import os
from pathlib import Path

import pytest

from bidui.models.tokenize import encode
from bidui.training.tokenizers import load_tokenizer

SHARED = os.environ.get("BIDUI_SHARED")


@pytest.mark.skipif(not SHARED, reason="needs the Chinese-LLaMA tokenizer; BIDUI_SHARED says where it is")
def test_a_character_spelled_in_bytes_is_covered_by_each_of_them() -> None:
    """𠮷 is four bytes in Chinese-LLaMA's vocabulary; what comes after it must not be shifted."""
    tokenizer = load_tokenizer(Path(SHARED or "") / "data" / "tokenizers" / "chinese_llama.model")
    (found,) = encode(tokenizer, ["我𠮷喜欢 apple，他"])
    pieces = tokenizer.convert_ids_to_tokens(found.ids)
    assert pieces == ["▁我", "<0xF0>", "<0xA0>", "<0xAE>", "<0xB7>", "喜欢", "▁apple", "，", "他"]
    assert found.spans.tolist() == [[0, 1], *[[1, 2]] * 4, [2, 4], [4, 10], [10, 11], [11, 12]]
