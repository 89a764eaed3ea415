"""What can be wrong with the text of a rule, before anything else is looked at."""

from bidui.messages.message import Message

RULES: dict[str, Message] = {
    # the rule as a whole
    "rule-not-a-text": {
        "en": "the rule must be one text, such as `pos:NN`, not a list or a group of keys; join alternatives by ` | `",
        "zh": "规则应是一段文本，如 `pos:NN`，而不是列表或一组键；备选项之间用 ` | ` 隔开",
    },
    "slot-without-rule": {
        "en": 'there is no rule; write one such as `pos:NN`, or `""` for nothing at all',
        "zh": '没有规则；请写上，如 `pos:NN`；若什么都不填，请写 `""`',
    },
    "rule-too-long": {
        "en": "the rule has {length} characters, and {limit} are allowed; make some of its alternatives a phrase",
        "zh": "规则长 {length} 个字符，上限为 {limit}；请将部分备选项改写成短语",
    },
    "alternative-empty": {
        "en": 'an alternative is empty; write `""` for nothing at all, or remove the `|` or the weight',
        "zh": '有一个备选项是空的；若什么都不填，请写 `""`，否则请删去 `|` 或权重',
    },
    "weight-zero": {
        "en": "an alternative of weight 0 is never drawn; write a weight above 0, or remove the alternative",
        "zh": "权重为 0 的备选项永远不会被抽到；请写大于 0 的权重，或删去这个备选项",
    },
    # quotes, backslashes, brackets
    "quote-open": {
        "en": 'the quotes that open here are not closed: {text}; write `"` at the end of the word and a blank after it',
        "zh": '这里的引号没有闭合：{text}；请在词尾写上 `"`，其后空一格',
    },
    "quote-inside": {
        "en": 'a quotation mark inside a word: {text}; put the whole word in quotes, or write `\\"` for the mark',
        "zh": '词的中间有引号：{text}；请给整个词加引号，或用 `\\"` 表示引号本身',
    },
    "escape-unknown": {
        "en": "a backslash that escapes nothing: {text}\n"
        '    It may stand before a blank and before `\\ | : / " < > ( ) = # @ , * ! -`; for itself write `\\\\`',
        "zh": "反斜杠没有转义任何字符：{text}\n"
        '    它可用在空格或 `\\ | : / " < > ( ) = # @ , * ! -` 之前；反斜杠本身请写 `\\\\`',
    },
    "bracket-open": {
        "en": "the bracket is not closed: {text}; add `{char}`, or put a backslash before a bracket that is only text",
        "zh": "括号没有闭合：{text}；请补上 `{char}`；若是字面的括号，请在前面加反斜杠",
    },
    "bracket-stray": {
        "en": "the bracket `{char}` does not belong here; remove it, or write `\\{char}` for the character itself",
        "zh": "这里不应有括号 `{char}`；请删去；若是字面的括号，请写 `\\{char}`",
    },
    "bracket-too-deep": {
        "en": "three brackets inside each other; two are allowed, as in `obj:<rel:fills(box, thing)>`",
        "zh": "括号嵌套了三层；最多两层，如 `obj:<rel:fills(box, thing)>`",
    },
    # words and features
    "empty-among-words": {
        "en": '`""` stands among other words; make it an alternative of its own, as in `自己 | ""`',
        "zh": '`""` 夹在别的词中间；请单独作为一个备选项，如 `自己 | ""`',
    },
    "words-among-features": {
        "en": "the word {text} stands among features; write it as `feature:value`,"
        " or make it an alternative of its own, as in `pos:PN | 自己`\n"
        '    If the others are words too, put those that have a colon in quotes, as in `"13:30"`',
        "zh": "词 {text} 夹在特征中间；请写成 `特征:值`，或单独作为一个备选项，如 `pos:PN | 自己`\n"
        '    若其余的也是词，请给含冒号的词加引号，如 `"13:30"`',
    },
    "value-missing": {
        "en": "`{feature}` lacks its name or a value; write `feature:value` without blanks, as in `pos:NN`",
        "zh": "`{feature}` 缺少名称或值；请写成 `特征:值`，中间不留空格，如 `pos:NN`",
    },
    "colon-twice": {
        "en": "more than one colon: {text}; put a blank between two features, or write `\\:` for a colon in a value",
        "zh": "不止一个冒号：{text}；两个特征之间请空一格，值里的冒号请写 `\\:`",
    },
    # matches and relations
    "link-half": {
        "en": "`{have}` stands without its `{lack}`; a link needs both, as in `mPos:who mPro:gender`",
        "zh": "`{have}` 没有配上 `{lack}`；关联须两者俱全，如 `mPos:who mPro:gender`",
    },
    "property-form": {
        "en": '"{text}" is not a property to match; write `gender`, or `takes=class` for two different features,'
        " or `classifier#1` for a named link",
        "zh": "“{text}”不是可匹配的属性；请写 `gender`；两边特征不同时写 `takes=class`；有名称的关联写 `classifier#1`",
    },
    "share-mismatch": {
        "en": "{text} names a shared value, and a mismatch shares none; remove the `#` and the name after it",
        "zh": "{text} 指定了共有的值，而不匹配没有共有的值；请删去 `#` 及其后的名称",
    },
    "relation-form": {
        "en": "not how a relation is written: {text}; give its name and slots, as in `rel:fills(box, thing, verb)`",
        "zh": "关系的写法不对：{text}；请写出名称和槽位，如 `rel:fills(box, thing, verb)`",
    },
    "slot-form": {
        "en": '"{text}" is not the name of a slot; write one as in `subj`, or a part of its phrase as in `subj.head`',
        "zh": "“{text}”不是槽位名；请写槽位，如 `subj`，或其短语的成分，如 `subj.head`",
    },
    # phrases in rules
    "phrase-not-first": {
        "en": "`phrase:` must come first; add features to its parts in brackets, as in `phrase:VP obj:<animate:1>`",
        "zh": "`phrase:` 应写在最前面，对成分的附加条件写在尖括号里，如 `phrase:VP obj:<animate:1>`",
    },
    "override-form": {
        "en": "only features and links of a part can be added to a phrase, not {text};"
        " write `part:<…>`, as in `phrase:VP obj:<mPos:subj mPro:number>`",
        "zh": "对短语只能附加某个成分的特征和关联，不能是 {text}；"
        "请写成 `成分:<…>`，如 `phrase:VP obj:<mPos:subj mPro:number>`",
    },
}
