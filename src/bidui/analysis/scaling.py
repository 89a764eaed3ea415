"""Scaling: accuracy against training FLOPs, and the curve by which accuracy grows with the training data."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bidui.analysis.fits import (
    Fit,
    Parameter,
    check_points,
    fit_curve,
    profile_interval,
    refuse_bounds,
    weighted_starts,
)
from bidui.errors import fail
from bidui.intervals import Estimate
from bidui.scores.links import Floats

FINAL, START = Parameter("final", 0, 1, closed=True), Parameter("start", 0, 1, closed=True)
BETA = Parameter("beta", np.log(0.02), np.log(50), means=np.exp)


@dataclass(frozen=True, slots=True)
class ScalingFit:
    """F(n) = P∞ − (P∞ − P0)·exp(−α·n^β), with intervals.

    `scale` is α^(−1/β), the n at which all but 1/e of the way is covered. It is easy to read, and much better
    determined than α, whose unit changes with β.
    """

    final: Estimate
    start: Estimate
    alpha: Estimate
    beta: Estimate
    scale: Estimate
    deviation: float  # standard deviation of the points about the curve

    def at(self, n: ArrayLike) -> Floats:
        """Return the curve at every n."""
        values = (self.final.value, self.start.value, np.log(self.scale.value), np.log(self.beta.value))
        return exponential(np.log(np.asarray(n, np.float64)), np.array(values))


def training_flops(parameters: float, tokens: float) -> float:
    """Return C = 6ND (Hoffmann et al. 2022): N is the number of parameters, D the number of training tokens."""
    for value in (parameters, tokens):
        if not 0 < value < np.inf:
            raise fail("flops-not-positive", None, {"parameters": f"{parameters:g}", "tokens": f"{tokens:g}"})
    return 6.0 * parameters * tokens


def fit_scaling(n: ArrayLike, accuracies: ArrayLike, *, start: float | None = None, series: bool = False) -> ScalingFit:
    """Fit the curve of Figure 2b (Liu et al., first version) to accuracies at n tokens, FLOPs, or any other quantity.

    P∞ and P0 are probabilities, and P∞ may be the lower one; α and β are positive. Points may share an n, as models
    with several seeds do. The paper has four corpus sizes per model, which alone are too few for four parameters.
    `start` is the measured accuracy of the untrained model, which then is P0. In a `series`, such as the checkpoints of
    a run, neighbouring points may stray together. Fits that end at a bound of P∞ or P0 are refused.
    """
    sizes, observed = np.asarray(n, np.float64), np.asarray(accuracies, np.float64)
    check_points(sizes, observed, parameters=4)
    logs = np.log(sizes)
    scales, betas = np.meshgrid(np.linspace(logs.min() - 1, logs.max() + 1, 25), np.log(np.geomspace(0.1, 8, 15)))
    grid = np.stack([scales.ravel(), betas.ravel()], axis=1)
    left = remaining(logs, grid[:, :1], grid[:, 1:])
    starts = weighted_starts(np.stack([1 - left, left], axis=2), observed, apart=grid[:, 0], most=5)

    def predict(values: Floats) -> Floats:
        # a given start takes the place of the parameter, which then moves nothing
        return exponential(logs, values if start is None else np.array([values[0], start, *values[2:]]))

    fit = fit_curve(
        predict,
        observed,
        parameters=(FINAL, START, scale_range(logs), BETA),
        starts=[np.array([weights[0], 0.5 if start is not None else weights[1], *grid[i]]) for i, weights in starts],
        series=series,
    )
    refuse_bounds(fit, ("final",) if start is not None else ("final", "start"))
    found = trend_of(fit)
    return found if start is None else replace(found, start=Estimate(start))


def trend_of(fit: Fit) -> ScalingFit:
    """Return the curve of a fit whose first four parameters are final, start, scale and beta."""
    final, start, scale, beta = (estimate(fit, name) for name in ("final", "start", "scale", "beta"))
    return ScalingFit(final, start, estimate(in_alpha(fit), "alpha"), beta, scale, float(np.sqrt(fit.variance)))


def exponential(logs: Floats, values: Floats) -> Floats:
    """Return F at the logarithms of n; the values are P∞, P0, and the logarithms of scale and β."""
    return np.asarray(values[0] - (values[0] - values[1]) * remaining(logs, values[2], values[3]))


def remaining(logs: Floats, log_scale: Floats | float, log_beta: Floats | float) -> Floats:
    """Return exp(−α·n^β), written as exp(−(n / scale)^β): an error in α could be compensated by one in β."""
    power = np.exp(np.minimum(log_beta, 50)) * (logs - log_scale)
    return np.asarray(np.exp(-np.exp(np.minimum(power, 50))))


def scale_range(logs: Floats) -> Parameter:
    """Return the range searched for the scale: up to a hundred thousand times beyond the points."""
    return Parameter("scale", float(logs.min()) - np.log(1e5), float(logs.max()) + np.log(1e5), means=np.exp)


def in_alpha(fit: Fit) -> Fit:
    """Return the same fit with log α = −β·log scale as its third parameter, so that α has a profile of its own.

    The fourth is then the scale, which hardly moves when α does, and β follows from both; near a scale of 1, where
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
        ends=tuple(restated(values) for values in fit.ends),
    )


def estimate(fit: Fit, name: str) -> Estimate:
    """Return a parameter with its interval, in the reported unit."""
    index = [parameter.name for parameter in fit.parameters].index(name)
    means = fit.parameters[index].means
    low, high = profile_interval(fit, name)
    with np.errstate(over="ignore"):
        return Estimate(float(means(fit.values[index])), float(means(low)), float(means(high)))
