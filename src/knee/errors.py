"""The one exception that Knee shows to people: a line that says what is wrong, and one that says what to do."""

from __future__ import annotations


class KneeError(Exception):
    """Something the user can mend.

    Args:
        text: what is wrong, one line.
        advice: what to do about it, one line; may be empty.
        exit_code: 2 for bad input or surroundings, 1 for a workload that failed or a check that did not hold.
    """

    def __init__(self, text: str, advice: str = "", *, exit_code: int = 2) -> None:
        super().__init__(text)
        self.text = text
        self.advice = advice
        self.exit_code = exit_code
