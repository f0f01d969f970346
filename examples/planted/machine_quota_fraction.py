"""The container may use a CPU and a quarter: the second worker gets a quarter of what the first got.

Expected: machine.quota.
Goes away: a larger quota (the twin is the same code without one).
"""
# knee: quota 1.25

WORDS = ["alpha", "beta", "gamma", "delta"] * 500


def setup_worker(index, workers):
    return [str(index) + word for word in WORDS]


def operation(words):
    for _ in range(8):
        counts = {}
        for word in words:
            counts[word] = 1


class fixed:
    """The same work; ``scripts/planted`` sets the quota for ``operation`` only."""

    setup_worker = staticmethod(setup_worker)
    operation = staticmethod(operation)
