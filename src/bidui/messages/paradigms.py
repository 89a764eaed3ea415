"""What can be wrong with lines, paradigms, phrases and projects as they are written."""

from bidui.messages.message import Message

PARADIGMS: dict[str, Message] = {
    # lines
    "slots-none": {
        "en": "`slots` declares no slot; add at least one, as in `who: pos:NR`",
        "zh": "`slots` 中没有任何槽位；请至少写一个，例如 `who: pos:NR`",
    },
    "line-empty": {
        "en": "the line is empty; write the slots and words of the sentence, separated by blanks",
        "zh": "句行是空的；请写上句子的槽位和词，用空格隔开",
    },
    "line-too-long": {
        "en": "the line has {length} characters, and {limit} are allowed; make some of its words a phrase",
        "zh": "句行长 {length} 个字符，上限为 {limit}；请将部分词改写成短语",
    },
    "line-too-many-items": {
        "en": "the line has {items} slots and words, and {limit} are allowed; write a shorter sentence",
        "zh": "句行有 {items} 个槽位和词，上限为 {limit}；请写短一些的句子",
    },
    "line-unknown": {
        "en": 'no slot is called {text}; perhaps one of: {slots}. To print the text itself, write `"{text}"`',
        "zh": '没有名为 {text} 的槽位；或许是：{slots}。若要原样印出，请写 `"{text}"`',
    },
    # paradigms
    "name-bad": {
        "en": "`{key}` cannot be {value}; use letters, digits, `_`, `-`, `.` and `+`, not `.` or `+` at the start",
        "zh": "`{key}` 不能是 {value}；请用字母、汉字、数字、`_`、`-`、`.` 和 `+`，且不以 `.` 或 `+` 开头",
    },
    "excluded-without-reason": {
        "en": "the paradigm is excluded without a reason; add `reason:` and say why",
        "zh": "句型被排除，却没有说明理由；请加上 `reason:` 写明原因",
    },
    "slot-name": {
        "en": '"{slot}" cannot name a slot or a part; use letters, digits, `_` and `-`, not digits alone,'
        " and not `head` for a part",
        "zh": "“{slot}”不能作槽位名或成分名；请用字母、汉字、数字、`_` 和 `-`，不能全是数字，成分不能叫 `head`",
    },
    "slot-unused": {
        "en": "{slot} has a rule and stands in no line; put it into a line, or remove it",
        "zh": "{slot} 有规则，却没有用在任何句行里；请写进句行，或删去",
    },
    "slot-unknown": {
        "en": "there is no slot or part {slot}; perhaps one of: {slots}",
        "zh": "没有槽位或成分 {slot}；或许是：{slots}",
    },
    "sides-equal": {
        "en": "the good and the bad line are the same; change the bad one so that it shows the contrast",
        "zh": "`good` 和 `bad` 两个句行相同；请修改 `bad`，使之体现对立",
    },
    "group-form": {
        "en": "`{key}` must name at least two slots; write `{key}: [a, b]`,"
        " or for several groups `{key}: [[a, b], [c, d]]`",
        "zh": "`{key}` 应列出至少两个槽位；请写 `{key}: [a, b]`，多组时写 `{key}: [[a, b], [c, d]]`",
    },
    "variant-twice": {
        "en": "two variants are called {name}; give each a `name` of its own",
        "zh": "有两个变体都叫 {name}；请给每个变体不同的 `name`",
    },
    # phrases
    "depth-bad": {
        "en": "the depth {value} is not a whole number from 0 to {limit}; write one such as `depth: 2`",
        "zh": "深度 {value} 不是 0 到 {limit} 的整数；请写成 `depth: 2` 之类",
    },
    # projects
    "no-human-agreement": {
        "en": "no published human agreement here; it would stand in `human.tsv`",
        "zh": "此处没有已发表的人类一致率；应写在 `human.tsv` 中",
    },
    "no-project": {
        "en": "there is no `project.yaml` in this place; give the folder that has one",
        "zh": "这里没有 `project.yaml`；请指定含有它的文件夹",
    },
    "path-outside": {
        "en": "{path} lies outside of the project; put the file into the project's folder and name it from there",
        "zh": "{path} 在项目之外；请将文件放进项目文件夹，并从那里写起",
    },
    "file-misplaced": {
        "en": "a paradigm's file has the name of its uid and lies in the folder of its phenomenon;"
        " move this one to {right}, or change its `uid` or `phenomenon`",
        "zh": "句型的文件应以其 uid 命名，放在其现象的文件夹里；请将它移到 {right}，或修改 `uid` 或 `phenomenon`",
    },
    "paradigm-twice": {
        "en": "the uid {uid} is that of {other} already (upper and lower case count as the same);"
        " change one of the two",
        "zh": "uid {uid} 已用于 {other}（不区分大小写）；请修改其中一个",
    },
    "repeat-form": {
        "en": "`repeat` takes features only, no words, phrases, links or `|`, and this is {value};"
        " write it as in `repeat: pos:M/CD`",
        "zh": "`repeat` 只能写特征，不能有词、短语、关联或 `|`，现为 {value}；请写成 `repeat: pos:M/CD` 之类",
    },
    "uid-unknown": {
        "en": "no paradigm is called {uid}; there are: {uids}",
        "zh": "没有名为 {uid} 的句型；现有：{uids}",
    },
}
