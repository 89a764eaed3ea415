"""What can be wrong with the text of a corpus, its tokenizer, and the shards made of them."""

from bidui.messages.message import Message

CORPORA: dict[str, Message] = {
    "tokenizer-missing": {
        "en": "no tokenizer can be loaded from here: {reason}; give the folder of one, or a sentencepiece .model file",
        "zh": "无法由此载入分词器：{reason}；请给出分词器所在文件夹，或 sentencepiece 的 .model 文件",
    },
    "source-missing": {
        "en": "there is no such file or folder; correct the path",
        "zh": "没有此文件或文件夹；请更正路径",
    },
    "source-empty": {
        "en": "nothing to read: no file ends in {kinds}, or in these and {compressions}",
        "zh": "没有可读的文件：应以 {kinds} 结尾，或再加 {compressions}",
    },
    "source-unreadable": {
        "en": "cannot be read to its end: {reason}; replace the file, or take it out of the folder",
        "zh": "无法读到结尾：{reason}；请更换此文件，或移出文件夹",
    },
    "source-zstandard": {
        "en": "Python reads .zst from 3.14 on; install backports.zstd, or unpack the file",
        "zh": "Python 自 3.14 起才能读 .zst；请安装 backports.zstd，或先解压",
    },
    "source-no-text": {
        "en": "there is no text in it; {broken} lines or records were broken, {empty} empty",
        "zh": "其中没有文本；损坏的行或记录 {broken} 个，空的 {empty} 个",
    },
    "tokenizer-size": {
        "en": "{size} entries are not enough: {least} are special tokens and characters; give a larger --size,"
        " or a higher --least",
        "zh": "词表 {size} 项不够：特殊词元和单字已有 {least} 项；请增大 --size，或提高 --least",
    },
    "tokenizer-no-size": {
        "en": "a char tokenizer has as many entries as there are characters; use --least instead of --size",
        "zh": "char 分词器的词表大小由字的种数决定；请用 --least，而不是 --size",
    },
    "validation-share": {
        "en": "the share held out for validation must be from 0 to below 1, not {validation}",
        "zh": "留作验证的比例应在 0 以上、小于 1，而不是 {validation}",
    },
    "corpus-no-bos": {
        "en": "the tokenizer has neither BOS nor EOS to put before a {bos}; use --bos none",
        "zh": "分词器既无 BOS 也无 EOS，不能置于 {bos} 之前；请用 --bos none",
    },
    "corpus-missing": {
        "en": "holds no corpus; make one with bidui corpus build",
        "zh": "其中没有语料；请先运行 bidui corpus build",
    },
    "corpus-broken": {
        "en": "cannot be read ({reason}); build the corpus again, in another folder",
        "zh": "无法读取（{reason}）；请在另一文件夹重新构建语料",
    },
    "corpus-format": {
        "en": "is of format {format}, and this bidui reads {known}; update bidui, or build the corpus again",
        "zh": "格式为 {format}，而此版 bidui 读 {known}；请更新 bidui，或重新构建语料",
    },
    "corpus-of-another": {
        "en": "holds a corpus made otherwise; these differ: {fields}. Choose another folder",
        "zh": "其中的语料由不同设定得出，差异：{fields}。请换一个文件夹",
    },
    "corpus-tokenizer": {
        "en": "is not the tokenizer that {corpus} was encoded with (its hash is {own}, not {wanted}); take that one,"
        " or build a corpus with this one",
        "zh": "不是 {corpus} 编码所用的分词器（哈希为 {own}，应为 {wanted}）；请改用该分词器，或用此分词器另建语料",
    },
    "corpus-bos": {
        "en": "was built with --bos {own}, not {asked}; leave --bos out, or build another corpus",
        "zh": "是以 --bos {own} 构建的，而不是 {asked}；请去掉 --bos，或另建语料",
    },
    "corpus-too-small": {
        "en": "{asked} tokens were asked for, and {part} has {there}; ask for fewer, or build from more text",
        "zh": "要求 {asked} 个词元，而 {part} 只有 {there} 个；请减少数目，或用更多文本构建",
    },
    "context-too-small": {
        "en": "rows of {context} have no room for a token; use a longer context",
        "zh": "每行 {context} 个词元放不下内容；请用更长的上下文",
    },
    "shard-no-header": {
        "en": "is no shard of token ids; build the corpus again",
        "zh": "不是词元编号的分片；请重新构建语料",
    },
    "shard-version": {
        "en": "is of version {version}, and this bidui reads {known}; update bidui, or build the corpus again",
        "zh": "版本为 {version}，而此版 bidui 读 {known}；请更新 bidui，或重新构建语料",
    },
    "shard-tokenizer": {
        "en": "was encoded with another tokenizer ({own}, corpus.json says {wanted}); build the corpus again",
        "zh": "是用另一分词器编码的（{own}，corpus.json 为 {wanted}）；请重新构建语料",
    },
    "shard-size": {
        "en": "should hold {tokens} tokens, and has {size} bytes that do not fit; build the corpus again",
        "zh": "应有 {tokens} 个词元，而 {size} 字节与之不符；请重新构建语料",
    },
    "shard-corrupt": {
        "en": "was changed since it was written; build the corpus again",
        "zh": "写入后被改动；请重新构建语料",
    },
}
