"""What can be wrong with a suite of training runs, and with the part of it that is asked for."""

from bidui.messages.message import Message

SUITE: dict[str, Message] = {
    "suite-unknown": {
        "en": "there is no suite {value}; choose one of {known}",
        "zh": "没有 {value} 这套模型；可选 {known}",
    },
    "suite-choice": {
        "en": "no run of the suite has {value}; choose from {known}",
        "zh": "这套模型中没有 {value}；可选 {known}",
    },
    "suite-nothing": {
        "en": "none of the {count} runs of the suite has all of this; ask for less at once",
        "zh": "这套模型的 {count} 次训练中，没有一次同时符合所有条件；请减少条件",
    },
    "suite-tokenizer": {
        "en": "the vocabulary of the tokenizer {value} is not known; known are {known}",
        "zh": "不知道分词器 {value} 的词表大小；已知的有 {known}",
    },
    "suite-speed": {
        "en": "{value} is no speed; write `14m=2.7M` for the tokens a second of a size, or `0.5x` for half of an H200",
        "zh": "{value} 不是速度；可写 `14m=2.7M`（某规模每秒的词元数），或 `0.5x`（H200 的一半）",
    },
    "suite-corpus": {
        "en": "{value} does not say whose corpus it is; write `TOKENIZER=FOLDER`, with a tokenizer of {known}",
        "zh": "{value} 未说明属于哪个分词器；请写作 `分词器=文件夹`，分词器可为 {known}",
    },
    "suite-no-corpus": {
        "en": "there are runs with the tokenizer {tokenizer} and no corpus for it; give `--corpus {tokenizer}=FOLDER`,"
        " or choose others by --tokenizer",
        "zh": "有使用分词器 {tokenizer} 的训练，却没有相应语料；请给出 `--corpus {tokenizer}=文件夹`，"
        "或用 --tokenizer 另选",
    },
    "suite-option": {
        "en": "{value} cannot be given to `bidui train` from here; the suite sets it. After -- give only other options,"
        " such as `--keep last`",
        "zh": "{value} 不能由此传给 `bidui train`，它由这套模型决定；-- 之后只写其他选项，如 `--keep last`",
    },
    "suite-device": {
        "en": "there is no GPU that torch can use; give another --device",
        "zh": "没有 torch 可用的 GPU；请另选 --device",
    },
}
