"""What can be wrong with what is to be analysed."""

from bidui.messages.message import Message

ANALYSIS: dict[str, Message] = {
    "no-choices": {
        "en": "there are no pairs to analyse; score some first",
        "zh": "没有可分析的句对；请先打分",
    },
    "too-few-resamples": {
        "en": "{resamples} resamples are too few here; use at least {needed}",
        "zh": "重抽样 {resamples} 次在此不够；至少需要 {needed} 次",
    },
    "interval-not-for": {
        "en": "there is no {interval} interval for {level}; use {other}",
        "zh": "{level} 没有 {interval} 区间；请用 {other}",
    },
    "test-not-for": {
        "en": "{test} compares pairs, not the average {average}; use the test bootstrap, or the average overall",
        "zh": "{test} 比较的是句对，而不是 {average} 平均；请用 bootstrap 检验，或用 overall 平均",
    },
    "too-few-models": {
        "en": "models are compared in twos, and there are {count}; give two or more",
        "zh": "模型两两比较，而这里只有 {count} 个；请给出两个以上",
    },
    "models-other-pairs": {
        "en": "{first} and {second} were not scored on the same pairs: {shared} are shared, {only_first} and"
        " {only_second} are not; score both on the same",
        "zh": "{first} 与 {second} 所用句对不同：共有 {shared} 对，各自独有 {only_first} 对与 {only_second} 对；"
        "请用同一组句对打分",
    },
    "not-in-twos": {
        "en": "{first} values on one side and {second} on the other; each must have its partner",
        "zh": "一侧有 {first} 个值，另一侧有 {second} 个；须一一对应",
    },
    "too-few-values": {
        "en": "{count} values are too few; at least {needed} are needed",
        "zh": "{count} 个值太少；至少需要 {needed} 个",
    },
    "value-not-finite": {
        "en": "value number {number} is {value}; leave it out, or give the right one",
        "zh": "第 {number} 个值是 {value}；请去掉或更正",
    },
    "p-out-of-range": {
        "en": "{value} is no p-value; they lie from 0 to 1",
        "zh": "{value} 不是 p 值；p 值在 0 与 1 之间",
    },
    "paradigm-not-scored": {
        "en": "no pair of the paradigm {uid} was scored; there are: {known}",
        "zh": "句型 {uid} 没有已打分的句对；已有：{known}",
    },
}
