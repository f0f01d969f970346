"""``python -m knee``."""

from __future__ import annotations

import sys

from knee.cli import main

sys.exit(main())
