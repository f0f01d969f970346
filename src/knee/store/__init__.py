"""The store: one SQLite file that holds every run, appended block by block."""
