"""What can be wrong with models, their scores, and linking functions."""

from bidui.messages.message import Message

MODELS: dict[str, Message] = {
    "spec-not-shipped": {
        "en": "bidui comes without a model {name}; it has {known}",
        "zh": "bidui 不附带模型 {name}；附带的有 {known}",
    },
    "sentence-too-long": {
        "en": "{sentence} has {tokens} tokens, and {model} takes {most}; nothing is"
        " cut off. Leave the sentence out, or use a model with a longer context",
        "zh": "{sentence} 有 {tokens} 个词元，而 {model}"
        " 至多容纳 {most} 个；不作截断。请去掉此句，或换用上下文更长的模型",
    },
    "logprob-not-finite": {
        "en": "{model} gives {value} for token {number} of {sentence},"
        " which ends {before}; the weights or the dtype are broken",
        "zh": "{model} 对 {sentence} 的第 {number} 个词元（至“{before}”）给出 {value}；权重或数值类型有误",
    },
    "no-eos": {
        "en": "the tokenizer has no EOS to score; leave out --eos",
        "zh": "分词器没有可打分的 EOS；请去掉 --eos",
    },
    "no-bos": {
        "en": "the tokenizer has no {bos} token; use --bos with bos, eos, none, or an id",
        "zh": "分词器没有 {bos} 词元；--bos 可取 bos、eos、none 或编号",
    },
    "declaration-unreadable": {
        "en": "cannot be read ({reason}); it says what the model was trained with, so correct or remove it",
        "zh": "无法读取（{reason}）；此文件说明模型的训练方式，请更正或删去",
    },
    "sentence-not-given": {
        "en": "no line for {sentence}; add one, or score other pairs",
        "zh": "没有 {sentence} 这一句；请补充，或换一组句对",
    },
    "given-line": {
        "en": 'a line must be {{"sentence": …, "tokens": […], "logprobs": […]}}: {line}',
        "zh": '每行应为 {{"sentence": …, "tokens": […], "logprobs": […]}}：{line}',
    },
    "given-tokens": {
        "en": "the tokens do not spell the sentence {sentence}: {tokens}",
        "zh": "词元拼不成句子 {sentence}：{tokens}",
    },
    "given-counts": {
        "en": "{tokens} tokens and {logprobs} log-probabilities; there must be one for each",
        "zh": "{tokens} 个词元，{logprobs} 个对数概率；应一一对应",
    },
    "needs-extra": {
        "en": "{package} is not installed; install bidui[{extra}]",
        "zh": "未安装 {package}；请安装 bidui[{extra}]",
    },
    "model-missing": {
        "en": "there is no such file; correct the path",
        "zh": "没有此文件；请更正路径",
    },
    "model-unreadable": {
        "en": "no model that transformers can load: {reason}",
        "zh": "transformers 无法载入此模型：{reason}",
    },
    "tokenizer-unreadable": {
        "en": "the model's tokenizer cannot be loaded: {reason}; put its files into the folder",
        "zh": "无法载入模型的分词器：{reason}；请将其文件放入该文件夹",
    },
    "dtype-unknown": {
        "en": "{dtype} is no type of numbers that torch has; use float32, float16 or bfloat16",
        "zh": "torch 没有 {dtype} 这种数值类型；请用 float32、float16 或 bfloat16",
    },
    "device-unusable": {
        "en": "{device} cannot be used: {reason}; use --device cpu, or one that torch has here",
        "zh": "无法使用 {device}：{reason}；请用 --device cpu，或 torch 在此可用的设备",
    },
    "no-mask": {
        "en": "the tokenizer has no mask token, so the model cannot be scored as a masked one",
        "zh": "分词器没有遮盖词元，无法按遮盖模型打分",
    },
    "no-sentinel": {
        "en": "the tokenizer has no <extra_id_0>, so the model cannot be scored by restoring tokens",
        "zh": "分词器没有 <extra_id_0>，无法用还原词元的方式打分",
    },
    "ngram-unreadable": {
        "en": "KenLM cannot read this: {reason}",
        "zh": "KenLM 无法读取：{reason}",
    },
    "ngram-no-boundaries": {
        "en": "the model has no <s>; use ?boundaries=no",
        "zh": "模型没有 <s>；请用 ?boundaries=no",
    },
    "lstm-file-missing": {
        "en": "the folder of an LSTM needs {file}, which is not there; correct the path, or save the model again",
        "zh": "LSTM 文件夹中缺少 {file}；请更正路径，或重新保存模型",
    },
    "lstm-unreadable": {
        "en": "cannot be read: {reason}; save the model again",
        "zh": "无法读取：{reason}；请重新保存模型",
    },
    "lstm-format": {
        "en": "is of another format than {format}, the one that this bidui reads; update bidui",
        "zh": "不是此版 bidui 所读的格式 {format}；请更新 bidui",
    },
    "lstm-fields": {
        "en": "fields are missing: {missing}; fields that mean nothing: {unknown}; save the model again",
        "zh": "缺少字段：{missing}；多余字段：{unknown}；请重新保存模型",
    },
    "lstm-words": {
        "en": "{value} divides no sentences; use jieba, or null where the tokenizer divides them",
        "zh": "不能用 {value} 分词；请用 jieba，由分词器切分则用 null",
    },
    "lstm-size": {
        "en": "must be a whole number above 0, not {value}",
        "zh": "应为大于 0 的整数，而不是 {value}",
    },
    "lstm-dropout": {
        "en": "must be a number from 0 to below 1, not {value}",
        "zh": "应为 0 以上、小于 1 的数，而不是 {value}",
    },
    "lstm-tied-value": {
        "en": "must be true or false, not {value}",
        "zh": "应为 true 或 false，而不是 {value}",
    },
    "lstm-tied": {
        "en": "an output with the weights of the embedding needs as many hidden units ({hidden}) as"
        " embedding dimensions ({embedding}); make them equal, or set tied to false",
        "zh": "输出层与词嵌入共用权重时，隐藏单元数（{hidden}）须等于词嵌入维数（{embedding}）；"
        "请改为相等，或将 tied 设为 false",
    },
    "lstm-vocabulary": {
        "en": "the tokenizer has {tokens} tokens and the network {vocabulary}; use the tokenizer of its training",
        "zh": "分词器有 {tokens} 个词元，而网络有 {vocabulary} 个；请用训练时的分词器",
    },
    "lstm-no-unknown": {
        "en": "the tokenizer has no unknown token for words that {words} finds and the vocabulary lacks; give it one",
        "zh": "{words} 切出的词未必都在词表中，而分词器没有未知词元；请为其添加",
    },
    "lstm-weights": {
        "en": "{name} has the shape {found}, and lstm.json asks for {wanted} (() is none at all);"
        " the two files are not of one model, so save it again",
        "zh": "{name} 的形状是 {found}，而 lstm.json 要求 {wanted}（() 表示没有）；两个文件不属于同一模型，请重新保存",
    },
    "api-no-prompt-logprobs": {
        "en": "the server gives no log-probabilities of the prompt for"
        " {model}; only /v1/completions with echo can be scored, not chat",
        "zh": "服务器不给出 {model} 的提示对数概率；只能用带 echo 的 /v1/completions，不能用对话接口",
    },
    "api-failed": {
        "en": "no answer after {tries} tries: {reason}; what was answered is kept, run the same command again",
        "zh": "{tries} 次尝试后仍无回应：{reason}；已得的回应已保存，请重新运行同一命令",
    },
    "spec-option": {
        "en": "{spec}: no option `{option}`; there are: {known}",
        "zh": "{spec}：没有选项 `{option}`；可用：{known}",
    },
    "spec-value": {
        "en": "{spec}: {value} is not allowed; use one of: {allowed}",
        "zh": "{spec}：不可用 {value}；可用：{allowed}",
    },
    "spec-empty": {
        "en": "{spec} names no model; see bidui score --list-models",
        "zh": "{spec} 未指明模型；参见 bidui score --list-models",
    },
    "spec-no-match": {
        "en": "nothing matches {spec}",
        "zh": "没有与 {spec} 匹配的模型",
    },
    "spec-api-model": {
        "en": "{spec} must name the model: api:http://host:8000?model=NAME",
        "zh": "{spec} 须指明模型：api:http://host:8000?model=NAME",
    },
    "link-unknown": {
        "en": "{link} is no linking function; there are: {known}",
        "zh": "没有 {link} 这个联结函数；可用：{known}",
    },
    "link-numbers": {
        "en": "{link}: at most {most} numbers may follow, separated by commas",
        "zh": "{link}：其后至多 {most} 个数，用逗号分隔",
    },
    "no-unigrams": {
        "en": "this linking function needs unigrams; give them with --unigrams",
        "zh": "此联结函数需要一元频率；请用 --unigrams 给出",
    },
    "unigram-zero": {
        "en": "{count} tokens have the frequency zero; use a smoothing above {smoothing}",
        "zh": "{count} 个词元频率为零；平滑值须大于 {smoothing}",
    },
    "unigrams-unreadable": {
        "en": "cannot be read as unigrams: {reason}",
        "zh": "无法作为一元频率读取：{reason}",
    },
    "unigrams-tokenizer": {
        "en": "counted with another tokenizer ({own}, the model's is {wanted}); count them with the model's own",
        "zh": "是用另一分词器统计的（{own}，模型的是 {wanted}）；请用模型自己的分词器统计",
    },
    "scores-unreadable": {
        "en": "cannot be read as scores: {reason}",
        "zh": "无法作为分数读取：{reason}",
    },
    "scores-columns": {
        "en": "columns are missing: {missing}; score again",
        "zh": "缺少列：{missing}；请重新打分",
    },
    "scores-broken": {
        "en": "is missing or was changed since it was written; run bidui score again",
        "zh": "缺失或写入后被改动；请重新运行 bidui score",
    },
    "scores-manifest": {
        "en": "cannot be read ({reason}); remove the folder and score again",
        "zh": "无法读取（{reason}）；请删去该文件夹并重新打分",
    },
    "scores-of-another": {
        "en": "holds scores made otherwise; these differ: {fields}. Choose another folder, or use --force",
        "zh": "其中的分数由不同设定得出，差异：{fields}。请换一个文件夹，或用 --force",
    },
    "option-not-for": {
        "en": "{option} means nothing for models of the kind {kind}; leave it out",
        "zh": "{option} 对 {kind} 类模型没有意义；请去掉",
    },
    "pll-needs-words": {
        "en": "the tokenizer does not say which tokens make a word, which within_word_l2r needs; use ?pll=original",
        "zh": "分词器不说明哪些词元构成一个词，而 within_word_l2r 需要；请用 ?pll=original",
    },
    "unigrams-too-few": {
        "en": "the unigrams know {known} tokens, and the scores have the id {token}; count them with the model's"
        " tokenizer",
        "zh": "一元频率只含 {known} 个词元，而分数中有编号 {token}；请用模型的分词器统计",
    },
    "nothing-scored": {
        "en": "{model} scores no token of {sentence}: it has only one, and nothing stands before it; use --bos",
        "zh": "{model} 未给 {sentence} 的任何词元打分：它只有一个词元，前面没有内容；请用 --bos",
    },
    "score-what": {
        "en": "say what to score, and with which model if not ours: bidui score zhoblimp --model hf:FOLDER;"
        " see --list-models",
        "zh": "请说明给什么打分；若不用自带的模型，也请说明用什么：bidui score zhoblimp --model hf:FOLDER；"
        "参见 --list-models",
    },
    "no-scores": {
        "en": "no scores here; make some with bidui score",
        "zh": "此处没有分数；请先运行 bidui score",
    },
}
