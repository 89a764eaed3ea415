"""What can be wrong with published results, figures for people, ratings, kinds of paradigms, and word lists."""

from bidui.messages.message import Message

PUBLISHED: dict[str, Message] = {
    "published-unknown": {
        "en": "there is no published table {name}; there are: {known}",
        "zh": "没有已发表的表格 {name}；现有：{known}",
    },
    "published-no-cells": {
        "en": "no cells for {asked}; there are: {there}",
        "zh": "没有 {asked} 的单元格；现有：{there}",
    },
    # people
    "people-unknown": {
        "en": "no figure for people on {groups}; there are: {known}",
        "zh": "没有人类在 {groups} 上的数值；现有：{known}",
    },
    "judgements-bad": {
        "en": "{correct} right of {judgements} judgements; there must be some, and no more right than there are",
        "zh": "{judgements} 次判断中有 {correct} 次正确；判断次数须大于零，且正确数不得超过它",
    },
    "weights-missing": {
        "en": "a mean needs values, and a weight for each; without a weight: {groups}",
        "zh": "求均值需要数值，且各有权重；缺权重的是：{groups}",
    },
    "correlation-constant": {
        "en": "one of the two lists has the same value {count} times, so nothing can be correlated with it",
        "zh": "两列之一的 {count} 个值全部相同，无从计算相关",
    },
    # files of ratings
    "ratings-columns": {
        "en": "the first line names the columns {columns}; these are missing: {missing} (columns are parted by tabs,"
        " or by commas in a file that ends in .csv)",
        "zh": "首行的列名为 {columns}；缺少：{missing}（各列以制表符分隔；.csv 文件以逗号分隔）",
    },
    "ratings-unreadable": {
        "en": "cannot be read as a table ({reason}); is a quotation mark left open, or is this another kind of file?",
        "zh": "无法作为表格读取（{reason}）；是否有未闭合的引号，或文件类型有误？",
    },
    "ratings-none": {
        "en": "there are no ratings under the header",
        "zh": "表头之下没有评分",
    },
    "ratings-empty": {
        "en": "the column {column} is empty",
        "zh": "{column} 一列为空",
    },
    "ratings-pair": {
        "en": "pair is the number of a pair in its paradigm, not {value}",
        "zh": "pair 应为句对在其句型中的编号，而不是 {value}",
    },
    "ratings-side": {
        "en": "side is good or bad, not {value}",
        "zh": "side 应为 good 或 bad，而不是 {value}",
    },
    "ratings-value": {
        "en": "rating is a number, not {value}",
        "zh": "rating 应为数字，而不是 {value}",
    },
    # kinds of paradigms
    "paradigm-no-kind": {
        "en": "no kind is given for {uids}; give one to every paradigm that was scored, such as other",
        "zh": "没有写明 {uids} 的类别；请为每个已打分的句型写明，如 other",
    },
    "kind-unknown": {
        "en": "no paradigm that was scored is of the kind {kinds}; there are: {known}",
        "zh": "已打分的句型中没有 {kinds} 这一类；现有：{known}",
    },
    # word lists
    "frequencies-none": {
        "en": "{words} words to look up in a list of {listed}; both must have some",
        "zh": "要在 {listed} 个词的词表中查 {words} 个词；两者都不能为空",
    },
    "frequency-file-empty": {
        "en": "there are no words in this list",
        "zh": "词表中没有词",
    },
    "frequency-line": {
        "en": "the word should be in column {word} and its count, a number, in column {count}: {line}",
        "zh": "词应在第 {word} 列，其频数（数字）应在第 {count} 列：{line}",
    },
    "bands-bad": {
        "en": "the edges of the bands are ranks from 1 that rise, not {edges}",
        "zh": "各段的界限应为从 1 起递增的名次，而不是 {edges}",
    },
    "quantile-bad": {
        "en": "parts lie above 0 and up to 1, not {parts}",
        "zh": "比例应大于 0 且不超过 1，而不是 {parts}",
    },
}
