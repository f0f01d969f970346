"""Files are told apart by what is in them."""

from __future__ import annotations

from pathlib import Path

from knee.plan.content import digest


def test_a_file_that_cannot_be_read_has_no_hash(tmp_path: Path) -> None:
    assert digest(tmp_path / "none") is None
    (tmp_path / "some").write_bytes(b"")
    assert digest(tmp_path / "some") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
