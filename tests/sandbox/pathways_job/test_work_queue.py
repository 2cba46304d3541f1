from __future__ import annotations

import threading
import time

from sandbox.pathways_job.work_queue import WorkQueue

ONE, OTHER = ("team", "one"), ("team", "other")


def test_a_key_that_was_added_twice_comes_once() -> None:
    queue = WorkQueue()
    queue.add(ONE)
    queue.add(ONE)
    queue.add(OTHER)
    assert {queue.take(), queue.take()} == {ONE, OTHER}
    taken: list[object] = []
    threading.Thread(target=lambda: taken.append(queue.take()), daemon=True).start()
    time.sleep(0.05)
    assert taken == []


def test_the_delay_doubles_with_each_failure_from_5_ms_to_1000_s() -> None:
    queue = WorkQueue()
    delays = [queue.failed(ONE) for _ in range(20)]
    assert delays[:4] == [0.005, 0.010, 0.020, 0.040]
    assert delays[-1] == 1000.0


def test_success_ends_the_row_of_failures() -> None:
    queue = WorkQueue()
    queue.failed(ONE)
    queue.failed(ONE)
    queue.succeeded(ONE)
    assert queue.failed(ONE) == 0.005


def test_a_failed_key_comes_again_by_itself_and_a_change_brings_it_sooner() -> None:
    queue = WorkQueue()
    queue.failed(ONE)
    assert queue.take() == ONE
    for _ in range(12):
        queue.failed(OTHER)  # the last delay is 10 s
    queue.add(OTHER)
    began = time.monotonic()
    assert queue.take() == OTHER
    assert time.monotonic() - began < 1
