"""Every worker walks the rows of one table that nobody writes to.

Expected: refcount, at the table. Walking takes and drops a reference to each row, and the workers fight
over the counts: reading is writing.
Goes away: a table for each worker, made by the worker.
"""

ROUNDS = 1_500


def rows():
    return [[row, row + 1] for row in range(64)]


TABLE = rows()  # knee: here


def operation():
    for _ in range(ROUNDS):
        for _row in TABLE:  # knee: here
            pass


class fixed:
    """The same walk over a table of the worker's own."""

    @staticmethod
    def setup_worker(index, workers):
        return rows()

    @staticmethod
    def operation(table):
        for _ in range(ROUNDS):
            for _row in table:
                pass
