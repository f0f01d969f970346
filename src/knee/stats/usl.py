"""The Universal Scalability Law, fitted only where the data can tell its parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import curve_fit

from knee.stats.interval import Interval, quantile
from knee.stats.reps import Floats, Ints

FEWEST_COUNTS = 6
"""Worker counts below which the two parameters cannot be told apart (docs/statistics.md)."""

_RESAMPLES = 200


@dataclass(frozen=True)
class Usl:
    """X(n)/X(1) = scale n / (1 + contention (n - 1) + coherency n (n - 1)), Gunther 2007, equation 4.31.

    Attributes:
        contention: per worker; 0 is none.
        coherency: per pair of workers. More than 0 is no proof of coherency traffic: slow cores look the
            same.
        scale: fitted efficiency of one worker, near 1.
        counts: worker counts fitted; the law is not to be read beyond the largest.
    """

    contention: Interval
    coherency: Interval
    scale: Interval
    counts: tuple[int, ...]

    def efficiency(self, workers: int) -> float:
        """Fitted efficiency relative to the ceiling.

        Raises:
            ValueError: outside the counts measured: nothing is extrapolated.
        """
        if not self.counts[0] <= workers <= self.counts[-1]:
            raise ValueError(f"measured with {self.counts[0]} to {self.counts[-1]} workers, not {workers}")
        return float(
            _law(np.array([workers]), self.scale.estimate, self.contention.estimate, self.coherency.estimate)[
                0
            ]
        )

    def to_json(self) -> dict[str, Any]:
        """Parameters as intervals."""
        return {
            "contention": self.contention.to_json(),
            "coherency": self.coherency.to_json(),
            "scale": self.scale.to_json(),
            "counts": list(self.counts),
        }


@dataclass(frozen=True)
class NotIdentifiable:
    """The data do not tell the parameters.

    Attributes:
        why: one sentence.
    """

    why: str

    def to_json(self) -> dict[str, Any]:
        """The reason."""
        return {"not_identifiable": self.why}


def fit(
    log_efficiency: Floats, counts: Ints, *, confidence: float = 0.95, seed: int = 0
) -> Usl | NotIdentifiable:
    """Fit the law to efficiency relative to the measured ceiling.

    Args:
        log_efficiency: shape (L, W), one ladder per launch, log of speedup over the ceiling's own speedup.
        counts: shape (W,), ascending, the first is 1.
        seed: of the bootstrap over launches that gives the intervals.
    """
    whole = log_efficiency[np.isfinite(log_efficiency).all(axis=1)]
    if counts.size < FEWEST_COUNTS:
        return NotIdentifiable(f"{counts.size} worker counts are measured, {FEWEST_COUNTS} are needed")
    if len(whole) < 3:
        return NotIdentifiable(f"{len(whole)} launches measured every worker count, 3 are needed")
    estimate = _fit(whole.mean(axis=0), counts)
    if estimate is None:
        return NotIdentifiable("the law does not fit this curve")
    names = {1: "contention", 2: "coherency"}
    pinned = [name for index, name in names.items() if estimate[index] <= 1e-9]
    if pinned:
        return NotIdentifiable(f"{' and '.join(pinned)} came out at the bound of 0")
    rng = np.random.default_rng(seed)
    draws = [
        _fit(whole[rng.integers(0, len(whole), len(whole))].mean(axis=0), counts) for _ in range(_RESAMPLES)
    ]
    fits = np.array([draw for draw in draws if draw is not None])
    # Percentiles of a bootstrap over few launches are too narrow; its spread with Student's t is not.
    spread = fits.std(axis=0, ddof=1) * math.sqrt(len(whole) / (len(whole) - 1))
    scale, contention, coherency = (
        Interval(float(value - half), float(value), float(value + half))
        for value, half in zip(estimate, quantile(len(whole), confidence) * spread, strict=True)
    )
    loose = [name for name, value in (("contention", contention), ("coherency", coherency)) if value.low <= 0]
    if loose:
        return NotIdentifiable(f"the interval of {' and '.join(loose)} reaches the bound of 0")
    return Usl(contention, coherency, scale, tuple(int(n) for n in counts))


def _law(n: Floats | Ints, scale: float, contention: float, coherency: float) -> Floats:
    return np.asarray(scale / (1 + contention * (n - 1) + coherency * n * (n - 1)))


def _fit(log_efficiency: Floats, counts: Ints) -> Floats | None:
    """Least squares on logs; contention up to 10 (worse than serial is possible), no coefficient below 0."""
    try:
        found, _ = curve_fit(
            lambda n, *p: np.log(_law(n, *p)),
            counts.astype(np.float64),
            log_efficiency,
            p0=(1.0, 0.05, 0.005),
            bounds=([0.1, 0, 0], [10, 10, 10]),
            ftol=1e-12,
            xtol=1e-12,
        )
    except RuntimeError:
        return None
    return np.asarray(found, dtype=np.float64)
