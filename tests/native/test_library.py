"""Finding and opening the library."""

from __future__ import annotations

import ctypes.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import knee.native
from knee.native import NativeUnavailable, library_path, load, preloadable, shim_path
from knee.native.library import ABI, check, find


def test_environment_names_the_library_before_any_other_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEE_NATIVE", "/nowhere/libknee.so")
    assert library_path() == "/nowhere/libknee.so"


def test_library_is_found_beside_the_package_or_its_installed_half(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KNEE_NATIVE", raising=False)
    found = library_path()
    assert found is not None
    assert os.path.dirname(found) in [os.path.abspath(folder) for folder in knee.native.__path__]


def test_first_folder_that_has_it_wins(tmp_path: Path) -> None:
    name = "libknee.dylib" if sys.platform == "darwin" else "libknee.so"
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
    (tmp_path / "b" / name).touch()
    (tmp_path / "c" / name).touch()
    assert find([str(tmp_path / folder) for folder in "abc"]) == str(tmp_path / "b" / name)
    assert find([str(tmp_path / "a")]) is None


def test_what_cannot_be_loaded_is_unavailable_with_a_reason(tmp_path: Path) -> None:
    broken = tmp_path / "libknee.so"
    broken.write_text("no library")
    for path in (str(broken), str(tmp_path / "absent.so")):
        with pytest.raises(NativeUnavailable) as caught:
            load(path)
        assert path in caught.value.reason
        assert "\n" not in caught.value.reason


def test_a_library_that_is_not_knee_is_unavailable() -> None:
    name = ctypes.util.find_library("m")
    if name is None:
        pytest.skip("no C library to try")
    with pytest.raises(NativeUnavailable, match="knee_abi"):
        load(name)


def test_a_library_of_another_version_is_refused(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knee.native.library.ABI", ABI + 1)
    with pytest.raises(NativeUnavailable, match=r"scripts/build"):
        load(library)


def test_no_library_at_all_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KNEE_NATIVE", raising=False)
    monkeypatch.setattr(knee.native, "find", lambda *_: None)
    with pytest.raises(NativeUnavailable, match="scripts/build"):
        load()


def test_negative_errno_becomes_an_os_error_that_says_what_was_done() -> None:
    assert check(3, "counting") == 3
    with pytest.raises(OSError, match="counting") as caught:
        check(-22, "counting")
    assert caught.value.errno == 22


@pytest.mark.skipif(sys.platform != "linux", reason="the shim is built on Linux only")
def test_the_shim_lies_beside_the_library(library: str) -> None:
    path = shim_path()
    assert path is not None
    assert os.path.dirname(os.path.realpath(path)) == os.path.dirname(os.path.realpath(library))


@pytest.mark.skipif(sys.platform != "linux", reason="the shim is built on Linux only")
@pytest.mark.parametrize("folder", ["with blanks", "with:colon"])
def test_what_is_preloaded_has_a_path_that_the_loader_can_read(folder: str, tmp_path: Path) -> None:
    shim = shim_path()
    assert shim is not None
    (tmp_path / folder).mkdir()
    copy = tmp_path / folder / "libkneemalloc.so"
    shutil.copy(shim, copy)
    path = preloadable(str(copy))
    assert path is not None
    assert os.path.realpath(path) == os.path.realpath(copy)
    told = subprocess.run(
        [sys.executable, "-c", "import ctypes; print(hasattr(ctypes.CDLL(None), 'knee_malloc_enable'))"],
        env={**os.environ, "LD_PRELOAD": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (told.stdout, told.stderr) == ("True\n", "")
    assert preloadable(shim) == shim
