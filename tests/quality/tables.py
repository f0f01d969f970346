"""The tables of docs/statistics.md: ``python -m tests.quality.tables`` computes them anew and writes them there."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from pathlib import Path

from knee.stats.machines import MACHINES, Machine
from tests.quality import attributions, designs, ladders, samples
from tests.quality.estimators import ESTIMATORS

SEED = 20_261_130
LAUNCHES = 10
MOST = 20


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def estimators(machine: Machine, seed: int = SEED) -> dict[str, tuple[float, float, float]]:
    """False claims of a difference, coverage and power at 3 % of each candidate after ten launches."""
    none = designs.blocked(machine, 0.0, LAUNCHES, seed)
    some = designs.blocked(machine, designs.EFFECT, LAUNCHES, seed + 1)
    truth = math.log1p(designs.EFFECT)
    found = {}
    for name, estimate in ESTIMATORS.items():
        low, high = estimate(*none, 0.95)
        false = float(((low > 0) | (high < 0)).mean())
        low, high = estimate(*some, 0.95)
        found[name] = (false, float(((low <= truth) & (truth <= high)).mean()), float((low > 0).mean()))
    return found


def estimator_tables() -> str:
    """One table for false claims, one for coverage, one for power: candidates by machines."""
    results = {machine.name: estimators(machine) for machine in MACHINES}
    texts = []
    for index, title in enumerate(
        [
            "Identical treatments called different",
            "Intervals that cover a true 3 %",
            "A true 3 % told from nothing",
        ]
    ):
        rows = [[name, *(f"{100 * of[name][index]:.1f}" for of in results.values())] for name in ESTIMATORS]
        texts.append(f"{title}, in %:\n\n" + markdown(["estimator", *results], rows))
    return "\n\n".join(texts)


def verdicts(machine: Machine, seed: int = SEED) -> dict[str, float]:
    """The whole rule, with margin and looks, on identical treatments and on a true 3 %, and the naive design."""
    none = designs.sequential(*designs.blocked(machine, 0.0, MOST, seed + 2))
    some = designs.sequential(*designs.blocked(machine, designs.EFFECT, MOST, seed + 3))
    more = designs.sequential(*designs.blocked(machine, 0.05, MOST, seed + 4))
    return {
        "naive": float(designs.naive_claims(designs.naive(machine, 0.0, seed + 5)).mean()),
        "false": none.share(-1) + none.share(1),
        "same": none.share(0),
        "launches same": float(none.launches.mean()),
        "found 3": some.share(1),
        "launches 3": float(some.launches.mean()),
        "same 3": some.share(0),
        "found 5": more.share(1),
        "launches 5": float(more.launches.mean()),
        "wrong": some.share(-1) + more.share(-1),
    }


def verdict_table() -> str:
    """The rule as a whole, by machine."""
    rows = []
    for machine in MACHINES:
        v = verdicts(machine)
        rows.append(
            [
                machine.name,
                f"{v['naive']:.1%}",
                f"{v['false']:.2%}",
                f"{v['same']:.1%} ({v['launches same']:.0f})",
                f"{v['found 3']:.1%} ({v['launches 3']:.0f})",
                f"{v['found 5']:.1%} ({v['launches 5']:.0f})",
                f"{v['same 3']:.2%}",
                f"{v['wrong']:.2%}",
            ]
        )
    header = ["machine", "naive: false", "Knee: false", "identical: same", "3 % slower", "5 % slower"]
    return markdown([*header, "3 % called same", "wrong direction"], rows)


def coverage_table() -> str:
    """Coverage of the ladder's intervals under the stopping rule."""
    rows = []
    for machine in ladders.MACHINES:
        found = ladders.simulate(machine, SEED)
        rows.append(
            [
                machine.name,
                f"{found.speedup:.1%}",
                f"{found.of_ceiling:.1%}",
                f"{found.drift:.1%}",
                f"{found.launches:.0f}",
            ]
        )
    return markdown(["machine", "speedup", "speedup over the ceiling", "flagged DRIFT", "launches"], rows)


def mode_table() -> str:
    """Splits found, by number of launches."""
    columns = {n: samples.mode_rates(n, SEED) for n in (5, 8, 12, 20, 40)}
    rows = [[name, *(f"{of[name]:.1%}" for of in columns.values())] for name in columns[12]]
    return markdown(["launches", *(str(n) for n in columns)], rows)


def look_table() -> str:
    """Chance that an interval at some look excludes the truth, by number of launches."""
    rates = samples.look_rates(SEED)
    counts = list(next(iter(rates.values())))
    rows = [[name, *(f"{of[n]:.1%}" for n in counts)] for name, of in rates.items()]
    return markdown(["launches", *(str(n) for n in counts)], rows)


def attribution_table() -> str:
    """Coverage of shares of a loss, by estimator."""
    rows = []
    for kind in attributions.KINDS:
        for launches in (4, 6, 10):
            found = attributions.coverage(kind, launches, SEED)
            rows.append([kind, str(launches), *(f"{share:.1%}" for share in found)])
    return markdown(["launches spread", "launches each", "delta method", "bootstrap", "arm found"], rows)


def drift_table() -> str:
    """False causes on machines that drift, with leveling and without."""
    rows = []
    for machine in attributions.MACHINES:
        found = [attributions.drifting(machine, leveling, SEED) for leveling in (False, True)]
        rows.append(
            [machine, *(f"{share:.1%}" for share in (found[0][0], found[1][0], found[0][1], found[1][1]))]
        )
    return markdown(
        ["cost of contention", "false, as it is", "false, leveled", "covered, as it is", "covered, leveled"],
        rows,
    )


TABLES: dict[str, Callable[[], str]] = {
    "estimators": estimator_tables,
    "verdicts": verdict_table,
    "looks": look_table,
    "coverage": coverage_table,
    "modes": mode_table,
    "attribution": attribution_table,
    "drift": drift_table,
}


def main(names: list[str]) -> None:
    """Compute the named tables (all if none is named) and put them into the document."""
    document = Path(__file__).parents[2] / "docs" / "statistics.md"
    text = document.read_text()
    for name in names or TABLES:
        table = TABLES[name]()
        print(f"{name}\n{table}\n", flush=True)
        pattern = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = pattern.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text)
    document.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
