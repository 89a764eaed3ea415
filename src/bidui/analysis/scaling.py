"""Scaling: accuracy against training FLOPs, and the curve by which accuracy grows with the training data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bidui.analysis.accuracy import Accuracy
from bidui.analysis.fits import Estimate, Fit, Parameter, check_points, fit_curve, profile_interval, weighted_starts
from bidui.errors import fail
from bidui.scores.links import Floats

FINAL, START = Parameter("final", 0, 1, closed=True), Parameter("start", 0, 1, closed=True)
BETA = Parameter("beta", np.log(0.02), np.log(50), means=np.exp)


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A model, the parameters it truly has (counted, not the number in its name), and the tokens it was trained on."""

    name: str
    parameters: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ScalingPoint:
    """One point of Figure 3: a model's accuracy on one phenomenon, and the FLOPs of its training."""

    group: str
    model: TrainedModel
    flops: float
    accuracy: Accuracy


@dataclass(frozen=True, slots=True)
class ScalingFit:
    """F(n) = P∞ − (P∞ − P0)·exp(−α·n^β), with intervals.

    `scale` is α^(−1/β), the n at which all but 1/e of the way is gone. It can be read, and is known far more closely
    than α, whose unit changes with β.
    """

    final: Estimate
    start: Estimate
    alpha: Estimate
    beta: Estimate
    scale: Estimate
    deviation: float  # of the points about the curve
    points: int
    confidence: float

    def at(self, n: ArrayLike) -> Floats:
        """The curve at every n."""
        values = (self.final.value, self.start.value, np.log(self.scale.value), np.log(self.beta.value))
        return exponential(np.log(np.asarray(n, np.float64)), np.array(values))


def training_flops(parameters: float, tokens: float) -> float:
    """C = 6ND (Hoffmann et al. 2022), with N all parameters of the model and D the tokens it was trained on."""
    for value in (parameters, tokens):
        if not 0 < value < np.inf:
            raise fail("flops-not-positive", None, {"parameters": f"{parameters:g}", "tokens": f"{tokens:g}"})
    return 6.0 * parameters * tokens


def scaling_points(models: Iterable[tuple[TrainedModel, Mapping[str, Accuracy]]]) -> tuple[ScalingPoint, ...]:
    """The points of Figure 3 (Liu et al., section 5.2), by phenomenon and, within one, by size and training data.

    The accuracies of a model are those of `accuracy(choices, by="phenomenon")`, or of any other groups, the same for
    all models.
    """
    given = [(model, training_flops(model.parameters, model.tokens), groups) for model, groups in models]
    names = dict.fromkeys(name for _, _, groups in given for name in groups)
    for model, _, groups in given:
        if missing := [name for name in names if name not in groups]:
            raise fail("scaling-groups", None, {"model": model.name, "missing": missing})
    by_size = sorted(given, key=lambda one: (one[0].parameters, one[0].tokens))
    return tuple(ScalingPoint(name, model, flops, groups[name]) for name in names for model, flops, groups in by_size)


def fit_scaling(n: ArrayLike, accuracies: ArrayLike, *, confidence: float = 0.95) -> ScalingFit:
    """The curve of Figure 2b (Liu et al., first version) through accuracies at n tokens, FLOPs, or what you like.

    P∞ and P0 are probabilities, and P∞ may be the lower one; α and β are positive. Points may share an n, as models of
    several seeds do. The paper has four sizes of corpora a model, which alone are too few for four parameters.
    """
    sizes, observed = np.asarray(n, np.float64), np.asarray(accuracies, np.float64)
    check_points(sizes, observed, parameters=4)
    logs = np.log(sizes)
    scales, betas = np.meshgrid(np.linspace(logs.min() - 1, logs.max() + 1, 25), np.log(np.geomspace(0.1, 8, 15)))
    grid = np.stack([scales.ravel(), betas.ravel()], axis=1)
    left = remaining(logs, grid[:, :1], grid[:, 1:])
    starts = weighted_starts(np.stack([1 - left, left], axis=2), observed, apart=grid[:, 0], most=5)
    fit = fit_curve(
        lambda values: exponential(logs, values),
        observed,
        parameters=(FINAL, START, scale_range(logs), BETA),
        starts=[np.array([*weights, *grid[index]]) for index, weights in starts],
    )
    final, start, scale, beta = (estimate(fit, name, confidence) for name in ("final", "start", "scale", "beta"))
    alpha = estimate(in_alpha(fit), "alpha", confidence)
    return ScalingFit(final, start, alpha, beta, scale, float(np.sqrt(fit.variance)), len(observed), confidence)


def exponential(logs: Floats, values: Floats) -> Floats:
    """F at the logarithms of n; the values are P∞, P0, and the logarithms of scale and β."""
    return np.asarray(values[0] - (values[0] - values[1]) * remaining(logs, values[2], values[3]))


def remaining(logs: Floats, log_scale: Floats | float, log_beta: Floats | float) -> Floats:
    """exp(−α·n^β) as exp(−(n / scale)^β): in α and β, any error of one could be made good by the other."""
    power = np.exp(np.minimum(log_beta, 50)) * (logs - log_scale)
    return np.asarray(np.exp(-np.exp(np.minimum(power, 50))))


def scale_range(logs: Floats) -> Parameter:
    """Where the scale is looked for: up to a hundred thousand times beyond the points."""
    return Parameter("scale", float(logs.min()) - np.log(1e5), float(logs.max()) + np.log(1e5), means=np.exp)


def in_alpha(fit: Fit) -> Fit:
    """The same fit with log α = −β·log scale as its third parameter, so that α can have a profile of its own.

    The fourth is then the scale, which hardly moves when α does, and β follows from both; but near a scale of 1, where
    nothing would follow, it is β.
    """
    scale, beta = fit.parameters[2:4]
    far = abs(fit.values[2]) > 2
    reach = max(abs(scale.low), abs(scale.high)) * np.exp(beta.high)

    def predict(values: Floats) -> Floats:
        if far:
            third, fourth = values[3], np.log(max(-values[2] / values[3], 1e-20))
        else:
            third, fourth = -values[2] / np.exp(min(max(values[3], -50), 50)), values[3]
        return fit.predict(np.array([*values[:2], third, fourth, *values[4:]]))

    def restated(values: Floats) -> Floats:
        log_alpha = -np.exp(min(values[3], 50)) * values[2]
        return np.array([*values[:2], log_alpha, values[2 if far else 3], *values[4:]])

    alpha = Parameter("alpha", -reach, reach, means=np.exp)
    return replace(
        fit,
        predict=predict,
        parameters=(*fit.parameters[:2], alpha, scale if far else beta, *fit.parameters[4:]),
        values=restated(fit.values),
        settled=tuple(restated(values) for values in fit.settled),
    )


def estimate(fit: Fit, name: str, confidence: float) -> Estimate:
    """A parameter with its interval, as it is reported."""
    index = [parameter.name for parameter in fit.parameters].index(name)
    means = fit.parameters[index].means
    low, high = profile_interval(fit, name, confidence=confidence)
    with np.errstate(over="ignore"):
        return Estimate(float(means(fit.values[index])), float(means(low)), float(means(high)))
