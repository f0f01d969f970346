"""A package that builds with no network: its build back end lies in its own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

BACKEND = """
import base64, hashlib, zipfile

def get_requires_for_build_wheel(config_settings=None):
    return []

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "tiny-1.0-py3-none-any.whl"
    files = {
        "tiny.py": open("tiny.py").read(),
        "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n",
        "tiny-1.0.dist-info/WHEEL":
            "Wheel-Version: 1.0\\nGenerator: tiny\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    record = "".join(f"{path},,\\n" for path in files) + "tiny-1.0.dist-info/RECORD,,\\n"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
        wheel.writestr("tiny-1.0.dist-info/RECORD", record)
    return name
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The folder of a package named tiny, whose module has VALUE = 1."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "tiny"\nversion = "1.0"\n'
    )
    (folder / "backend.py").write_text(BACKEND)
    (folder / "tiny.py").write_text("VALUE = 1\n")
    return folder
