"""What can be wrong with training: recipes, runs, and the machine they run on."""

from bidui.messages.message import Message

TRAINING: dict[str, Message] = {
    "recipe-number": {
        "en": "{value} is too small; give at least {least}",
        "zh": "{value} 太小；至少应为 {least}",
    },
    "recipe-rate": {
        "en": "the learning rate must be above 0 and the warm-up from 0 to below 1; they are {peak} and {warmup}",
        "zh": "学习率须大于 0，预热比例须在 0 与 1 之间；现为 {peak} 与 {warmup}",
    },
    "recipe-optimizer": {
        "en": "there is no recipe {value}; choose one of {known}",
        "zh": "没有 {value} 这个配方；可选 {known}",
    },
    "recipe-choice": {
        "en": "{value} is none of {known}",
        "zh": "{value} 不在 {known} 之中",
    },
    "recipe-seed": {
        "en": "the seed must be from 0 to 4294967295; it is {value}",
        "zh": "种子须在 0 至 4294967295 之间；现为 {value}",
    },
    "recipe-batch": {
        "en": "{batch} rows a step cannot be divided into {world} processes of whole parts of {micro_batch};"
        " choose numbers whose product divides {batch}",
        "zh": "每步 {batch} 行无法分给 {world} 个进程、每次 {micro_batch} 行；请选用乘积能整除 {batch} 的数",
    },
    "recipe-fields": {
        "en": "these fields are missing or unknown: {fields}; the run was made by another version of bidui",
        "zh": "以下字段缺失或未知：{fields}；此训练由另一版本的 bidui 所做",
    },
    "recipe-unreadable": {
        "en": "cannot be read ({reason}); it says what the run is of, so choose another folder",
        "zh": "无法读取（{reason}）；此文件说明训练内容，请另选文件夹",
    },
    "run-of-another": {
        "en": "this folder holds a run that differs in: {fields}. Go on with that recipe, or choose another folder",
        "zh": "此文件夹中的训练与所求不同：{fields}。请沿用原配方，或另选文件夹",
    },
    "run-stopped": {
        "en": "stopped after step {step} of {steps}; all is saved. Run the same command again to go on",
        "zh": "已在第 {step} 步（共 {steps} 步）后停止并保存；再次运行同一命令即可继续",
    },
    "run-in-use": {
        "en": "another process is training in this folder; wait for it, stop it, or choose another folder with --name",
        "zh": "另一个进程正在此文件夹中训练；请等它结束、将其停止，或用 --name 选择另一个文件夹",
    },
    "milestones-unknown": {
        "en": "there is no rule {value} for milestones; use decades, geometric:47 (or another number), or last",
        "zh": "没有 {value} 这种检查点规则；可用 decades、geometric:47（或其他数目）或 last",
    },
    "size-unknown": {
        "en": "there is no size {value}; choose one of {known}",
        "zh": "没有 {value} 这种规模；可选 {known}",
    },
    "too-few-tokens": {
        "en": "{tokens} tokens are too few for one step of {needed}; add text, or make the batch smaller",
        "zh": "{tokens} 个词元不足一步所需的 {needed} 个；请增加文本，或减小批量",
    },
    "loss-not-finite": {
        "en": "the loss of step {step} is {value}, at a learning rate of {rate}; the run cannot go on."
        " Lower the learning rate, or use float32",
        "zh": "第 {step} 步的损失为 {value}，学习率为 {rate}；训练无法继续。请降低学习率，或改用 float32",
    },
    "gradient-not-finite": {
        "en": "the gradient of step {step} has the norm {value}, at a learning rate of {rate}; the run cannot go on."
        " Lower the learning rate, or use float32",
        "zh": "第 {step} 步梯度的范数为 {value}，学习率为 {rate}；训练无法继续。请降低学习率，或改用 float32",
    },
    "tokens-text": {
        "en": "{value} is no number of tokens; write 500000, 10M or 3B",
        "zh": "{value} 不是词元数；可写作 500000、10M 或 3B",
    },
    "corpus-or-tokenizer": {
        "en": "this is text, not a corpus made by `bidui corpus build`; give --tokenizer, and it is made from the"
        " text; under torchrun, make it first",
        "zh": "这是文本，而非 `bidui corpus build` 所建语料；请给出 --tokenizer，即由文本建成；用 torchrun 时请先建好",
    },
    "milestones-unreadable": {
        "en": "this is no table of accuracies at milestones ({reason}); remove it, and score the checkpoints again",
        "zh": "这不是检查点正确率表（{reason}）；请删去，并重新给检查点打分",
    },
    "run-of-other-pairs": {
        "en": "these accuracies are of other pairs in {count} paradigms ({uid} …); score these by `bidui score`, or"
        " remove accuracy.tsv and scores, and all checkpoints that are kept are scored anew",
        "zh": "此表中有 {count} 个范式（{uid} 等）的正确率属于另一批句对；请用 `bidui score` 为这些句对打分，"
        "或删去 accuracy.tsv 与 scores，重新给留存的检查点打分",
    },
    "device-memory": {
        "en": "the device has too little memory for {size} with {rows} rows at a time ({reason}); give a smaller"
        " --micro-batch, and another --name if the run was begun",
        "zh": "设备内存不足以训练 {size}、每次 {rows} 行（{reason}）；请减小 --micro-batch，若训练已开始，另给 --name",
    },
    "run-without-pairs": {
        "en": "there are no pairs to score its checkpoints on; give others by --score",
        "zh": "没有可用来给检查点打分的句对；请用 --score 另给",
    },
    "run-no-checkpoints": {
        "en": "the run is finished, and no checkpoint is left here to score; train it again under another --name",
        "zh": "训练已完成，而此处没有可打分的检查点；请换一个 --name 重新训练",
    },
    "recipe-lstm": {
        "en": "an LSTM is trained eager and in float32, not {mode} in {precision}; leave these options out",
        "zh": "LSTM 只以 eager 方式、float32 精度训练，而不是 {mode}、{precision}；请去掉这些选项",
    },
    "lstm-tokenizer": {
        "en": "an LSTM keeps its tokenizer as tokenizer.json, which a {found} has not; train one with"
        " `bidui tokenizer train`",
        "zh": "LSTM 的分词器存为 tokenizer.json，而 {found} 没有此文件；请用 `bidui tokenizer train` 训练一个",
    },
    "jieba-needs-lstm": {
        "en": "its tokenizer looks up the words that jieba finds, which {size} cannot do; train an lstm on it, or build"
        " a corpus with another tokenizer",
        "zh": "其分词器查的是 jieba 所分的词，{size} 无法使用；请用它训练 lstm，或以另一分词器构建语料",
    },
    "processes-environment": {
        "en": "the environment says something of several processes that makes no sense: {found}; start them with"
        " torchrun, or unset RANK",
        "zh": "环境变量中关于多进程的内容不完整或有误：{found}；请用 torchrun 启动，或取消 RANK",
    },
    "processes-apart": {
        "en": "process {rank} cannot reach the others ({reason}); start them all with one torchrun",
        "zh": "进程 {rank} 无法与其他进程相通（{reason}）；请用同一 torchrun 启动全部进程",
    },
    "run-not-shared": {
        "en": "the processes do not find the same state here; on several machines the folder must be a shared one",
        "zh": "各进程在此所见的状态不同；多台机器须共用此文件夹",
    },
    "state-broken": {
        "en": "the run was begun, and its state cannot be read ({reason}); put back a whole state.pt, or remove"
        " state.pt and state-before.pt to begin again at the first step",
        "zh": "训练已开始，但其状态无法读取（{reason}）；请放回完整的 state.pt，"
        "或删去 state.pt 与 state-before.pt 从头开始",
    },
    "tensorboard-missing": {
        "en": "TensorBoard is not installed; run `pip install tensorboard`, or do without: log.jsonl has all numbers",
        "zh": "未安装 TensorBoard；请运行 `pip install tensorboard`，或不用它：log.jsonl 中有全部数值",
    },
}
