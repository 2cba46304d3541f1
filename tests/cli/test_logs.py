"""logs JOB, as people call it. The query is the one of the documents (seeds/003, "Cloud Logging logs")."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def logs(*words):
    command = [sys.executable, "-m", "pathways", "logs", *words]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)


def test_a_job_is_found_in_its_stack():
    printed = logs("hello").stdout
    assert 'resource.type="k8s_container"' in printed
    assert 'resource.labels.cluster_name="pathways-dev"' in printed
    assert 'labels."k8s-pod/jobset_sigs_k8s_io/jobset-name"="hello"' in printed
    assert "pod_name" not in printed
    assert "gcloud logging read '" in printed


def test_the_consoles_page_has_the_same_query():
    query, _, page = logs("hello", "--slice", "1").stdout.rstrip().split("\n\n")
    address, _, asked = page.partition(";query=")
    assert address == "https://console.cloud.google.com/logs/query"
    asked, _, project = asked.partition("?project=")
    assert (unquote(asked), project) == (query, "my-project-dev")


@pytest.mark.parametrize(
    ("words", "pods"),
    [
        (["--slice", "1"], "^hello-worker-1-"),
        (["--slice", "1", "--worker", "3"], "^hello-worker-1-3-"),
        (["--head"], "^hello-pathways-head-"),
    ],
)
def test_pods_are_found_by_their_names(words, pods):
    assert f'resource.labels.pod_name=~"{pods}"' in logs("hello", *words).stdout


def test_jobs_without_pathways_have_slices_of_another_name():
    assert '"^autocheckpoint-slice-0-"' in logs("autocheckpoint", "--slice", "0").stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["hello", "--slice", "2"], 1, "--slice 2: hello has 2, 0 to 1"),
        (["hello", "--worker", "4"], 1, "a slice of hello has 4 hosts, 0 to 3"),
        (["autocheckpoint", "--head"], 1, "has no head"),
        (["hello", "--head", "--slice", "0"], 1, "the head is on no slice"),
        (["helo"], 2, 'did you mean "hello"?'),
        (["pretrain", "--stack", "dev"], 2, '"pretrain" is no job of dev; legal: hello'),
        (["hello", "--stack", "nowhere"], 2, "nowhere"),
    ],
)
def test_what_is_wrong_is_told(words, code, message):
    done = logs(*words)
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr
