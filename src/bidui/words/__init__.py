"""Every text that users see, in English and Chinese.

The texts are data: `problems.tsv` holds the messages of problems by their kind, `report.tsv` the words of reports and
figures, `pages.tsv` the words of the workbench, `study.tsv` what participants of a study read. Each row has a key, the
English text and the Chinese one; a row that starts with `#` is a comment. A line break, tab or backslash in a text is
written `\\n`, `\\t`, `\\\\`. Placeholders such as `{count}` are filled in by the caller; in a problem,
`{count:word|words}` is the singular or the plural. `tests/test_words.py` checks that every problem has its words.

A message does not repeat the place (file, line, column, slot), which is printed before it. The remedy follows after a
semicolon or on a second line indented by four spaces. What the user may type is in backticks.

Glossary, so that each thing has one name:

    paradigm 句型      variant 变体     slot 槽位       rule 规则        alternative 备选项   weight 权重
    lexicon 词库       word 词         feature 特征    value 值         column 列    row 行   cell 单元格
    phrase 短语        part 成分       head 中心语     depth 深度       link 关联             literal word 字面词
    match 匹配         mismatch 不匹配  relation 关系   condition 条件   position 位置         template 模板
    line (good, bad) 句行             pair 句对       sentence 句子    phenomenon 现象       key 键
    project 项目       folder 文件夹    manifest 清单
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

Language = Literal["en", "zh"]
Table = Literal["problems", "report", "pages", "study"]
Say = Callable[[str], str]  # the text of a key, in a language chosen before
COLUMNS: dict[Language, int] = {"en": 1, "zh": 2}
_ESCAPES = {r"\n": "\n", r"\t": "\t", r"\\": "\\"}


@cache
def texts(table: Table, language: Language) -> Mapping[str, str]:
    """Return the texts of a table in one language, by key."""
    column = COLUMNS[language]
    return {cells[0]: cells[column] for cells in rows(table)}


def rows(table: Table) -> Iterator[list[str]]:
    """Read the rows of a table (key, English, Chinese), without its head and comments."""
    _, *lines = (Path(__file__).parent / f"{table}.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if not line.startswith("#"):
            cells = line.split("\t")
            yield [re.sub(r"\\.", lambda match: _ESCAPES[match[0]], cell) for cell in cells] if "\\" in line else cells
