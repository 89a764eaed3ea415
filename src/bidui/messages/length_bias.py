"""What can be wrong when length bias is measured and parameters of linking functions are chosen."""

from bidui.messages.message import Message

LENGTH_BIAS: dict[str, Message] = {
    "length-group-empty": {
        "en": "no pairs in {groups}, and delta-acc needs pairs of equal length (D=), with the good side shorter (D<),"
        " and longer (D>); choose by accuracy instead",
        "zh": "{groups} 中没有句对，而 delta-acc 需要三种句对：等长（D=）、好句较短（D<）、好句较长（D>）；"
        "请改按正确率选择",
    },
    "morcela-no-fit": {
        "en": "no beta and gamma fit: a higher LP goes with the bad sentences; look at the accuracy of lp first",
        "zh": "拟合不出 beta 和 gamma：LP 越高，越倾向坏句；请先查看 lp 的正确率",
    },
}
