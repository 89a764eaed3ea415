"""What a check of finished paradigms may find."""

from bidui.messages.message import Message

CHECKS: dict[str, Message] = {
    "about-missing": {
        "en": "a reader will want to know more: {keys}; add these keys",
        "zh": "读者还需要知道：{keys}；请补上这些键",
    },
    "edit-differs": {
        "en": "`edit: {declared}` is declared, but the lines differ by {derived}; change the one or the other",
        "zh": "声明的是 `edit: {declared}`，而两个句行的差别是 {derived}；请改其中之一",
    },
    "no-pairs": {
        "en": "there is no pair at all; what follows says why",
        "zh": "一个句对也没有；原因如下",
    },
    "few-pairs": {
        "en": "there are {count} distinct pairs, and a paradigm should have {enough};"
        " add words or variants, or say why there cannot be more with `closed_class:`",
        "zh": "只有 {count} 个不同的句对，而一个句型应有 {enough} 个；"
        "请增加词或变体；若此对立本属封闭类，请用 `closed_class:` 说明",
    },
    "one-sided-words": {
        "en": "only the {side} side has these words, so they give the answer away: {words};"
        " let both sides draw from the same words (`crossed: true` makes both directions)",
        "zh": "这些词只出现在 {side} 一边，会泄露答案：{words}；请让两边用同样的词（`crossed: true` 可生成两个方向）",
    },
    "words-unused": {
        "en": "{count} words fit no slot of any paradigm: {words}; use them or remove them",
        "zh": "有 {count} 个词不符合任何句型的任何槽位：{words}；请用上它们，或删去",
    },
    "pair-in-two": {
        "en": "the paradigm {other} makes the same pair: {good} / {bad}; let the two differ, or merge them",
        "zh": "句型 {other} 也生成同一句对：{good} / {bad}；请使二者有别，或合并它们",
    },
    "bad-is-good": {
        "en": "its bad sentence {sentence} is a good sentence of {good};"
        " one of the two is wrong: narrow the bad side, or the good one",
        "zh": "它的坏句 {sentence} 却是 {good} 的好句；二者必有一误：请收窄坏句一边，或好句一边",
    },
    "crossing-undecided": {
        "en": "{count} pairs of paradigms were not decided within {seconds} seconds"
        " (whether a bad sentence of the first is a good one of the second): {pairs}; give more with `--seconds`",
        "zh": "有 {count} 对句型在 {seconds} 秒内未能判定（前者的坏句是否为后者的好句）：{pairs}；"
        "请用 `--seconds` 给更多时间",
    },
    "project-missing": {
        "en": "there is no shipped benchmark and no folder {path}; shipped: {known}",
        "zh": "没有名为 {path} 的内置基准，也没有这个文件夹；内置的有：{known}",
    },
}
