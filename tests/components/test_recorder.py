"""The recorder, on small programs of its own."""

import textwrap
from pathlib import Path

import pulumi
import pytest

from components.recorder import record, record_stack_file
from tests.components.recordings import STACKS

NESTED = """
    import pulumi
    from pulumi_gcp import Provider, serviceaccount, storage

    class Outer(pulumi.ComponentResource):
        def __init__(self, name, opts=None):
            super().__init__("test:index:Outer", name, None, opts)
            account = serviceaccount.Account(
                f"{name}-account", account_id="account", opts=pulumi.ResourceOptions(parent=self)
            )
            storage.Bucket(
                f"{name}-bucket",
                name="bucket",
                location="us-east5",
                labels={"owner": account.email},
                opts=pulumi.ResourceOptions(
                    parent=self,
                    protect=True,
                    depends_on=[account],
                    ignore_changes=["lifecycleRules"],
                    custom_timeouts=pulumi.CustomTimeouts(create="9m"),
                ),
            )

    cloud = Provider("cloud", project="p")
    Outer("outer", pulumi.ResourceOptions(providers=[cloud]))
    pulumi.export("stack", pulumi.get_stack())
    pulumi.export("token", pulumi.Output.secret("hidden"))
"""


@pytest.fixture
def program(tmp_path: Path):
    """A function that writes a program and records it."""

    def run(text: str, **config: object):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(text))
        return record({f"gcp:{key}": value for key, value in config.items()}, "lab", path)

    return run


def test_urns_are_those_of_the_engine(program):
    recording = program(NESTED, project="p")
    assert recording.named("outer").urn == "urn:pulumi:lab::pathways::test:index:Outer::outer"
    assert recording.named("outer-bucket").urn == (
        "urn:pulumi:lab::pathways::test:index:Outer$gcp:storage/bucket:Bucket::outer-bucket"
    )
    assert recording.named("outer").parent == ""
    assert recording.named("outer-bucket").parent == recording.named("outer").urn


def test_options_properties_and_dependencies_are_recorded(program):
    recording = program(NESTED, project="p")
    bucket, account = recording.named("outer-bucket"), recording.named("outer-account")
    assert bucket.properties == {
        "name": "bucket",
        "location": "us-east5",
        "labels": {"owner": "account@p.iam.gserviceaccount.com"},
    }
    assert bucket.provider == recording.named("cloud").urn
    assert bucket.options.protect
    assert bucket.options.dependencies == (account.urn,)
    assert bucket.options.property_dependencies == {"labels": (account.urn,)}
    assert bucket.options.ignore_changes == ("lifecycleRules",)
    assert bucket.options.custom_timeouts == {"create": "9m", "update": "", "delete": ""}
    assert not bucket.options.delete_before_replace


def test_resources_come_after_what_they_depend_on(dev):
    seen: set[str] = set()
    for resource in dev.resources:
        assert seen.issuperset(resource.options.dependencies)
        seen.add(resource.urn)


def test_exports_are_plain_values(program):
    assert program(NESTED, project="p").outputs == {"stack": "lab", "token": "hidden"}


def test_where_the_secrets_are_is_recorded(dev):
    assert {resource.name: resource.secrets for resource in dev.resources if resource.secrets} == {
        "pathways-kubernetes": ("kubeconfig",),
        "pathways-kubernetes-jobs": ("kubeconfig",),
    }


def test_recordings_do_not_touch_each_other(program):
    first = program(NESTED, project="p")
    assert program(NESTED, project="q").named("outer-bucket").properties["labels"] == {
        "owner": "account@q.iam.gserviceaccount.com"
    }
    assert program(NESTED, project="p") == first


def test_a_stack_file_is_read_as_the_engine_reads_it(dev):
    assert record_stack_file(STACKS / "Pulumi.dev.yaml") == dev


def test_what_a_program_raises_is_raised(program):
    with pytest.raises(pulumi.RunError, match="not today"):
        program("import pulumi; raise pulumi.RunError('not today')")


def test_an_output_that_fails_is_raised(program):
    with pytest.raises(ZeroDivisionError):
        program("import pulumi; pulumi.export('x', pulumi.Output.from_input(0).apply(lambda x: 1 / x))")


def test_a_program_that_asks_the_cloud_is_told_that_it_cannot(program):
    with pytest.raises(NotImplementedError, match="getProject"):
        program("import pulumi_gcp as gcp; gcp.organizations.get_project(project_id='p')")


def test_an_alias_that_tells_a_type_alone_is_the_urn_that_the_resource_had():
    jobs = [
        each for each in record_stack_file(STACKS / "Pulumi.dev.yaml").resources if each.name.endswith("-hello-job")
    ]
    (job,) = jobs
    direct = job.urn.replace("pathways-job.pathways.domain/v1:PathwaysJob", "jobset.x-k8s.io/v1alpha2:JobSet")
    assert set(job.options.aliases) == {job.urn, direct}
