"""Every worker reads one field of one settings object, as programs do all the time.

Expected: refcount, at the settings object. Each read takes and drops a reference to it and to the value.
Goes away: settings for each worker, or the value in a local variable.
"""

ROUNDS = 20_000


class Settings:
    def __init__(self):
        self.endpoint = ["host", 80]


SETTINGS = Settings()  # knee: here


def operation():
    for _ in range(ROUNDS):
        endpoint = SETTINGS.endpoint  # knee: here
    return endpoint


class fixed:
    """Each worker reads settings of its own."""

    @staticmethod
    def setup_worker(index, workers):
        return Settings()

    @staticmethod
    def operation(settings):
        for _ in range(ROUNDS):
            endpoint = settings.endpoint
        return endpoint
