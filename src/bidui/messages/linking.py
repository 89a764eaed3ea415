"""What can be wrong when rules, phrases, relations and the lexicon are brought together."""

from bidui.messages.message import Message

LINKING: dict[str, Message] = {
    # words that fit
    "feature-unknown": {
        "en": "the lexicon has no column `{feature}`; perhaps one of: {near}",
        "zh": "词库没有 `{feature}` 这一列；或许是：{near}",
    },
    "value-unknown": {
        "en": "no word has {feature}:{value}; perhaps one of: {near}\n"
        "    Each condition alone, of {words} words: {alone}",
        "zh": "没有词是 {feature}:{value}；或许是：{near}\n    单看每个条件，{words} 个词中符合的有：{alone}",
    },
    "no-word-fits": {
        "en": "no word has all of {rule}; drop or change a condition, or add such a word to the lexicon\n"
        "    Each condition alone, of {words} words: {alone}",
        "zh": "没有词同时符合 {rule}；请删改某个条件，或在词库中补充这样的词\n"
        "    单看每个条件，{words} 个词中符合的有：{alone}",
    },
    "literal-not-in-lexicon": {
        "en": "{word} is not in the lexicon, so nothing can be matched with its {features};"
        " add a row for it, or remove the link",
        "zh": "{word} 不在词库中，无从匹配它的 {features}；请在词库中为它加一行，或删去关联",
    },
    "column-several": {
        "en": "{form} has several values in the column `{column}`, and only one can be printed: {values};"
        " keep one, or give each a row of its own",
        "zh": "{form} 的 `{column}` 列有多个值，而只能印出一个：{values}；请只留一个，或各写一行",
    },
    "column-of-phrase": {
        "en": "{use} asks for a column of the whole phrase {phrase}, and only a word has columns;"
        " name a part, as in `np.head@column`",
        "zh": "{use} 要的是整个短语 {phrase} 的列，而只有词才有列；请指明成分，如 `np.head@column`",
    },
    # links between slots
    "link-to-empty": {
        "en": '{slot} may be empty, and then there is no word to link to; remove its alternative `""`,'
        " or link to another slot",
        "zh": '{slot} 可能为空，那时没有词可以关联；请删去它的备选项 `""`，或关联到别的槽位',
    },
    "link-to-phrase": {
        "en": "{slot} holds the whole phrase {phrase}, and a link needs one word; write `{slot}.head`, or another part",
        "zh": "{slot} 是整个短语 {phrase}，而关联需要一个词；请写 `{slot}.head` 或别的成分",
    },
    "position-bad": {
        "en": "position {position} of the line, counted from 0, is not a slot: {found}; name the slot instead",
        "zh": "句行的位置 {position}（从 0 数起）不是槽位：{found}；请改用槽位名",
    },
    "linked-unequal": {
        "en": "slots under `link` need the same number of alternatives, and these have {slots}; add or remove some",
        "zh": "`link` 中各槽位的备选项数目应相同，现为 {slots}；请增删备选项",
    },
    "crossed-form": {
        "en": "`crossed` needs one slot that only the good line has and one that only the bad line has,"
        " both with features or both with words\n"
        "    Only in good: {good}; only in bad: {bad}. Change these slots, or remove `crossed: true`",
        "zh": "`crossed` 要求 `good` 和 `bad` 各有一个对方没有的槽位，并且同为特征或同为词\n"
        "    仅见于 `good`：{good}；仅见于 `bad`：{bad}。请修改这些槽位，或删去 `crossed: true`",
    },
    # relations
    "relation-unknown": {
        "en": "there is no relation {relation}; there are: {known}. Add it under `relations:` in `project.yaml`",
        "zh": "没有关系 {relation}；现有：{known}。请在 `project.yaml` 的 `relations:` 下添加",
    },
    "relation-arity": {
        "en": "{slots} slots for the relation {relation}, whose columns are {columns}; name one slot for each column",
        "zh": "给了关系 {relation} {slots} 个槽位，而它的列是 {columns}；请为每列写一个槽位",
    },
    "relation-alone": {
        "en": "`{text}` names one slot only, so there is nothing to relate; name another instead of a `_`",
        "zh": "`{text}` 只写了一个槽位，无可关联；请把某个 `_` 换成另一个槽位",
    },
    "relation-elsewhere": {
        "en": "{text} stands in the rule of {slot} and does not name it; move it to the rule of a slot that it names",
        "zh": "{text} 写在 {slot} 的规则里，却没有提到它；请移到所提及的某个槽位的规则里",
    },
    # phrases
    "phrase-unknown": {
        "en": "there is no phrase {phrase}; perhaps one of: {near}",
        "zh": "没有短语 {phrase}；或许是：{near}",
    },
    "phrase-cycle": {
        "en": "the phrase {phrase} stands inside itself (by way of {path}); say how deep it may go with `depth: 1`,"
        " or take it out",
        "zh": "短语 {phrase} 包含自身（经由 {path}）；请用 `depth: 1` 写明允许的深度，或将它从中移出",
    },
    "phrases-too-deep": {
        "en": "phrases stand inside each other more than {limit} deep; lower a `depth`, or use fewer phrases",
        "zh": "短语互相嵌套超过 {limit} 层；请减小 `depth`，或减少短语",
    },
    "phrase-endless": {
        "en": "every alternative of the phrase {phrase} holds {phrase} again, without end; add one that does not",
        "zh": "短语 {phrase} 的每个备选项都包含它自身，没有尽头；请加一个不含它的备选项",
    },
    "expansion-too-large": {
        "en": "with all its phrases written out, this has more than {limit} words; lower a `depth`,"
        " or use fewer alternatives",
        "zh": "所有短语展开后超过 {limit} 个词；请减小 `depth`，或减少备选项",
    },
    "head-missing": {
        "en": "an alternative of the phrase {phrase} has no head; add `head:` with the name of its main part",
        "zh": "短语 {phrase} 有一个备选项没有中心语；请加上 `head:`，写明主要成分的名称",
    },
    "part-unknown": {
        "en": "{what} has no part {part}; name one that every alternative has (a single word has only `head`)",
        "zh": "{what} 没有成分 {part}；请写每个备选项都有的成分（单个词只有 `head`）",
    },
    "override-on-words": {
        "en": "{slot} is one of the words {rule}, to which no features can be added; name another part,"
        " or write words of the lexicon as `expression:自己/本人`",
        "zh": "{slot} 是字面词 {rule}，不能附加特征；请指明别的成分，或将词库中的词写成 `expression:自己/本人`",
    },
    "link-to-self": {
        "en": "{slot} is linked with itself; name another slot after `mPos:`",
        "zh": "{slot} 与自身关联；请在 `mPos:` 后写另一个槽位",
    },
    "share-conditional": {
        "en": "which slots share the value #{share} would change with the alternatives chosen;"
        " write the link into every alternative, or give each its own name",
        "zh": "共享值 #{share} 的槽位会随所选的备选规则而变；请在每个备选规则里都写上这个关联，或各用一个名字",
    },
}
