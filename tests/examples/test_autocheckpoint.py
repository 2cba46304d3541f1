"""The autocheckpoint example on two hosts of a CPU device each, of which one is told to end."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.examples.programs import EXAMPLES, SECONDS, environment

pytestmark = pytest.mark.examples

NEVER = 10**9


class Job:
    """A run of the program on two hosts. folder: for their output. checkpoints: the folder that they share."""

    def __init__(self, python: Path, folder: Path, checkpoints: Path, final_step: int) -> None:
        folder.mkdir()
        self._output = folder / "output"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            coordinator = f"127.0.0.1:{free.getsockname()[1]}"
        harness, program = Path(__file__).with_name("distributed_on_cpu.py"), EXAMPLES / "autocheckpoint" / "train.py"
        self.hosts = []
        for host in range(2):
            with (folder / f"errors-{host}").open("w") as errors, self._output.open("a") as output:
                self.hosts.append(
                    subprocess.Popen(
                        [python, harness, program, coordinator, "2", str(host)],
                        env=environment(
                            devices=1, CHECKPOINT_LOCATION=checkpoints, SAVE_INTERVAL=NEVER, FINAL_STEP=final_step
                        ),
                        stdout=output,
                        stderr=errors,
                    )
                )

    @property
    def output(self) -> str:
        return self._output.read_text()

    def says(self, pattern: str) -> re.Match[str]:
        """Wait for a line."""
        deadline = time.monotonic() + SECONDS
        while not (said := re.search(pattern, self.output)):
            assert time.monotonic() < deadline, self.output
            assert all(host.poll() in (None, 0, 1) for host in self.hosts), self.output
            time.sleep(0.05)
        return said

    def exit_codes(self) -> list[int]:
        return [host.wait(SECONDS) for host in self.hosts]

    def kill(self) -> None:
        for host in self.hosts:
            host.kill()
            host.wait()


@pytest.fixture
def start(examples_python, tmp_path):
    """Starts a job that ends with the test. name: of the run. checkpoints: of the folder with its checkpoints."""
    jobs = []

    def start_job(name: str, *, checkpoints: str, final_step: int) -> Job:
        jobs.append(Job(examples_python, tmp_path / name, tmp_path / checkpoints, final_step))
        return jobs[-1]

    yield start_job
    for job in jobs:
        job.kill()


def test_a_checkpoint_is_saved_when_the_end_is_announced_and_training_goes_on_from_it(start, tmp_path):
    job = start("first", checkpoints="checkpoints", final_step=NEVER)
    job.says("starting at step 0 on 2 devices")
    job.says("step 100: ")
    job.hosts[1].send_signal(signal.SIGTERM)  # one host alone, and not the one that coordinates
    assert job.exit_codes() == [1, 1]
    saved = int(job.says(r"saved step (\d+) before the end: ")[1])
    # Step 0, at which Orbax begins, and the one that was not due.
    assert {int(folder.name) for folder in (tmp_path / "checkpoints").iterdir()} == {0, saved}
    assert saved > 100

    again = start("second", checkpoints="checkpoints", final_step=saved + 50)
    assert again.exit_codes() == [0, 0]
    again.says(f"starting at step {saved + 1} on 2 devices")

    undisturbed = start("undisturbed", checkpoints="others", final_step=saved + 50)
    assert undisturbed.exit_codes() == [0, 0]
    losses = [float(each.says(r"done: loss ([\d.]+)")[1]) for each in (again, undisturbed)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    first_loss = float(job.says(r"step 0: loss ([\d.]+)")[1])
    assert losses[0] < 0.9 * first_loss
