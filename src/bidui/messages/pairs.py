"""What can be wrong with pairs: reading them, writing them, and the folders they are kept in."""

from bidui.messages.message import Message

PAIRS: dict[str, Message] = {
    # records
    "pairs-not-object": {
        "en": "a line must be a JSON object with sentence_good and sentence_bad, not {value}",
        "zh": "每行应是含 sentence_good 和 sentence_bad 的 JSON 对象，而不是 {value}",
    },
    "pairs-field-missing": {
        "en": "no field {field}; there are: {fields}",
        "zh": "缺少字段 {field}；现有字段：{fields}",
    },
    "pairs-field-text": {
        "en": "{field} must be text, not {value}",
        "zh": "{field} 应是文本，而不是 {value}",
    },
    "pairs-field-number": {
        "en": "{field} must be a whole number from 0, not {value}",
        "zh": "{field} 应是不小于 0 的整数，而不是 {value}",
    },
    "pairs-field-regions": {
        "en": '{field} must hold "good" and "bad", each a list of [start, end, slot, edit] inside its sentence,'
        " not {value}",
        "zh": "{field} 应含 good 和 bad，各为 [start, end, slot, edit] 的列表，且不超出句子；现为 {value}",
    },
    "pairs-field-slots": {
        "en": "{field} must be an object of slot names and texts, not {value}",
        "zh": "{field} 应是由槽位名和文本组成的对象，而不是 {value}",
    },
    "pairs-field-words": {
        "en": "{field} must be a list of texts, not {value}",
        "zh": "{field} 应是文本的列表，而不是 {value}",
    },
    "pairs-too-many-problems": {
        "en": "reading stopped here after {count} problems",
        "zh": "已有 {count} 个问题，读到这里为止",
    },
    # formats
    "pairs-bad-csv": {
        "en": "not CSV: {reason}",
        "zh": "不是合法的 CSV：{reason}",
    },
    "pairs-row-width": {
        "en": "{count} fields where the header has {expected}",
        "zh": "此行有 {count} 个字段，而表头有 {expected} 个",
    },
    "pairs-labels": {
        "en": "these two lines should be the good (1) and the bad (0) sentence of one pair: {first} and {second}",
        "zh": "这两行应是同一句对的好句（1）和坏句（0）：{first} 与 {second}",
    },
    "pairs-odd": {
        "en": "sentences come in twos, good and bad, and this last one stands alone: {sentence}",
        "zh": "句子应成对出现，先好句后坏句，而最后这一句落了单：{sentence}",
    },
    "pairs-unlike": {
        "en": "a file of one column holds good and bad sentences in turn, and these two have little in common:"
        " {first} and {second}. With a header, name the columns sentence_good and sentence_bad",
        "zh": "只有一列的文件应是好句、坏句交替，而这两行很少相同之处：{first} 与 {second}。"
        "若有表头，请将列命名为 sentence_good 和 sentence_bad",
    },
    "pairs-bad-parquet": {
        "en": "not a Parquet file of pairs: {reason}",
        "zh": "不是句对的 Parquet 文件：{reason}",
    },
    "pairs-suffix": {
        "en": "not a file of pairs; its name should end in one of {suffixes}",
        "zh": "不是句对文件；文件名应以下列之一结尾：{suffixes}",
    },
    "pairs-archive": {
        "en": "this is an archive; unpack it, and give the folder",
        "zh": "这是压缩包；请先解压，再给出文件夹",
    },
    "pairs-format": {
        "en": "no format {given}; there are: {formats}",
        "zh": "没有 {given} 这种格式；可用的有：{formats}",
    },
    # folders of pairs
    "pairs-none": {
        "en": "no pairs in this folder: no file ends in one of {suffixes}",
        "zh": "这个文件夹里没有句对：没有以 {suffixes} 结尾的文件",
    },
    "pairs-uid-shared": {
        "en": "{other} has other pairs of the same uid, {uid}; read one file or folder at a time,"
        " or give their pairs different UIDs",
        "zh": "{other} 里有同一 uid（{uid}）的其他句对；请一次只读一个文件或文件夹，或为它们写上不同的 UID",
    },
    "pairs-unfinished": {
        "en": "the run that was writing these pairs did not finish; start it again and it goes on",
        "zh": "写这些句对的运行没有完成；重新运行即可继续",
    },
    "pairs-gone": {
        "en": "files named here are missing: {names}; generate them again",
        "zh": "这里列出的文件不见了：{names}；请重新生成",
    },
    "pairs-stray": {
        "en": "pair files beside it are not named here: {names}; move them elsewhere,"
        " or remove this manifest to read all files",
        "zh": "旁边有这里没有列出的句对文件：{names}；请把它们移走，或删除此清单以读取全部文件",
    },
    "manifest-broken": {
        "en": "this manifest cannot be read ({reason}); remove it to read the files without it",
        "zh": "无法读取此清单（{reason}）；删除它即可不经清单读取文件",
    },
    # writing
    "uid-unfit": {
        "en": "the uid {uid} cannot be a file name; use letters, digits, - and _",
        "zh": "uid {uid} 不能用作文件名；请用字母、数字、- 和 _",
    },
    "uid-twice": {
        "en": "two paradigms would be written to the same file: {uid} (upper and lower case count as the same);"
        " give one of them another uid",
        "zh": "两个句型会写入同一个文件：{uid}（不区分大小写）；请修改其中一个的 uid",
    },
    "export-none": {
        "en": "there are no pairs to export; give a file or folder that holds some",
        "zh": "没有可导出的句对；请给出含有句对的文件或文件夹",
    },
    "task-twice": {
        "en": "two tasks or groups would be called {name}; give one paradigm or phenomenon another name",
        "zh": "两个任务或任务组会同名：{name}；请修改其中一个句型或现象的名称",
    },
    "output-not-folder": {
        "en": "this is a file, and a folder is needed; give another place",
        "zh": "这是一个文件，而这里需要文件夹；请换一个位置",
    },
    "output-not-empty": {
        "en": "the folder is not empty: {names}; give another folder, or empty this one",
        "zh": "文件夹不是空的：{names}；请换一个文件夹，或先清空它",
    },
    "output-differs": {
        "en": "the pairs there were made otherwise: {fields}; give another folder, or --force to replace them",
        "zh": "那里的句对是以不同方式生成的：{fields}；请换一个文件夹，或用 --force 替换",
    },
    "output-changed": {
        "en": "changed since they were written: {names}; give another folder, or --force to write them anew",
        "zh": "写入之后被改动过：{names}；请换一个文件夹，或用 --force 重新写入",
    },
    "output-unknown": {
        "en": "it is not known what the folder holds ({reason}); give another folder, or --force to write here",
        "zh": "不清楚这个文件夹里是什么（{reason}）；请换一个文件夹，或用 --force 写到这里",
    },
    "output-not-ours": {
        "en": "the folder holds other files: {names}; give another folder, or --force to write beside them",
        "zh": "文件夹里有别的文件：{names}；请换一个文件夹，或用 --force 写在它们旁边",
    },
}
