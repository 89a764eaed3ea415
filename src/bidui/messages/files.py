"""What can be wrong with any file: its bytes, its JSON or YAML, its keys and their values."""

from bidui.messages.message import Message

FILES: dict[str, Message] = {
    # bytes and encodings
    "file-missing": {
        "en": "no such file or folder: {path}",
        "zh": "没有这个文件或文件夹：{path}",
    },
    "file-unreadable": {
        "en": "cannot be read: {reason}; check that the file is there and that you may open it",
        "zh": "无法读取：{reason}；请确认文件存在，并且您有权打开它",
    },
    "file-too-large": {
        "en": "the file has {bytes} bytes, and {limit} are allowed; split it, or check that it is the right one",
        "zh": "文件有 {bytes} 字节，上限为 {limit}；请拆分，或确认没有弄错文件",
    },
    "not-utf8": {
        "en": "byte {byte} is not UTF-8; save the file as UTF-8",
        "zh": "字节 {byte} 不是 UTF-8 编码；请将文件另存为 UTF-8",
    },
    "read-failed": {
        "en": "cannot be read: {reason}",
        "zh": "无法读取：{reason}",
    },
    "write-failed": {
        "en": "cannot be written: {reason}",
        "zh": "无法写入：{reason}",
    },
    "file-not-utf8": {
        "en": "byte {byte} is not UTF-8; save the file as UTF-8",
        "zh": "字节 {byte} 不是 UTF-8 编码；请将文件另存为 UTF-8",
    },
    "bad-json": {
        "en": "not JSON: {reason}",
        "zh": "不是合法的 JSON：{reason}",
    },
    "text-not-unicode": {
        "en": "{code} is half a character and cannot be written to a file (it stands after: {before})",
        "zh": "{code} 只是半个字符，无法写入文件（它前面是：{before}）",
    },
    "control-character": {
        "en": "the invisible control character {code} stands in this line; delete it",
        "zh": "本行含有不可见的控制字符 {code}；请将其删除",
    },
    # YAML
    "yaml-needs-quotes": {
        "en": "YAML does not read this as text: {value}; put it in single quotes:\n    {quoted}",
        "zh": "YAML 不会把它读作文本：{value}；请加上单引号：\n    {quoted}",
    },
    "yaml-colon-blank": {
        "en": "YAML takes the colon before a blank as a key's: {value}\n"
        "    In a rule, leave out the blank: {joined}\n"
        "    Any other text goes into single quotes: {quoted}",
        "zh": "YAML 把空格前的冒号当作键的冒号：{value}\n    若是规则，请去掉空格：{joined}\n"
        "    若是其他文本，请加上单引号：{quoted}",
    },
    "yaml-broken": {
        "en": "not YAML: {reason}\n"
        "    Check the indentation, the blank after each colon, and the quotes, here and in the line before",
        "zh": "不是合法的 YAML：{reason}\n    请检查本行和上一行的缩进、冒号后的空格以及引号",
    },
    "yaml-several-documents": {
        "en": "a second document begins here; remove the line `---`, or put what follows into a file of its own",
        "zh": "这里开始了第二个文档；请删去 `---` 这一行，或将后面的内容放到另一个文件",
    },
    "yaml-too-deep": {
        "en": "lists and keys are nested more than {limit} deep; check the indentation",
        "zh": "列表和键的嵌套超过 {limit} 层；请检查缩进",
    },
    "yaml-too-long": {
        "en": "there are more than {limit} keys and values in the file; check that it is the right one",
        "zh": "文件中的键和值超过 {limit} 个；请确认没有弄错文件",
    },
    # keys
    "key-missing": {
        "en": "the key `{key}` is missing; add `{key}:` with its value",
        "zh": "缺少键 `{key}`；请加上 `{key}:` 和它的值",
    },
    "key-unknown": {
        "en": "no key `{key}` is known here; perhaps one of: {near}",
        "zh": "这里没有 `{key}` 这个键；或许是：{near}",
    },
    "key-twice": {
        "en": "the key `{key}` is already in line {line}; remove one of the two, or rename it",
        "zh": "键 `{key}` 在第 {line} 行已出现过；请删去其中一个，或改名",
    },
    "key-not-a-word": {
        "en": "a list or a group of keys stands where a key should be; begin with a plain name, as in `good: `",
        "zh": "应写键的地方是列表或一组键；请以普通的名称开头，如 `good: `",
    },
    # values
    "value-blank": {
        "en": "`{key}` has no value; write one, or remove the key",
        "zh": "`{key}` 没有值；请填写，或删去这个键",
    },
    "value-not-allowed": {
        "en": "`{key}` cannot be {value}; write one of: {allowed}",
        "zh": "`{key}` 不能是 {value}；应为下列之一：{allowed}",
    },
    "not-a-text": {
        "en": "`{key}` takes plain text here, not a list or a group of keys; write the text in its place",
        "zh": "`{key}` 在这里应是普通文本，而不是列表或一组键；请直接写文本",
    },
    "not-a-list": {
        "en": "`{key}` must be a list with something in it; write each item on a line of its own after `- `",
        "zh": "`{key}` 应是非空的列表；请每项写一行，以 `- ` 开头",
    },
    "not-a-mapping": {
        "en": "{what} must consist of keys with values; write one `key: value` a line",
        "zh": "{what}：这里应由键和值组成；请每行写一个 `键: 值`",
    },
    "weight-bad": {
        "en": "the weight {value} is not a number above 0; write one such as `2` or `0.5`",
        "zh": "权重 {value} 不是大于 0 的数；请写成 `2` 或 `0.5` 之类",
    },
    "format-missing": {
        "en": "the file does not say its format; add the line `format: 1` at the top",
        "zh": "文件没有注明格式；请在开头加一行 `format: 1`",
    },
    "format-unknown": {
        "en": "this version of bidui does not know format {value}; write `format: 1`, or install a newer bidui",
        "zh": "此版本的 bidui 不认识格式 {value}；请写 `format: 1`，或安装更新的 bidui",
    },
}
