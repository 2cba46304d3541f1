"""Which manifests lint looks at, and what it says about those that it cannot read."""

import itertools
import textwrap
import time

import pytest

from pathways.lint import Remark, lint
from pathways.rules import Environment


def remarks(*texts: str | bytes, environment: Environment = Environment.DEV) -> tuple[Remark, ...]:
    contents = [text if isinstance(text, bytes) else textwrap.dedent(text).encode() for text in texts]
    return lint({f"{index}.yaml": content for index, content in enumerate(contents)}, environment).remarks


def rules(*texts: str | bytes, severity: str = "error") -> list[tuple[int, str]]:
    return [(each.line, each.rule) for each in remarks(*texts) if each.severity == severity]


TPU_JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: slice
    replicas: 2
    template:
      spec:
        parallelism: 4
        completions: 4
        backoffLimit: 0
        template:
          spec:
            nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
            containers:
            - name: jax
              image: python:3.13
              resources: {limits: {google.com/tpu: 4}}
"""


def test_a_jobset_without_tpus_is_held_to_its_shape_alone() -> None:
    gpus = TPU_JOBSET.replace("google.com/tpu: 4}", "nvidia.com/gpu: 8}")
    assert rules(TPU_JOBSET) == [(6, "exclusive-topology"), (12, "workers-retried")]
    assert rules(gpus) == []
    assert rules(gpus.replace("parallelism: 4", 'parallelism: "4"')) == [(10, "manifest-shape")]


def test_the_namespace_is_never_reported() -> None:
    job = """\
        apiVersion: pathways-job.pathways.domain/v1
        kind: PathwaysJob
        metadata: {name: train%s}
        spec:
          pathwaysDir: gs://team-scratch/pathways
          pathwaysVersion: jax-0.8.3
          workers: [{type: ct6e-standard-4t, topology: 4x4, numSlices: 1}]
          controller: {deploymentMode: default}
        """
    assert remarks(job % "") == ()
    assert remarks(job % ", namespace: default") == ()


def test_a_rule_that_needs_what_the_files_do_not_hold_is_silent() -> None:
    job = TPU_JOBSET.replace("            containers:", "            priorityClassName: high\n            containers:")
    high = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: %s}, value: 2000}"
    assert "priority-class-exists" not in [rule for _, rule in rules(job)]
    assert "priority-class-exists" in [rule for _, rule in rules(job, high % "hihg")]
    assert "priority-class-exists" not in [rule for _, rule in rules(job, high % "hihg", high % "high")]


def test_documents_and_lists_are_read_to_their_end() -> None:
    stream = """\
        # first an empty one
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: other}
        ---
        apiVersion: v1
        kind: List
        items:
        - {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: fine}, value: 1}
        - apiVersion: scheduling.k8s.io/v1
          kind: PriorityClass
          metadata: {name: low}
          value: -5
        """
    assert rules(stream) == [(14, "priority-value")]
    assert lint({"a": textwrap.dedent(stream).encode()}, Environment.DEV).manifests == 2


def test_the_seeds_priority_class_of_the_documents_is_fine() -> None:
    documented = """\
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata:
          name: high-prior-job
        value: 2000
        globalDefault: false
        description: "This priority class should be used for high priority job."
        """
    assert remarks(documented) == ()


BOMB = "a: &a [x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in itertools.pairwise("abcdefghi")
)
"""A few lines that mean 3 x 9^8 values."""


@pytest.mark.parametrize(
    ("text", "line", "rule", "says"),
    [
        ("kind: [", 1, "unreadable-file", ""),
        ("a: 1\nb: {c: 2", 2, "unreadable-file", ""),
        ("a: 1\nb: 2\na: 3\n", 3, "unreadable-file", "already on line 1"),
        ("a: 1\nb: \tx: y\n", 2, "unreadable-file", ""),
        (b"a: 1\nb: \xff\n", 2, "unreadable-file", "0xff is not UTF-8"),
        (BOMB, None, "unreadable-file", "Aliases"),
        ("[" * 5000, 1, "unreadable-file", "depth"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, "unreadable-file", "!!python"),
        ("- 1\n", 1, "no-manifest", "a mapping"),
        ("just text\n", 1, "no-manifest", "a mapping"),
        ("a: 1\n", 1, "no-manifest", "kind is missing"),
        ("apiVersion: v1\nkind: 7\n", 2, "no-manifest", "kind is missing, or is no text"),
        ("kind: JobSet\nmetadata: {name: a}\n", 1, "unknown-kind", "jobset.x-k8s.io/v1alpha2"),
        ("apiVersion: jobset.x-k8s.io/v1\nkind: JobSet\nmetadata: {name: a}\n", 1, "unknown-kind", "v1alpha2"),
        ("apiVersion: pathways-job.pathways.domain/v1\nkind: Pathwaysjob\n", 2, "unknown-kind", "legal: PathwaysJob"),
    ],
)
def test_what_cannot_be_read_has_a_place_and_a_reason(
    text: str | bytes, line: int | None, rule: str, says: str
) -> None:
    found = [each for each in remarks(text) if each.rule == rule]
    assert found
    assert found[0].severity == "error"
    assert line in (None, found[0].line)
    assert says in found[0].message


def test_a_huge_file_is_not_read() -> None:
    (remark,) = remarks(b"#" * (5 * 1024**2))
    assert (remark.rule, remark.line) == ("unreadable-file", 1)
    assert "5,242,880 bytes" in remark.message


def test_kinds_that_have_nothing_to_do_with_tpus_are_passed_over() -> None:
    assert remarks("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: []\n") == ()


def test_a_kind_that_is_nearly_one_is_doubted() -> None:
    assert rules("apiVersion: x.io/v1\nkind: JobSets\nmetadata: {name: a}\n", severity="warning") == [
        (2, "unknown-kind")
    ]


def test_wrong_types_at_every_level_are_told_with_their_lines() -> None:
    job = """\
        apiVersion: pathways-job.pathways.domain/v1
        kind: PathwaysJob
        metadata:
          name: train
          labels: {gpu: no}
        spec:
          workers:
            type: ct6e-standard-4t
          controller:
            deploymentMode: default
            elasticSlices: some
            template: 3
          customComponents: [null]
        """
    assert rules(job) == [
        (5, "manifest-shape"),
        (8, "manifest-shape"),
        (11, "manifest-shape"),
        (12, "manifest-shape"),
        (13, "manifest-shape"),
    ]


def test_remarks_come_by_file_and_line() -> None:
    found = [(each.file, each.line) for each in remarks(TPU_JOBSET, "a: 1\n", TPU_JOBSET)]
    assert found == sorted(found)


def test_many_manifests_take_time_for_each_and_not_for_each_pair() -> None:
    """Each of these refers to nothing that there is, and is compared with others no more than a message shows."""
    local = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: l%d}, spec: {clusterQueue: x}}"
    queue = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: c%d}, spec: {}}"
    stream = "\n---\n".join(text % number for number in range(1_000) for text in (local, queue))
    started = time.process_time()
    report = lint({"queues.yaml": stream.encode()}, Environment.DEV)
    assert (report.manifests, report.errors) == (2_000, 1_000)
    assert time.process_time() - started < 5
