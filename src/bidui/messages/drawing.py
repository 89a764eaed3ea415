"""Why there are fewer pairs than asked for, and draws that cannot be made."""

from bidui.messages.message import Message

DRAWING: dict[str, Message] = {
    "short-of-pairs": {
        "en": "{given} of the {asked} pairs asked for: there are no more",
        "zh": "要求 {asked} 对，只有 {given} 对：再没有别的了",
    },
    "pairs-few": {
        "en": "distinct pairs: {count}, fewer than the {enough} that a paradigm should have",
        "zh": "只有 {count} 个不同的句对，少于一个句型应有的 {enough} 个",
    },
    "pairs-no": {
        "en": "there is no pair at all",
        "zh": "一个句对也没有",
    },
    "link-shares-nothing": {
        "en": "`{link}`: no word here shares a value with {target}; here: {mine}; there: {theirs}",
        "zh": "`{link}`：这里没有词与 {target} 有共同的值；这里：{mine}；那里：{theirs}",
    },
    "link-never-differs": {
        "en": "`{link}`: every word here shares a value with every word of {target} (or has none);"
        " here: {mine}; there: {theirs}",
        "zh": "`{link}`：这里的每个词都与 {target} 的每个词有共同的值（或没有值）；这里：{mine}；那里：{theirs}",
    },
    "short-by-distinctness": {
        "en": "if words could occur twice in a sentence there would be {more} fillings instead of {now}",
        "zh": "若同一句中的词可以重复，会有 {more} 种填法，而不是 {now} 种",
    },
    "short-by-length": {
        "en": "if the sides could differ in length there would be {more} fillings instead of {now}",
        "zh": "若两边长度可以不等，会有 {more} 种填法，而不是 {now} 种",
    },
    "short-by-link": {
        "en": "without `{link}` there would be {more} fillings instead of {now}",
        "zh": "若没有 `{link}`，会有 {more} 种填法，而不是 {now} 种",
    },
    "short-words": {
        "en": "{slot}: {words} words fit the rule",
        "zh": "{slot}：有 {words} 个词符合规则",
    },
    "short-partners": {
        "en": "{slot}: {left} of its {words} words have a partner under `{link}`",
        "zh": "{slot}：{words} 个词中有 {left} 个在 `{link}` 下有相配的词",
    },
    "uniform-repeats": {
        "en": "two fillings may print the same pair, and there are too many ({count}) to sort them out, so pairs cannot"
        " be drawn uniformly; draw with `--draw even`, or remove the overlap between alternatives",
        "zh": "两种填法可能印出同一对句子，而填法太多（{count}），无法理清，因此不能均匀抽取；"
        "请用 `--draw even`，或消除备选规则之间的重叠",
    },
    "uniform-sparse": {
        "en": "only {count} of {tried} fillings have distinct words and equal length: too few to draw uniformly;"
        " draw with `--draw even`",
        "zh": "{tried} 种填法中只有 {count} 种用词不重复且长度相等：太少，无法均匀抽取；请用 `--draw even`",
    },
}
