"""The words of every problem, in English and Chinese: what is wrong, the value, and the fix.

A section is one dict in one module; a new section is a new module, and one more line in `MESSAGES`.
Placeholders are names that every place gives which makes such a problem; `tests/test_messages.py` watches this.

The place (file, line, column, slot) is printed before a message and is not repeated in it. A fix follows a semicolon
or a full stop, or stands on a second line, indented by four spaces. Forms that the user may write are in backticks.

Glossary, so that one thing has one name:

    paradigm 句型      variant 变体     slot 槽位       rule 规则        alternative 备选项   weight 权重
    lexicon 词库       word 词         feature 特征    value 值         column 列    row 行   cell 单元格
    phrase 短语        part 成分       head 中心语     depth 深度       link 关联             literal word 字面词
    match 匹配         mismatch 不匹配  relation 关系   condition 条件   position 位置         template 模板
    line (good, bad) 句行             pair 句对       sentence 句子    phenomenon 现象       key 键
    project 项目       folder 文件夹    manifest 清单
"""

from bidui.messages.analysis import ANALYSIS
from bidui.messages.api import API
from bidui.messages.checks import CHECKS
from bidui.messages.classic import CLASSIC
from bidui.messages.corpora import CORPORA
from bidui.messages.curves import CURVES
from bidui.messages.drawing import DRAWING
from bidui.messages.editing import EDITING
from bidui.messages.figures import FIGURES
from bidui.messages.files import FILES
from bidui.messages.length_bias import LENGTH_BIAS
from bidui.messages.lexicon import LEXICON
from bidui.messages.linking import LINKING
from bidui.messages.message import Language, Message
from bidui.messages.models import MODELS
from bidui.messages.ngrams import NGRAMS
from bidui.messages.pairs import PAIRS
from bidui.messages.paradigms import PARADIGMS
from bidui.messages.published import PUBLISHED
from bidui.messages.report import REPORT
from bidui.messages.rules import RULES
from bidui.messages.store import STORE
from bidui.messages.suite import SUITE
from bidui.messages.training import TRAINING
from bidui.messages.web import WEB

__all__ = ["GUESS", "MESSAGES", "PARTS", "Language", "Message"]

# How a message names what may have been meant; it goes without where there is nothing to name.
GUESS = {"en": "; perhaps one of: {name}", "zh": "；或许是：{name}"}
# The words with which a place names a part of a file, in Chinese.
PARTS = {"slot": "槽位", "variant": "变体", "phrase": "短语", "part": "成分", "line": "句行", "column": "列"}

MESSAGES: dict[str, Message] = {
    **FILES,
    **DRAWING,  # any file: bytes, YAML, keys and values
    **LEXICON,  # lexicons and relations
    **RULES,  # the rule of a slot
    **PARADIGMS,  # lines, paradigms, phrases, projects
    **MODELS,  # models, scores, linking functions
    **TRAINING,  # recipes and runs
    **LINKING,  # rules, phrases and lexicon brought together
    **CHECKS,  # finished paradigms, checked
    **CLASSIC,  # classic templates, read and written
    **CORPORA,  # text for training, tokenizers, shards
    **ANALYSIS,  # what is to be analysed
    **CURVES,  # scaling, learning curves, difficulty, regions
    **LENGTH_BIAS,  # delta-acc, alpha, beta and gamma
    **FIGURES,  # figures, drawn and saved
    **NGRAMS,  # n-gram models, estimated
    **PAIRS,  # pairs and the folders they are kept in
    **STORE,  # the workbench: projects, revisions, accounts
    **API,  # the workbench: its calls
    **EDITING,  # the workbench: edits and previews
    **WEB,  # the workbench: requests and sessions, and how it is started
    **REPORT,  # results, reports, and what they lack
    **PUBLISHED,  # published results, ratings, word lists
    **SUITE,  # a suite of training runs
}
