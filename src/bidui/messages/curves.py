"""What can be wrong with points and curves: scaling, learning curves, difficulty, regions."""

from bidui.messages.message import Message

CURVES: dict[str, Message] = {
    "fit-lengths": {
        "en": "{n} values of n and {accuracies} accuracies; there must be one accuracy for each n",
        "zh": "{n} 个 n，{accuracies} 个准确率；应一一对应",
    },
    "fit-not-positive": {
        "en": "n must be a positive number, and {count} are not, such as {value}; leave out the checkpoint at step 0",
        "zh": "n 应为正数，而有 {count} 个不是，如 {value}；请去掉第 0 步的检查点",
    },
    "not-an-accuracy": {
        "en": "an accuracy is a number from 0 to 1, and {count} are not, such as {value}; divide per cent by 100",
        "zh": "准确率应在 0 与 1 之间，而有 {count} 个不是，如 {value}；百分数请除以 100",
    },
    "fit-too-few": {
        "en": "{points} points at {distinct} values of n are too few for a curve with {parameters} parameters;"
        " there must be more points than parameters, and as many values of n",
        "zh": "{points} 个点（{distinct} 个不同的 n）不足以拟合有 {parameters} 个参数的曲线；"
        "点数须多于参数，不同的 n 不得少于参数",
    },
    "fit-flat": {
        "en": "all {points} points have the accuracy {value}; there is no curve to fit",
        "zh": "{points} 个点的准确率都是 {value}；没有可拟合的曲线",
    },
    "fit-not-settled": {
        "en": "the fit did not settle from any of {starts} starts ({reason}); the points do not follow such a curve,"
        " or are too few",
        "zh": "从 {starts} 个起点出发，拟合均未收敛（{reason}）；这些点不合此曲线，或点数太少",
    },
    "fit-impossible": {
        "en": "every curve that comes close to the {points} points leaves the range from 0 to 1 between them; add"
        " points between them",
        "zh": "凡与这 {points} 个点相近的曲线，在点与点之间都超出了 0 到 1 的范围；请在其间增加数据点",
    },
    "fit-runs-away": {
        "en": "the fit does not settle: its {parameter} runs past {limit}, and the curve would come ever closer to the"
        " {points} points beyond that. They do not show where the curve bends; add points between or beyond them",
        "zh": "拟合不收敛：{parameter} 越过 {limit}，且越远曲线越接近这 {points} 个点。"
        "这些点未显示曲线在何处弯折；请在其间或其外补充数据",
    },
    "fit-confidence": {
        "en": "the confidence of an interval lies between 0 and 1, such as 0.95, and {value} does not",
        "zh": "区间的置信度应在 0 与 1 之间，如 0.95，而不是 {value}",
    },
    "flops-not-positive": {
        "en": "{parameters} parameters and {tokens} tokens give no training FLOPs; both must be positive numbers",
        "zh": "参数 {parameters}、词元 {tokens}，无法计算训练 FLOPs；两者都应为正数",
    },
    "scaling-groups": {
        "en": "{model} has no accuracy for {missing}, which other models have; score the same pairs with every model",
        "zh": "{model} 没有 {missing} 的准确率，而其他模型有；请让各模型对同样的句对打分",
    },
    "dip-too-few": {
        "en": "{checkpoints} checkpoints of {pairs} pairs; a dip can be looked for from 3 checkpoints and {least} pairs"
        " on, in a table with a row a pair and a column a checkpoint",
        "zh": "{checkpoints} 个检查点，{pairs} 个句对；寻找低谷至少需要 3 个检查点和 {least} 个句对，"
        "表中每行一个句对，每列一个检查点",
    },
    "dip-alpha": {
        "en": "a rate of false alarms lies between 0 and 1, and {value} does not",
        "zh": "误报率应在 0 与 1 之间，而不是 {value}",
    },
    "curves-none": {
        "en": "there are no learning curves; give at least one",
        "zh": "没有学习曲线；请至少给出一条",
    },
    "curve-order": {
        "en": "the checkpoints of {run} must rise, and {second} follows {first}; sort them, and keep one of each",
        "zh": "{run} 的检查点应递增，而 {first} 之后是 {second}；请排序并去掉重复",
    },
    "curve-not-positive": {
        "en": "the checkpoints of {run} must be numbers above 0, or 0 for the untrained model, and are: {at}",
        "zh": "{run} 的检查点应为正数，未训练的模型可为 0，而现在是：{at}",
    },
    "curve-lengths": {
        "en": "{run} has {at} checkpoints and {accuracies} accuracies; there must be one accuracy for each",
        "zh": "{run} 有 {at} 个检查点，{accuracies} 个准确率；应一一对应",
    },
    "curve-outside": {
        "en": "{run} was measured from {first} to {last}, and {value} lies outside; nothing is made up beyond the ends",
        "zh": "{run} 的测量范围是 {first} 到 {last}，{value} 在其外；两端之外不作推测",
    },
    "curves-apart": {
        "en": "the learning curves have no stretch in common: one ends at {last}, another begins at {first}",
        "zh": "各条学习曲线没有共同的区段：一条止于 {last}，另一条始于 {first}",
    },
    "sizes-not-positive": {
        "en": "the numbers of parameters must be positive: {sizes}",
        "zh": "参数量应为正数：{sizes}",
    },
    "sizes-too-few": {
        "en": "models of {sizes} sizes are too few to see whether size helps; there must be {least} or more",
        "zh": "{sizes} 种大小的模型不足以看出规模是否有用；至少需要 {least} 种",
    },
    "sizes-lengths": {
        "en": "{uid} has {accuracies} accuracies for {sizes} models; there must be one for each",
        "zh": "{uid} 有 {accuracies} 个准确率，而模型有 {sizes} 个；应一一对应",
    },
    "stretch-outside": {
        "en": "{uid}, pair {pair}: the stretch {name} lies outside the {side} sentence; make or read the pairs again",
        "zh": "{uid} 第 {pair} 对：区段 {name} 超出了 {side} 句；请重新生成或读取句对",
    },
    "regions-other-pairs": {
        "en": "{count} scored pairs are not among the pairs given, such as number {pair} of {uid}; give the pairs that"
        " were scored",
        "zh": "{count} 个已打分的句对不在所给句对之中，如 {uid} 的第 {pair} 对；请给出打分所用的句对",
    },
    "regions-twice": {
        "en": "{count} pairs stand in the scores more than once; read each file of scores once",
        "zh": "{count} 个句对在分数中重复出现；每个分数文件只应读取一次",
    },
}
