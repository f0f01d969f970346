"""A report as CSV: one line for each kind and worker count, seconds and ratios as plain numbers."""

from __future__ import annotations

import csv
import io

from knee.analysis.report import RunReport
from knee.views.rows import columns, rows


def render(report: RunReport) -> str:
    """The report's rows (RFC 4180, but with newlines as line ends); unknown is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns())
    writer.writerows(rows(report))
    return text.getvalue()
