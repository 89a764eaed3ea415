"""Curves: accuracy against the FLOPs of training, or against the tokens seen, a panel a phenomenon."""

from collections.abc import Mapping, Sequence

from bidui.report.figures.axes import power_of_ten, short_number
from bidui.report.figures.drawing import Drawing, Line
from bidui.report.figures.labels import word
from bidui.report.figures.lines import accuracy_panels, rows_of
from bidui.report.figures.style import Width, house_style
from bidui.words import Language


def scaling(
    panels: Mapping[str, Sequence[Line]],
    *,
    references: Mapping[str, Mapping[str, float]] | None = None,
    fits: Mapping[str, Sequence[Line]] | None = None,
    width: Width = "page",
    language: Language = "en",
) -> Drawing:
    """A line a model size, with FLOPs as x and accuracy as y (Liu et al., Figure 3).

    `references` are level lines, by name and phenomenon. Fitted curves are lines of many points; one that is called as
    a size has its colour.
    """
    with house_style():
        made = accuracy_panels(
            panels,
            references=references or {},
            fits=fits or {},
            width=width,
            x_label=word("flops", language),
            y_label=word("accuracy", language),
            x_text=power_of_ten,
        )
    head = ("phenomenon", "size", "flops", "accuracy")
    return Drawing(made.figure, rows_of(panels, head=head, references=references, fits=fits))


def learning_curves(
    panels: Mapping[str, Sequence[Line]],
    *,
    references: Mapping[str, Mapping[str, float]] | None = None,
    fits: Mapping[str, Sequence[Line]] | None = None,
    width: Width = "page",
    language: Language = "en",
) -> Drawing:
    """A line a model size, with tokens as x, the mean over seeds as y, and the deviation about it as a band.

    After Liu et al., Figure 4 (Figure 5 of the first version). Zero tokens, the model before training, stand to the
    left of the logarithmic axis. References and fits are as for `scaling`.
    """
    with house_style():
        made = accuracy_panels(
            panels,
            references=references or {},
            fits=fits or {},
            width=width,
            x_label=word("tokens", language),
            y_label=word("accuracy", language),
            x_text=lambda power: short_number(10.0**power, language),
        )
    head = ("phenomenon", "size", "tokens", "accuracy")
    return Drawing(made.figure, rows_of(panels, head=head, references=references, fits=fits))
