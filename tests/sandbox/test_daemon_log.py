"""What a start that fails tells of the daemon's log: what that start wrote, not what earlier ones did."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from sandbox import daemon
from sandbox.home import Home


def test_a_start_tells_what_it_logged_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path / "dev", "dev")
    home.create()
    home.daemon_log.write_text("an earlier start\n")
    popen = subprocess.Popen

    def failing(_: list[str], **more: Any) -> subprocess.Popen[bytes]:
        return popen(["/bin/sh", "-c", "echo the port is taken >&2; exit 1"], **more)

    monkeypatch.setattr(subprocess, "Popen", failing)
    with pytest.raises(daemon.DaemonError) as told:
        daemon.start(home)
    assert str(told.value).splitlines()[1:] == ["the port is taken"]
