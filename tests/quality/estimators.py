"""Candidate estimators of a treatment's effect, vectorised over simulated comparisons.

Each takes the log times of both treatments, ``a`` (reference) and ``b``, shape (runs, launches, blocks, pairs), and a
confidence, and returns the ends of the interval of the log ratio b/a, each of shape (runs,).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import stats

Ends = tuple[np.ndarray, np.ndarray]
Estimator = Callable[[np.ndarray, np.ndarray, float], Ends]

RESAMPLES = 999


def weighted_midmeans(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Launch midmeans weighted by how precisely each is known: what ``knee.stats.comparison`` does."""
    d = np.sort((b - a).reshape(*a.shape[:2], a.shape[2] * a.shape[3]), axis=-1)
    pairs, cut = d.shape[-1], d.shape[-1] // 4
    value = d[..., cut : pairs - cut].mean(axis=-1)
    kept, launches = pairs - 2 * cut, d.shape[1]
    bent = np.clip(d, d[..., cut, None], d[..., pairs - cut - 1, None])
    variance = np.maximum(bent.var(axis=-1) * pairs / (kept * (kept - 1)), 1e-14)
    centre = np.exp(np.log(variance).mean(axis=1, keepdims=True))
    inside = (4 * centre + (kept - 1) * variance) / (4 + kept - 1)
    low, high = np.zeros(len(d)), ((value - value.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    for _ in range(60):
        middle = (low + high) / 2
        above = _weighted(value, inside, middle)[1] > launches - 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    mean, squares, weight = _weighted(value, inside, high)
    half = stats.t.ppf(0.5 + confidence / 2, launches - 1) * np.sqrt(
        np.maximum(squares / (launches - 1), 1) / weight
    )
    return mean - half, mean + half


def t_on_midmeans(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Student's t on launch midmeans of log ratios."""
    d = np.sort((b - a).reshape(*a.shape[:2], a.shape[2] * a.shape[3]), axis=-1)
    cut = d.shape[-1] // 4
    return _t(d[..., cut : d.shape[-1] - cut].mean(axis=-1), confidence)


def t_on_launches(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Student's t on launch means of log ratios."""
    return _t((b - a).mean(axis=(2, 3)), confidence)


def t_on_medians(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Student's t on launch medians of log ratios."""
    return _t(np.median((b - a).reshape(*a.shape[:2], a.shape[2] * a.shape[3]), axis=-1), confidence)


def t_on_pairs(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Student's t on all pairs of all launches, as if they were independent."""
    return _t((b - a).reshape(len(a), math.prod(a.shape[1:])), confidence)


def welch(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Welch's t on launch means of either treatment, blind to the pairing."""
    x, y = a.mean(axis=(2, 3)), b.mean(axis=(2, 3))
    n = x.shape[1]
    vx, vy = x.var(axis=1, ddof=1) / n, y.var(axis=1, ddof=1) / n
    degrees = (vx + vy) ** 2 / ((vx**2 + vy**2) / (n - 1))
    half = stats.t.ppf(0.5 + confidence / 2, degrees) * np.sqrt(vx + vy)
    difference = y.mean(axis=1) - x.mean(axis=1)
    return difference - half, difference + half


def sign_test(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """The interval of the median that the sign test on launch means inverts to."""
    ordered = np.sort((b - a).mean(axis=(2, 3)), axis=1)
    return _order_statistics(ordered, int(stats.binom.ppf((1 - confidence) / 2, ordered.shape[1], 0.5)))


def signed_rank(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """The interval that Wilcoxon's signed-rank test on launch means inverts to (normal approximation)."""
    d = (b - a).mean(axis=(2, 3))
    i, j = np.triu_indices(d.shape[1])
    walsh = np.sort((d[:, i] + d[:, j]) / 2, axis=1)
    n = d.shape[1]
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return _order_statistics(
        walsh, max(0, int(n * (n + 1) / 4 - stats.norm.ppf(0.5 + confidence / 2) * spread))
    )


def percentile_bootstrap(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Percentile bootstrap over launches."""
    d = (b - a).mean(axis=(2, 3))
    drawn = d @ _weights(d.shape[1])
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=1)
    return low, high


def bca_bootstrap(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Bias-corrected and accelerated bootstrap over launches (Efron 1987)."""
    d = (b - a).mean(axis=(2, 3))
    drawn = np.sort(d @ _weights(d.shape[1]), axis=1)
    bias = stats.norm.ppf(np.clip((drawn < d.mean(axis=1)[:, None]).mean(axis=1), 1e-3, 1 - 1e-3))
    centred = d - d.mean(axis=1)[:, None]
    acceleration = (centred**3).sum(axis=1) / (6 * (centred**2).sum(axis=1) ** 1.5)
    ends = []
    for z in stats.norm.ppf([(1 - confidence) / 2, (1 + confidence) / 2]):
        level = stats.norm.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
        place = np.clip((level * RESAMPLES).astype(int), 0, RESAMPLES - 1)
        ends.append(np.take_along_axis(drawn, place[:, None], axis=1)[:, 0])
    return ends[0], ends[1]


def hierarchical_bootstrap(a: np.ndarray, b: np.ndarray, confidence: float) -> Ends:
    """Percentile bootstrap over launches, then over the pairs inside each."""
    d = (b - a).reshape(*a.shape[:2], a.shape[2] * a.shape[3])
    runs, launches, pairs = d.shape
    rng = np.random.default_rng(11)
    weights = np.zeros((RESAMPLES, launches, pairs))
    for draw in weights:
        for launch in rng.integers(0, launches, launches):
            np.add.at(draw[launch], rng.integers(0, pairs, pairs), 1 / (launches * pairs))
    drawn = d.reshape(runs, -1) @ weights.reshape(RESAMPLES, -1).T
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=1)
    return low, high


ESTIMATORS: dict[str, Estimator] = {
    "weighted midmeans": weighted_midmeans,
    "t on launch midmeans": t_on_midmeans,
    "t on launch means": t_on_launches,
    "t on launch medians": t_on_medians,
    "Welch, unpaired": welch,
    "t on all pairs": t_on_pairs,
    "bootstrap, percentile": percentile_bootstrap,
    "bootstrap, BCa": bca_bootstrap,
    "bootstrap, hierarchical": hierarchical_bootstrap,
    "signed rank": signed_rank,
    "sign test": sign_test,
}


def _weighted(value: np.ndarray, inside: np.ndarray, between: np.ndarray) -> tuple[np.ndarray, ...]:
    """Weighted mean, weighted sum of squares and sum of weights of each run."""
    weight = 1 / (inside + between[:, None])
    mean = (weight * value).sum(axis=1) / weight.sum(axis=1)
    return mean, (weight * (value - mean[:, None]) ** 2).sum(axis=1), weight.sum(axis=1)


def _t(values: np.ndarray, confidence: float) -> Ends:
    n = values.shape[1]
    half = stats.t.ppf(0.5 + confidence / 2, n - 1) * values.std(axis=1, ddof=1) / math.sqrt(n)
    mean = values.mean(axis=1)
    return mean - half, mean + half


def _order_statistics(ordered: np.ndarray, k: int) -> Ends:
    """The k-th value from either end (0: the outermost; unbounded when even those do not reach the confidence)."""
    if k < 1:
        return np.full(len(ordered), -np.inf), np.full(len(ordered), np.inf)
    return ordered[:, k - 1], ordered[:, -k]


def _weights(launches: int) -> np.ndarray:
    """Bootstrap weights that all runs share, shape (launches, resamples)."""
    draws = np.random.default_rng(11).integers(0, launches, (RESAMPLES, launches))
    return np.stack([np.bincount(draw, minlength=launches) for draw in draws], axis=1) / launches
