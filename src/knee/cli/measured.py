"""Measuring, with progress, into the store that the options name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from knee import session
from knee.cli import failure
from knee.plan.experiment import Experiment
from knee.store.database import Store
from knee.store.location import locate
from knee.views import progress


@contextmanager
def measured(
    experiment: Experiment | None, path: str | None, resume: str | None = None
) -> Iterator[tuple[Store, int]]:
    """Measure an experiment, or go on with a stored one; gives the open store and the run's number.

    Args:
        experiment: what to measure; None to resume.
        path: the store's file as the user named it, or None.
        resume: the name of the run to go on with.

    Raises:
        KneeError: the store cannot be used, there is nothing to resume, or the workload does not load.
    """
    with Store.open(locate(path)) as store:
        with progress.bar() as tell:
            if experiment is not None:
                found = session.run(experiment, store, tell)
            else:
                found = session.resume(store, store.resolve(resume or "last", resumable=True), tell)
        failure.refuse(store.run(found.run).record.workload, found.outcome.failure)
        yield store, found.run
