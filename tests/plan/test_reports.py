"""The plan as people and machines read it."""

import io
import json
import re
from html.parser import HTMLParser

import pytest
from rich.console import Console

from pathways.plan import make_plan
from pathways.plan.report.machine import as_data
from pathways.plan.report.page import as_page
from pathways.plan.report.terminal import show
from pathways.plan.report.words import ranges
from pathways.resources import Resource
from pathways.rules import Context, Environment, Use, check
from tests.plan.recordings import program, state
from tests.plan.stacks import V6E, job, pools, settings, urn

SECRET = "correct horse battery staple"
V5P = {"name": "v5p", "tpu": "v5p-32", "count": 2, "spares": 1, "capacity": {"reservation": {"name": "v5p-training"}}}


def updated(edit="topology"):
    """The plan of an update of the recorded prod stack."""
    described = settings("prod", "rehearsed", environment="prod", zone="us-east5-a", slices=[V5P, {**V6E, "spares": 0}])
    return make_plan(described, program(edit), [], state())


def small(*resources, findings=(), **platform):
    described = settings(**platform)
    return make_plan(described, [*pools(described), *resources], findings)


def printed(plan, width=120):
    text = io.StringIO()
    show(plan, Console(file=text, width=width))
    return text.getvalue()


@pytest.fixture(params=["terminal", "json", "page"])
def rendered(request):
    return {
        "terminal": printed,
        "json": lambda plan: json.dumps(as_data(plan)),
        "page": as_page,
    }[request.param]


def test_secrets_are_in_none_of_them(rendered):
    provider = Resource(
        type="pulumi:providers:kubernetes",
        name="k8s",
        urn=urn("k8s", "pulumi:providers:kubernetes"),
        properties={"kubeconfig": SECRET, "list": [{"token": SECRET}], "env": {"secure": SECRET}, "plain": "shown"},
        secrets=("kubeconfig", "list[0].token"),
    )
    assert SECRET not in rendered(small(provider))


def test_secrets_of_a_state_are_in_none_of_them(rendered):
    changed = [each for each in program() if each.type != "pulumi:providers:kubernetes"]
    provider = next(each for each in program() if each.type == "pulumi:providers:kubernetes")
    assert provider.secrets == ("kubeconfig",)
    plan = make_plan(updated().settings, [*changed, provider], [], state())
    assert "in the clear" not in rendered(plan)


def test_json_has_what_is_promised():
    data = json.loads(json.dumps(as_data(updated())))
    for key in ("resources", "slices", "heads", "jobs", "findings", "operations", "costs", "update"):
        assert key in data
    pool = next(each for each in data["resources"] if each["name"] == "pathways-slices-v5p-0")
    assert pool["type"] == "gcp:container/nodePool:NodePool"
    assert pool["urn"].endswith("::pathways-slices-v5p-0")
    assert pool["properties"]["placementPolicy"]["tpuTopology"] == "2x4x4"  # v5p-64: 32 chips
    assert pool["properties"]["nodeCount"] == 8
    assert pool["options"]["delete_before_replace"] is True
    assert data["update"]["counts"]["replace"] == 4
    assert data["update"]["losses"] == ["v5p-0", "v5p-1", "v5p-2", "pretrain"]
    assert data["fine"] is False
    kubernetes = next(each for each in data["resources"] if each["type"] == "pulumi:providers:kubernetes")
    assert kubernetes["properties"]["kubeconfig"] == "[secret]"


def test_findings_are_told_with_rule_message_and_remedy(rendered):
    described = settings(slices=[{**V6E, "capacity": {"spot": {}}}])
    resources = pools(described)
    findings = check(resources, Context(environment=Environment.PROD), Use.PLAN)
    assert findings, "pools without any hardening break rules"
    text = re.sub(r"[\s│]+", " ", rendered(make_plan(described, resources, findings)))
    for finding in findings[:5]:
        assert finding.rule.id in text


def test_the_terminal_says_what_a_reviewer_asks():
    text = printed(small(workloads=[job("train", "v6e", 2)], rates={"v6e": 2.5}), width=160)
    assert "16 chips / 4 = 4 hosts" in text
    assert "2 + 1 spare" in text
    assert "48 chips, 12 hosts" in text
    assert '48 chips of the quota "Preemptible TPU slices v6e" in us-east5' in text
    assert "1 spare left" in text
    assert "$120.00 an hour" in text


def test_a_refused_update_names_what_and_how_to_allow_it():
    text = printed(updated(), width=200)
    assert "3 slices would be lost or interrupted: v5p-0 to v5p-2; if that is meant: --allow v5p" in text
    assert "if that is meant: --allow pretrain" in text
    assert "placementPolicy.tpuTopology" in text
    assert text.rstrip().splitlines()[-1].startswith("refused")


def test_slices_are_allowed_one_by_one_unless_the_whole_group_goes():
    text = printed(updated("jobless"), width=200)  # v5p-0 stays
    assert "if that is meant: --allow v5p-2 --allow v5p-1" in text


def test_equal_changes_are_told_once():
    assert printed(updated(), width=200).count("nodeCount: 4 → 8") == 1


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["v5p-0", "v5p-1", "v5p-2"], "v5p-0 to v5p-2"),
        (["v5p-0", "v5p-1"], "v5p-0, v5p-1"),
        (["v5p-2", "v5p-0", "v6e-3"], "v5p-0, v5p-2, v6e-3"),
        (["a-10", "a-9", "a-11"], "a-9 to a-11"),
        ([f"a-{index}" for index in range(8, 12)] + ["b"], "a-8 to a-11, b"),
        ([], ""),
    ],
)
def test_names_that_count_on_are_one(names, text):
    assert ranges(names) == text


class Page(HTMLParser):
    """Collects what a page would load or run."""

    def __init__(self):
        super().__init__()
        self.tags, self.loaded, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loaded += [
            value for key, value in attrs if key in ("src", "href", "action", "data") or key.startswith("on")
        ]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(text):
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    return page


def test_the_page_is_whole_and_loads_nothing():
    text = as_page(updated("cluster"))
    page = read(text)
    assert page.loaded == []
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert "url(" not in text
    assert "@import" not in text
    assert page.tags.count("svg") == 2
    assert "prefers-color-scheme: dark" in text


def test_the_page_draws_a_tile_for_each_slice_and_names_its_job():
    slices = [{**V6E, "count": 60, "spares": 4}]
    text = as_page(small(slices=slices, workloads=[job("train", "v6e", 40), job("open", "v6e", 30, mode="headless")]))
    tiles = re.findall(r"<title>(v6e-\d+), 4 hosts: ([a-z]+), planned</title>", text)
    assert len(tiles) == 64
    assert [use for _, use in tiles].count("train") == 40
    assert [use for _, use in tiles].count("spare") == 4
    assert "waiting" in text


def test_what_a_stack_file_says_is_text_and_no_markup():
    hostile = "<script>alert(1)</script>\"'&"
    resource = Resource(type="a:b:C", name=hostile, urn=urn(hostile, "a:b:C"), properties={"x": hostile})
    component = Resource(type="pathways:x:Thing", name="thing", urn="component", custom=False)
    inside = Resource(type="a:b:C", name=hostile, urn="inside", parent="component", properties={hostile: hostile})
    page = as_page(small(resource, component, inside))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    read(page)
