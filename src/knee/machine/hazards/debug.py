"""A debug build of the interpreter, or one with assertions.

Facts: ``debug`` (``sys.gettotalrefcount`` is there), ``assertions`` (built with assertions), ``optimised``
(False if the build has neither -O2 nor profile-guided optimisation).
"""

from __future__ import annotations

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "debug"


def read(place: Place) -> Reading:
    """What the agent says of the build."""
    names = [name for name in ("debug", "assertions") if name in place.facts]
    return {name: bool(place.facts[name]) for name in names} or unknown("no interpreter has reported yet")


def before(first: Reading, _place: Place) -> Hazard | None:
    """Checks that a release build leaves out."""
    found = [
        words
        for name, words in (("debug", "a debug build"), ("assertions", "built with assertions"))
        if first.get(name)
    ]
    if not found:
        return None
    return Hazard(
        ID,
        f"The interpreter is {' and '.join(found)}: it checks every object, is 2 to 5 times slower and may "
        "scale otherwise.",
        "Measure with a release build (configured with --enable-optimizations, without --with-pydebug).",
        "the interpreter's build configuration",
    )


def after(_first: Reading, last: Reading, place: Place) -> Hazard | None:
    """Known only after the first launch."""
    return before(last, place)
