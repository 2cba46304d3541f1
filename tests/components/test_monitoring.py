"""The dashboard, the alerts and who is told, as the provider is asked for them."""

import json

import pytest

from pathways.gcp import check_inputs, resource_type
from pathways.monitoring import dashboard, node_pool_errors
from tests.components.recordings import declare
from tests.plan.stacks import settings

DASHBOARD = "gcp:monitoring/dashboard:Dashboard"
ALERT = "gcp:monitoring/alertPolicy:AlertPolicy"
CHANNEL = "gcp:monitoring/notificationChannel:NotificationChannel"
METRIC = "gcp:logging/metric:Metric"
KNOWN = "projects/tpu-lab/notificationChannels/7"


@pytest.fixture(scope="module")
def recording():
    return declare(monitoring={"enabled": True, "emails": ["team@example.com"], "channels": [KNOWN]})


def test_the_provider_knows_all_that_is_asked_for(recording):
    for kind in (DASHBOARD, ALERT, CHANNEL, METRIC):
        assert recording.of_type(kind)
        for resource in recording.of_type(kind):
            assert check_inputs(resource_type(kind), resource.properties) == [], resource.name


def test_the_dashboard_is_that_of_the_settings(recording):
    (found,) = recording.of_type(DASHBOARD)
    assert json.loads(found.properties["dashboardJson"]) == dashboard(settings())


def test_every_alert_is_taken_though_its_metric_does_not_exist_yet(recording):
    """A filter on a new metric over the log is refused with 404 for minutes (terraform-provider-google#11102)."""
    for alert in recording.of_type(ALERT):
        (condition,) = alert.properties["conditions"]
        assert condition["conditionPrometheusQueryLanguage"]["disableMetricValidation"] is True, alert.name


def test_the_failures_of_node_pools_are_counted_and_watched(recording):
    (metric,) = recording.of_type(METRIC)
    assert metric.properties["filter"] == node_pool_errors(settings())
    name = metric.properties["name"].replace("-", "_")
    queries = [each["conditionPrometheusQueryLanguage"]["query"] for each in conditions(recording)]
    assert any(f"logging_googleapis_com:user_{name}{{" in query for query in queries)


def test_addresses_and_channels_are_told_of_every_alert(recording):
    (channel,) = recording.of_type(CHANNEL)
    assert channel.properties["labels"] == {"email_address": "team@example.com"}
    for alert in recording.of_type(ALERT):
        known, made = alert.properties["notificationChannels"]
        assert (known, made.startswith("projects/tpu-lab/notificationChannels/")) == (KNOWN, True)
        assert channel.urn in alert.options.dependencies


def test_dev_has_none_of_it_unless_asked():
    assert not declare().of_type(ALERT)


def conditions(recording):
    return [condition for alert in recording.of_type(ALERT) for condition in alert.properties["conditions"]]
