"""The dashboard and the alerts, held to the names that Google documents for metrics and fields."""

import re

import pytest

from pathways.monitoring import alerts, dashboard, node_pool_errors
from tests.settings.stack_files import settings

STACK = settings((("environment",), "prod"))

DOCUMENTED = {
    # GKE documentation, "Collect and view kube state metrics", table of JobSet metrics
    "kube_jobset_specified_replicas",
    "kube_jobset_ready_replicas",
    "kube_jobset_succeeded_replicas",
    "kube_jobset_suspended_replicas",
    "kube_jobset_restarts",
    # Cloud Monitoring documentation, "Kubernetes metrics", as PromQL writes them
    "kubernetes_io:container_accelerator_duty_cycle",
    "kubernetes_io:container_memory_limit_utilization",
    # GKE documentation, "Deploy TPU workloads in GKE Standard", health metrics
    "kubernetes_io:node_status_condition",
    "kubernetes_io:node_pool_status",
}
LABELS = {
    "cluster",
    "namespace",
    "monitored_resource",
    "cluster_name",
    "namespace_name",
    "container_name",
    "memory_type",
    "condition",
    "status",
}


OF_THE_LOG = 'logging_googleapis_com:user_pathways_dev_node_pool_errors{monitored_resource="gke_nodepool"}'
"""The stack's own metric, of its own cluster. Cloud Monitoring documentation, "Mapping Cloud Monitoring metrics"."""

FIELDS = {
    # Cloud Monitoring API v1, Dashboard, and what is in it, as far as it is used
    "": {"displayName", "mosaicLayout"},
    "mosaicLayout": {"columns", "tiles"},
    "tiles": {"xPos", "yPos", "width", "height", "widget"},
    "widget": {"title", "xyChart", "logsPanel"},
    "xyChart": {"dataSets", "yAxis"},
    "dataSets": {"timeSeriesQuery", "plotType", "targetAxis", "legendTemplate"},
    "timeSeriesQuery": {"prometheusQuery", "unitOverride"},
    "logsPanel": {"filter", "resourceNames"},
}


def objects(value, name=""):
    """Yields every object of the dashboard, with the name of the field that it is in."""
    if isinstance(value, dict):
        yield name, value
        for field, inner in value.items():
            yield from objects(inner, field)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item, name)


def queries():
    charts = [tile["widget"] for tile in dashboard(STACK)["mosaicLayout"]["tiles"] if "xyChart" in tile["widget"]]
    of_charts = [chart["xyChart"]["dataSets"][0]["timeSeriesQuery"]["prometheusQuery"] for chart in charts]
    return [*of_charts, *(alert.query for alert in alerts(STACK))]


@pytest.mark.parametrize("query", [query for query in queries() if OF_THE_LOG not in query])
def test_metrics_and_labels_are_documented_and_of_this_cluster(query):
    assert set(re.findall(r"(kube_\w+|kubernetes_io:\w+)", query)) <= DOCUMENTED
    selectors = re.findall(r"\{([^}]*)\}", query)
    assert selectors
    for selector in selectors:
        labels = dict(re.findall(r'(\w+)=~?"([^"]*)"', selector))
        assert set(labels) <= LABELS
        assert labels.get("cluster", labels.get("cluster_name")) == "pathways-dev"


def test_what_the_documents_of_operations_ask_for_is_watched():
    """A job that is not whole, restarts, duty cycle, node pool errors, memory of the head."""
    assert {alert.name for alert in alerts(STACK)} == {
        "job-not-whole",
        "job-restarts",
        "tpus-idle",
        "head-memory",
        "node-pools",
        "node-pool-error",
    }
    assert any(OF_THE_LOG in alert.query for alert in alerts(STACK))
    assert 'resource.type="gke_nodepool"' in node_pool_errors(STACK)
    assert all(alert.severity in ("ERROR", "WARNING") and alert.advice for alert in alerts(STACK))


def test_every_field_is_one_of_the_api_and_says_something():
    """The API leaves out 0 and what is empty; where that is sent, a second preview finds something to do."""
    for name, content in objects(dashboard(STACK)):
        assert set(content) <= FIELDS[name], name
        assert all(content.values()), name


def test_tiles_do_not_overlap_and_fit():
    layout = dashboard(STACK)["mosaicLayout"]
    taken = set()
    for tile in layout["tiles"]:
        left, top = tile.get("xPos", 0), tile.get("yPos", 0)
        fields = {(x, y) for x in range(left, left + tile["width"]) for y in range(top, top + tile["height"])}
        assert not fields & taken
        taken |= fields
    assert max(x for x, _ in taken) < layout["columns"]


def test_prod_is_watched_and_dev_only_where_it_says_so():
    assert STACK.monitoring.enabled
    assert not settings().monitoring.enabled
    assert settings((("monitoring",), {"enabled": True})).monitoring.enabled
