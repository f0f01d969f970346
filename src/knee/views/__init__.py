"""Views: one output format a file. They render reports and compute no statistics."""
