"""All causes: Knee's own, and those that others register in the entry point group ``knee.causes``."""

from __future__ import annotations

from importlib.metadata import entry_points

from knee.causes.allocator import Allocator
from knee.causes.bytecode import Bytecode
from knee.causes.cause import Cause
from knee.causes.churn import Churn
from knee.causes.collector import Collector
from knee.causes.container import Container
from knee.causes.false_sharing_native import FalseSharingNative
from knee.causes.false_sharing_objects import FalseSharingObjects
from knee.causes.false_sharing_slots import FalseSharingSlots
from knee.causes.gil import Gil
from knee.causes.kernel import Kernel
from knee.causes.lock import Lock
from knee.causes.machine import Bandwidth, Cores, Quota
from knee.causes.oversubscription import Oversubscription
from knee.causes.refcount import Refcount
from knee.causes.tracing import Tracing
from knee.errors import KneeError

GROUP = "knee.causes"
"""The entry point group; each entry is a class derived from ``knee.causes.cause.Cause``."""

OWN: tuple[type[Cause], ...] = (
    Cores,
    Quota,
    Bandwidth,
    Gil,
    Kernel,
    Refcount,
    FalseSharingObjects,
    Container,
    Collector,
    Oversubscription,
    Churn,
    FalseSharingNative,
    FalseSharingSlots,
    Lock,
    Allocator,
    Tracing,
    Bytecode,
)


def causes() -> list[Cause]:
    """Return an instance of each.

    Raises:
        KneeError: one that is registered cannot be loaded, or is no cause.
    """
    found: list[Cause] = [kind() for kind in OWN]
    for entry in entry_points(group=GROUP):
        try:
            kind = entry.load()
            cause = kind()
        except Exception as error:
            raise KneeError(
                f"the cause {entry.name} ({entry.value}) cannot be loaded: {error}",
                "mend or uninstall its package",
            ) from error
        if not isinstance(cause, Cause):
            raise KneeError(f"{entry.value} is no cause", "derive it from knee.causes.cause.Cause")
        found.append(cause)
    return found
