"""A result is never lost to the encoding of a terminal."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.cli import plain
from knee.store.database import Store
from tests.synthetic import Synthetic

codecs.register_error("knee.plain", plain.substitute)


@given(st.text(), st.sampled_from(["ascii", "latin-1", "cp1252", "koi8-r"]))
def test_any_text_can_be_written_in_any_encoding(text: str, encoding: str) -> None:
    written = text.encode(encoding, errors="knee.plain").decode(encoding)
    for character in text:
        if character.encode(encoding, errors="ignore"):
            assert character in written


def test_what_knee_writes_stays_readable() -> None:
    text = "1.92 ± 0.03, 5 µs, 1 → 2"
    assert text.encode("ascii", errors="knee.plain") == b"1.92 +- 0.03, 5 us, 1 -> 2"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_run_can_be_shown(tmp_path: Path, encoding: str) -> None:
    with Store.open(tmp_path / "knee.db") as store:
        Synthetic(launches=5).into(store)
    ended = subprocess.run(
        [sys.executable, "-m", "knee", "show", "--store", str(tmp_path / "knee.db")],
        env={
            **os.environ,
            "PYTHONIOENCODING": encoding,
            "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        },
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "speedup" in ended.stdout.decode(encoding)
