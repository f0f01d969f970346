"""Nested thread pools: each worker starts a pool of its own.

Facts: ``pools``, what ``threadpoolctl.threadpool_info()`` gives in the target.
"""

from __future__ import annotations

from collections.abc import Mapping

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "pools"


def read(place: Place) -> Reading:
    """Native pools with more than one thread."""
    pools = place.facts.get("pools")
    if not isinstance(pools, (list, tuple)):
        return unknown("the target has not reported its native thread pools (threadpoolctl)")
    found = []
    for pool in pools:
        threads = pool.get("num_threads") if isinstance(pool, Mapping) else None
        if isinstance(threads, int) and threads > 1:
            found.append(
                {"name": str(pool.get("internal_api") or pool.get("user_api") or "pool"), "threads": threads}
            )
    return {"pools": found}


def before(first: Reading, place: Place) -> Hazard | None:
    """Workers times threads above the CPUs."""
    workers, cpus = place.workers or 1, len(place.cpus) or 1
    found = [pool for pool in first["pools"] if workers * pool["threads"] > cpus]
    if not found:
        return None
    names = ", ".join(f"{pool['name']} with {pool['threads']} threads" for pool in found)
    return Hazard(
        ID,
        f"The target has native thread pools ({names}): {workers} workers may start "
        f"{workers * max(pool['threads'] for pool in found)} threads on {cpus} CPUs, and one worker is "
        "parallel already.",
        "Set OMP_NUM_THREADS, OPENBLAS_NUM_THREADS or MKL_NUM_THREADS to 1 (a treatment's env), or use "
        "threadpoolctl.",
        "threadpoolctl in the target",
    )


def after(_first: Reading, last: Reading, place: Place) -> Hazard | None:
    """Known only after the first launch."""
    return before(last, place)
