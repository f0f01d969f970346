"""Simulated launch values: single-mode families, two modes, and looks at growing samples."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from knee.stats.modes import modes
from knee.stats.stopping import LOOKS, look_confidence

RUNS = 2000


def families(rng: np.random.Generator, shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """Single-mode samples of launch values, of the given shape (runs, launches), with a spread near 1."""
    return {
        "normal": rng.normal(size=shape),
        "uniform": rng.uniform(-1.7, 1.7, shape),
        "exponential": rng.exponential(size=shape),
        "log-normal": rng.lognormal(0, 1, shape),
        "Student, 3 degrees": rng.standard_t(3, shape),
        "1 in 10 five times as wide": rng.normal(size=shape) * np.where(rng.random(shape) < 0.1, 5, 1),
        "random walk": np.cumsum(rng.normal(size=shape), axis=1),
    }


def mode_rates(launches: int, seed: int, runs: int = RUNS) -> dict[str, float]:
    """Share of samples that are split: single-mode families (spread of 5 %), and two modes 1.5 apart (2 %)."""
    rng = np.random.default_rng(seed + launches)
    rates = {
        name: float(np.mean([bool(modes(0.05 * row)) for row in values]))
        for name, values in families(rng, (runs, launches)).items()
    }
    slow = rng.random((runs, launches)) < 0.5
    values = 0.02 * rng.normal(size=(runs, launches)) + math.log(1.5) * slow
    rates["**two modes, 1.5 apart**"] = float(np.mean([len(modes(row)) == 2 for row in values]))
    return rates


def look_rates(seed: int, runs: int = 10 * RUNS) -> dict[str, dict[int, float]]:
    """Share of samples in which, at some look so far, the interval at the level of looks excludes the mean."""
    rng = np.random.default_rng(seed)
    confidence = look_confidence(0.95)
    rates: dict[str, dict[int, float]] = {}
    for name, mean in (("normal", 0.0), ("Student, 3 degrees", 0.0), ("uniform", 0.0), ("exponential", 1.0)):
        values = families(rng, (runs, LOOKS[-1]))[name] - mean
        failed = np.zeros(runs, np.bool_)
        rates[name] = {}
        for look in LOOKS:
            seen = values[:, :look]
            half = stats.t.ppf(0.5 + confidence / 2, look - 1) * seen.std(axis=1, ddof=1) / math.sqrt(look)
            failed |= np.abs(seen.mean(axis=1)) > half
            rates[name][look] = float(failed.mean())
    return rates
