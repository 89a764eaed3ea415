"""What can be wrong when figures are drawn."""

from bidui.messages.message import Message

FIGURES: dict[str, Message] = {
    "figure-nothing": {
        "en": "there is nothing to draw; give at least one model and one group",
        "zh": "没有可画的内容；请至少给出一个模型和一个分组",
    },
    "figure-not-part": {
        "en": "{what}: {value} is not between 0 and 1; figures take parts of one, so divide per cents by 100",
        "zh": "{what}：{value} 不在 0 到 1 之间；图中的正确率以 1 为满分，百分数请除以 100",
    },
    "figure-lengths": {
        "en": "{panel}, line {line}: the points have {lengths} values; x, y and both ends of a band need one each",
        "zh": "{panel} 的线 {line}：各列的值数为 {lengths}；每个点都要有 x、y，有误差带时还要有上下两端",
    },
    "figure-x": {
        "en": "{panel}, line {line}: {value} has no place on a logarithmic axis; x must be 0 or more",
        "zh": "{panel} 的线 {line}：对数轴上没有 {value} 的位置；x 须不小于 0",
    },
    "figure-no-glyph": {
        "en": "{figure}: no font has {characters}, so boxes stand in their place; install a font that has them,"
        " such as Noto Sans CJK SC",
        "zh": "{figure}：没有字体含有 {characters}，图中以方框代替；请安装含有这些字的字体，如 Noto Sans CJK SC",
    },
}
