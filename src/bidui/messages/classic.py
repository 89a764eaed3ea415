"""What can be wrong with classic templates, vocabularies and phrases, and what they cannot say."""

from bidui.messages.message import Message

CLASSIC: dict[str, Message] = {
    # the files
    "classic-no-templates": {
        "en": "there are no JSON templates in this place; give the folder that holds them",
        "zh": "这里没有 JSON 模板；请指定存放模板的文件夹",
    },
    "classic-not-object": {
        "en": "a template must be a JSON object with {keys}, not {value}; write it as one",
        "zh": "模板应是含 {keys} 的 JSON 对象，而不是 {value}；请改写",
    },
    "classic-key-missing": {
        "en": "the template has no `{key}`; add it (a template has {keys})",
        "zh": "模板缺少 `{key}`；请补上（模板含有 {keys}）",
    },
    "classic-key-twice": {
        "en": "these keys stand twice in one object: {keys}; keep one of each",
        "zh": "同一对象中有重复的键：{keys}；请各保留一个",
    },
    "classic-key-unknown": {
        "en": "these keys mean nothing in a template and were passed over: {keys}; check their spelling",
        "zh": "模板中没有这些键，已略过：{keys}；请检查拼写",
    },
    "classic-not-text": {
        "en": "this must be a text, not {value}; write it in double quotes",
        "zh": "这里应是文本，而不是 {value}；请用双引号括起",
    },
    "classic-not-list": {
        "en": "this must be a list of rule strings, not {value}; write one string a slot, in square brackets",
        "zh": "这里应是规则字符串的列表，而不是 {value}；请在方括号中为每个槽位写一个字符串",
    },
    "classic-not-flag": {
        "en": "this must be `true` or `false`, not {value}; write one of them without quotes",
        "zh": "这里应是 `true` 或 `false`，而不是 {value}；请写其中之一，不加引号",
    },
    "classic-unequal": {
        "en": '`good_rule` has {good} slots and `bad_rule` {bad}; write `""` where one side has nothing',
        "zh": '`good_rule` 有 {good} 个槽位，`bad_rule` 有 {bad} 个；请在没有内容的一侧写 `""`',
    },
    "classic-sides-equal": {
        "en": "`good_rule` and `bad_rule` come to the same sentence; change the bad one so that it shows the contrast",
        "zh": "`good_rule` 和 `bad_rule` 得出相同的句子；请修改 `bad_rule`，使之体现对立",
    },
    "classic-side-empty": {
        "en": "every slot of `{side}` is empty; write at least one rule",
        "zh": "`{side}` 的槽位全是空的；请至少写一条规则",
    },
    # uid and phenomenon
    "classic-uid-bad": {
        "en": 'the uid "{uid}" cannot name a file; use letters, digits, `_` and `-`',
        "zh": "uid “{uid}”不能用作文件名；请用字母、数字、`_` 和 `-`",
    },
    "classic-uid-merged": {
        "en": "several templates have the uid {uid}: {files}. They became the variants of one paradigm;"
        " if they are different paradigms, give each its own uid",
        "zh": "多个模板的 uid 都是 {uid}：{files}。它们已成为同一句型的变体；若是不同的句型，请各用各的 uid",
    },
    "classic-uid-conflict": {
        "en": "several templates have the uid {uid} and differ in {keys}: {files}; make these the same,"
        " or give each its own uid",
        "zh": "多个模板的 uid 都是 {uid}，而 {keys} 不同：{files}；请改为一致，或各用各的 uid",
    },
    "classic-strict-mixed": {
        "en": "of the templates with the uid {uid} only these ask for equal length: {files}. The paradigm does not,"
        " so that pairs of unequal length may come from them too; set `strict_MP` alike in all of them",
        "zh": "uid 为 {uid} 的模板中，只有这些要求等长：{files}。句型不作此要求，因而它们也可能产生不等长的句对；"
        "请将各模板的 `strict_MP` 改为一致",
    },
    "classic-phenomenon-empty": {
        "en": "the phenomenon is empty and became `{name}`; write its name under `phenomenon`",
        "zh": "现象是空的，已记作 `{name}`；请在 `phenomenon` 中写上名称",
    },
    "classic-phenomenon-changed": {
        "en": 'the phenomenon "{given}" cannot name a folder and became `{name}`; change it if you like another',
        "zh": "现象“{given}”不能用作文件夹名，已改为 `{name}`；若想用别的名称，请修改",
    },
    # what the bad side does
    "classic-blanks": {
        "en": 'this rule, "{rule}", and {other}, "{written}", differ only in blanks and were taken as one slot;'
        " remove the blanks",
        "zh": "此规则“{rule}”与 {other} 的“{written}”只有空格不同，已视为同一槽位；请删去多余的空格",
    },
    "classic-move-choice": {
        "en": "{rule} stands in `good_rule` more than once: this was taken as {chosen}, and could be {others};"
        " check the bad line, or tell the rules apart by a feature",
        "zh": "{rule} 在 `good_rule` 中不止一处：这里当作 {chosen}，也可能是 {others}；"
        "请检查 bad 句行，或用特征区分规则",
    },
    "classic-copy-choice": {
        "en": "{rule} stands in `good_rule` more than once: this was taken as a copy of {chosen}, and could be one of"
        " {others}; check the bad line, or tell the rules apart by a feature",
        "zh": "{rule} 在 `good_rule` 中不止一处：这里当作 {chosen} 的重复，也可能是 {others} 的；"
        "请检查 bad 句行，或用特征区分规则",
    },
    # positions
    "classic-position-form": {
        "en": "the position {position} is not a number; write the index of a slot, from 0 to {last}",
        "zh": "位置 {position} 不是数字；请写槽位的序号，从 0 到 {last}",
    },
    "classic-position-range": {
        "en": "there is no slot {position}; write an index from 0 to {last}",
        "zh": "没有第 {position} 个槽位；请写 0 到 {last} 的序号",
    },
    "classic-position-self": {
        "en": "the position {position} comes back to this slot itself; point at another slot",
        "zh": "位置 {position} 又指回本槽位；请指向别的槽位",
    },
    "classic-position-empty": {
        "en": "slot {position} is empty, and there is no word to agree with; point at a slot that has one",
        "zh": "槽位 {position} 是空的，没有词可供匹配；请指向有词的槽位",
    },
    "classic-position-phrase": {
        "en": "slot {position} holds the whole phrase {phrase}, and a link needs one word;"
        " write `{position}.head`, or another part such as `{position}.p0`",
        "zh": "槽位 {position} 是整个短语 {phrase}，而关联需要一个词；"
        "请写 `{position}.head`，或别的成分，如 `{position}.p0`",
    },
    # words and phrases
    "classic-value-unknown": {
        "en": "no word has {feature}:{value}; perhaps one of: {near}",
        "zh": "没有词是 {feature}:{value}；或许是：{near}",
    },
    "classic-vocabulary-blank": {
        "en": "{count} rows have no expression and were left out (lines {lines}); remove them, or fill them in",
        "zh": "有 {count} 行没有 expression，已略去（第 {lines} 行）；请删去或补全",
    },
    "classic-vocabulary-trimmed": {
        "en": "{count} rows had stray blanks or slashes, which were removed (lines {lines}); nothing else is needed",
        "zh": "有 {count} 行含多余的空格或斜线，已删去（第 {lines} 行）；无需再改",
    },
    "classic-vocabulary-repeated": {
        "en": "{count} rows repeat another in every cell and were left out (line = first line): {rows};"
        " nothing else is needed",
        "zh": "有 {count} 行与另一行完全相同，已略去（行号 = 首次行号）：{rows}；无需再改",
    },
    "classic-phrase-form": {
        "en": 'this is not a phrase: {value}; write `"Name": [[{{"type": "Lexical", "rule": "pos:NN"}}, …], …]`',
        "zh": '这不是短语：{value}；请写成 `"Name": [[{{"type": "Lexical", "rule": "pos:NN"}}, …], …]`',
    },
    "classic-phrase-cycle": {
        "en": "the phrase {phrase} stands inside itself (by way of {path}); take it out",
        "zh": "短语 {phrase} 包含自身（经由 {path}）；请将它从中移出",
    },
    "classic-copy-in-phrase": {
        "en": "{rule} copies the word of {other} and asks more of it than that does, which a phrase cannot;"
        " write the same features in both",
        "zh": "{rule} 重复 {other} 的词，却对它要求更多，短语中不能如此；请在两处写相同的特征",
    },
    "classic-override-range": {
        "en": "there is no word {index} in the phrase {phrase}, which may have {count}; write one that it always has",
        "zh": "短语 {phrase} 可能只有 {count} 个词，没有第 {index} 个；请写总是存在的序号",
    },
    "classic-override-differs": {
        "en": "the word {index} of the phrase {phrase} lies in different parts, by its alternatives;"
        " make two phrases of it",
        "zh": "短语 {phrase} 的第 {index} 个词因备选项不同而落在不同的成分里；请将它分成两个短语",
    },
    # what classic templates cannot say
    "classic-without": {
        "en": "classic templates have no `{means}`, and this has one: {text}; write it without,"
        " or keep it in bidui's own format",
        "zh": "经典模板没有 `{means}`，而这里用到了：{text}；请改用别的写法，或保留 bidui 自己的格式",
    },
    "classic-no-escape": {
        "en": "classic templates cannot write {text}, for want of an escape; change the word,"
        " or keep this in bidui's own format",
        "zh": "经典模板没有转义，写不出 {text}；请换一个词，或保留 bidui 自己的格式",
    },
    "classic-no-copy": {
        "en": "{slot} is printed twice and is not one word with features but {rule}; classic templates copy only such"
        " a word: print it once, or keep this in bidui's own format",
        "zh": "{slot} 印了两次，却不是由特征给出的一个词，而是 {rule}；经典模板只能重复这样的词："
        "请只印一次，或保留 bidui 自己的格式",
    },
    "classic-across-sides": {
        "en": "{slot} is linked to {other}, which is not in the {side} line, and classic positions count in one list;"
        " link it to another slot, or keep this in bidui's own format",
        "zh": "{slot} 与 {other} 关联，而后者不在 {side} 句行里，经典模板的位置只在同一列表中计数；"
        "请关联到别的槽位，或保留 bidui 自己的格式",
    },
    "classic-same-text": {
        "en": "{slot} and {other} would both be written {text}, and a classic template knows a moved slot by its text;"
        " tell them apart by a feature, or keep this in bidui's own format",
        "zh": "{slot} 和 {other} 都会写成 {text}，而经典模板靠文本辨认移动的槽位；"
        "请用特征区分，或保留 bidui 自己的格式",
    },
    "classic-override-part": {
        "en": "the part {part} of the phrase {phrase} has no one number, by which classic templates name it;"
        " name another part, or keep this in bidui's own format",
        "zh": "短语 {phrase} 的成分 {part} 不总是同一序号的词，而经典模板按序号指明；"
        "请换一个成分，或保留 bidui 自己的格式",
    },
    # what an import leaves out
    "classic-more-pairs": {
        "en": "{uid}: the template would make {original} pairs, {lost} more than this paradigm ({ours}), because the"
        " original lets words repeat and calls any other value a mismatch; it is not exported",
        "zh": "{uid}：模板会产生 {original} 个句对，比此句型（{ours} 个）多 {lost} 个，因为原程序允许用词重复，"
        "并把任何别的值都算作不匹配；故不导出",
    },
    "classic-pairs-lost": {
        "en": "{uid}: of {original} pairs that the original could make, {lost} are left out and {ours} remain:"
        " they repeat a word, or are wrong only by a value that the word has too; use `repeat:` to allow the former",
        "zh": "{uid}：原模板可产生 {original} 个句对，其中 {lost} 个已略去，余 {ours} 个："
        "它们或重复用词，或其“不匹配”之值该词也有；若允许重复用词，请写 `repeat:`",
    },
    "project-not-empty": {
        "en": "the folder is not empty: {names}; give a new one",
        "zh": "文件夹不是空的：{names}；请换一个新的",
    },
}
