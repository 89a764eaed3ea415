"""What can be wrong with the text and the options of an n-gram model."""

from bidui.messages.message import Message

NGRAMS: dict[str, Message] = {
    "ngram-special-word": {
        "en": "the word {word} means something else in n-gram models; remove it from the text (it is in: {sentence})",
        "zh": "{word} 在 n 元模型中另有含义；请从文本中删去（见：{sentence}）",
    },
    "ngram-order": {
        "en": "KenLM reads models of the orders {least} to {most}, not {order}; choose another order",
        "zh": "KenLM 可读 {least} 至 {most} 元模型，不能是 {order} 元；请换一个阶数",
    },
    "ngram-no-text": {
        "en": "there are no words to count in {sentences} sentences; check the text and --unit",
        "zh": "{sentences} 个句子中没有可统计的词；请检查文本与 --unit",
    },
    "ngram-no-discounts": {
        "en": "the discounts of {order}-grams cannot be estimated: {numbers} of them have the counts 1, 2, 3 and 4."
        " The text is very small, or repeats itself; use more text, remove what is repeated, or give"
        " --discount-fallback",
        "zh": "无法估计 {order} 元的折扣：计数为 1、2、3、4 的各有 {numbers} 个。文本太小，或多有重复；"
        "请增加文本、去除重复，或用 --discount-fallback",
    },
    "ngram-memory": {
        "en": "{value} is no amount of memory; write it like 500M or 2G, and at least {least}",
        "zh": "{value} 不是内存大小；请写作 500M 或 2G，至少 {least}",
    },
}
