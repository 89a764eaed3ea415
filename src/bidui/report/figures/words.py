"""The words that figures themselves write, in English and Chinese; names of models and groups are the caller's."""

from collections.abc import Mapping

from bidui.messages import Language

WORDS: Mapping[str, Mapping[Language, str]] = {
    "accuracy": {"en": "accuracy (%)", "zh": "正确率（%）"},
    "unequal": {"en": "accuracy on D< and D> (%)", "zh": "D< 与 D> 上的正确率（%）"},
    "delta": {"en": "delta-acc (points)", "zh": "delta-acc（百分点）"},
    "alpha": {"en": "alpha", "zh": "alpha"},
    "chance": {"en": "chance", "zh": "随机"},
    "people": {"en": "people", "zh": "人"},
    "best": {"en": "best model", "zh": "最佳模型"},
    "gap": {"en": "gap", "zh": "差距"},
    "bias": {"en": "delta-acc", "zh": "delta-acc"},
    "flops": {"en": "training FLOPs", "zh": "训练 FLOPs"},
    "tokens": {"en": "training tokens", "zh": "训练词元数"},
    "steps": {"en": "training steps", "zh": "训练步数"},
    "difference": {"en": "good less bad (nats)", "zh": "好句减坏句（奈特）"},
    "D=": {"en": "D=", "zh": "D="},
    "D<": {"en": "D< good shorter", "zh": "D< 好句较短"},
    "D>": {"en": "D> good longer", "zh": "D> 好句较长"},
    "mean": {"en": "mean", "zh": "均值"},
    "median": {"en": "median", "zh": "中位数"},
    "share": {"en": "share (%)", "zh": "比例（%）"},
    "rank": {"en": "rank in the list", "zh": "词表中的位次"},
    "unlisted": {"en": "not in the list", "zh": "词表中没有"},
    "of_words": {"en": "of words", "zh": "按词种"},
    "of_occurrences": {"en": "of occurrences", "zh": "按出现次数"},
}

POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
UNITS: Mapping[Language, tuple[tuple[float, str], ...]] = {
    "en": ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")),
    "zh": ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
}


def word(name: str, language: Language) -> str:
    """A word of the figures."""
    return WORDS[name][language]


def power_of_ten(exponent: int) -> str:
    """10¹⁷, as plain text."""
    return f"10{str(exponent).translate(POWERS)}"


def short_number(value: float, language: Language) -> str:
    """10M, 1B; 1000万, 10亿."""
    for size, unit in UNITS[language]:
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"
