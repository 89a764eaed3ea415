"""What can be wrong with a lexicon, the table of its features, or the table of a relation."""

from bidui.messages.message import Message

LEXICON: dict[str, Message] = {
    # the header of a lexicon
    "lexicon-no-expression": {
        "en": "no column `expression`; there are: {columns}. Name the column with the words `expression`,"
        " and separate columns by tabs",
        "zh": "没有 `expression` 列；现有：{columns}。请将词形所在的列命名为 `expression`，列与列之间用制表符分隔",
    },
    "lexicon-column-twice": {
        "en": 'the column "{feature}" occurs twice; rename or remove one of the two',
        "zh": "列“{feature}”出现了两次；请改名或删去其中一列",
    },
    "lexicon-column-name": {
        "en": '"{feature}" cannot name a column; use a name without blanks and without any of'
        ' `\\ | : / " < > ( ) = # @ , *`',
        "zh": '“{feature}”不能作列名；列名不可为空，也不可含空格或 `\\ | : / " < > ( ) = # @ , *`',
    },
    "lexicon-column-keyword": {
        "en": "`{feature}` is a word of the rule language and cannot name a column; choose another name",
        "zh": "`{feature}` 是规则语言的保留字，不能作列名；请换一个名称",
    },
    # the rows of a lexicon
    "lexicon-blank-line": {
        "en": "this line is blank; remove it",
        "zh": "这是空行；请删去",
    },
    "lexicon-duplicate": {
        "en": "{form} is the same as line {line} in every cell; remove one of the two, or give them different features",
        "zh": "{form} 与第 {line} 行的所有单元格都相同；请删去其中一行，或赋予不同的特征",
    },
    "lexicon-too-many-cells": {
        "en": "{cells} cells where the header has {columns}; remove what is too much: {extra}",
        "zh": "此行有 {cells} 个单元格，而表头只有 {columns} 列；请删去多余的：{extra}",
    },
    "lexicon-empty-expression": {
        "en": "the row has no word; write it in the column `expression`, or remove the row",
        "zh": "此行没有词；请在 `expression` 列填写，或删去此行",
    },
    "lexicon-whitespace": {
        "en": "a blank at the edge, or an empty value beside a `/`: {cell}; remove the blank or the `/`",
        "zh": "首尾有空格，或 `/` 旁缺少值：{cell}；请删去空格或多余的 `/`",
    },
    "lexicon-misspelt": {
        "en": "{value} occurs only here, and {count} words have {near}; if it is misspelt, write {near}",
        "zh": "{value} 只出现这一次，而有 {count} 个词是 {near}；如系笔误，请改为 {near}",
    },
    "lexicon-full-width": {
        "en": "{value} has full-width characters; if that is not meant, write {half}",
        "zh": "{value} 含有全角字符；如非有意，请改为 {half}",
    },
    "lexicon-twice": {
        "en": "there is a folder `lexicon/` too; put this file into it, or remove one of the two",
        "zh": "另有文件夹 `lexicon/`；请将此文件移入其中，或删去其一",
    },
    "lexicon-in-two-files": {
        "en": "{form} stands in {file}, line {line}, with the same features; remove one of the two",
        "zh": "{form} 已在 {file} 第 {line} 行，特征相同；请删去其一",
    },
    # the table of features
    "features-header": {
        "en": "the columns are {columns}; they must be {right}, separated by tabs",
        "zh": "各列是 {columns}；应为 {right}，用制表符分隔",
    },
    "features-row": {
        "en": "a row is a feature, a value, its parent or nothing, and what it means, separated by tabs and without"
        " blanks at the edges: {row}",
        "zh": "每行应为特征、值、上位值（可空）和含义，用制表符分隔，首尾无空格：{row}",
    },
    "features-twice": {
        "en": "{feature}:{value} stands in line {line} already; remove one of the two",
        "zh": "{feature}:{value} 已在第 {line} 行；请删去其一",
    },
    "features-parent": {
        "en": "the parent is no value of `{feature}`: {parents}; add a row for it, or correct it",
        "zh": "上位值不是 `{feature}` 的值：{parents}；请为其加一行，或更正",
    },
    "features-circle": {
        "en": "{feature}:{value} is a kind of itself; correct one of the parents",
        "zh": "{feature}:{value} 成了自身的下位；请更正其中一个上位值",
    },
    "features-missing": {
        "en": "the lexicon has a column `{feature}` that is not explained here; add rows for its values, or one"
        " row with the value `*`",
        "zh": "词库有 `{feature}` 列，此处未作说明；请为各值加行，或加一行，值写 `*`",
    },
    "features-value": {
        "en": "not explained in {file}: {value}; correct the cell, or add a row there",
        "zh": "{file} 中未作说明：{value}；请更正此格，或在该表加一行",
    },
    "features-unused": {
        "en": "no word has {feature}:{value}; remove the row, or correct it",
        "zh": "没有词是 {feature}:{value}；请删去此行，或更正",
    },
    # relations
    "relation-column": {
        "en": 'the column name "{column}" is empty, has a blank at its edge, or occurs twice;'
        " give each column a name of its own",
        "zh": "列名“{column}”为空、首尾有空格或重复；请给每列一个不同的名称",
    },
    "relation-cells": {
        "en": "{cells} cells where the header has {columns}; write one cell for each column, separated by tabs",
        "zh": "此行有 {cells} 个单元格，而表头有 {columns} 列；请每列写一格，用制表符分隔",
    },
    "relation-blank": {
        "en": "a blank at the edge of a value, or nothing beside a `/`: {row}; remove the blank or the `/`",
        "zh": "值的首尾有空格，或 `/` 旁缺少值：{row}；请删去空格或多余的 `/`",
    },
    "relation-duplicate": {
        "en": "the row is the same as line {line}; remove one of the two",
        "zh": "此行与第 {line} 行相同；请删去其中一行",
    },
    "relation-values": {
        "en": "no word of the lexicon has these values of `{feature}`: {values}; correct them, or add the words",
        "zh": "词库中没有词的 `{feature}` 是这些值：{values}；请更正，或补充相应的词",
    },
}
