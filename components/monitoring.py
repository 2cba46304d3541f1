"""A dashboard of the stack's slices and jobs, and alerts."""

import json
from dataclasses import dataclass

import pulumi
from pulumi_gcp import logging, monitoring

from components.site import Site
from pathways.monitoring import alerts, dashboard, node_pool_errors, node_pool_errors_metric
from pathways.settings import StackSettings


@dataclass(frozen=True)
class MonitoringArgs:
    """site: where the cluster is. settings: of the stack, whose jobs are watched."""

    site: Site
    settings: StackSettings


class Monitoring(pulumi.ComponentResource):
    """Who is told when a job is not whole, restarts, idles or runs out of memory, or a node pool fails."""

    def __init__(self, name: str, args: MonitoringArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:Monitoring", name, None, opts)
        self._name, self._args = name, args
        self._own = pulumi.ResourceOptions(parent=self, delete_before_replace=True)
        monitoring.Dashboard(
            f"{name}-dashboard", dashboard_json=json.dumps(dashboard(args.settings), sort_keys=True), opts=self._own
        )
        self._channels: list[pulumi.Input[str]] = [*args.settings.monitoring.channels, *self._mail_channels()]
        self._count_node_pool_errors()
        self._watch()
        self.register_outputs({})

    def _mail_channels(self) -> list[pulumi.Input[str]]:
        channels: list[pulumi.Input[str]] = []
        for address in self._args.settings.monitoring.emails:
            channel = monitoring.NotificationChannel(
                f"{self._name}-mail-{address}",
                type="email",
                display_name=f"{address} ({self._args.site.cluster_name})",
                labels={"email_address": address},
                opts=self._own,
            )
            channels.append(channel.name)
        return channels

    def _watch(self) -> None:
        for alert in alerts(self._args.settings):
            monitoring.AlertPolicy(
                f"{self._name}-{alert.name}",
                display_name=f"{alert.title} ({self._args.site.cluster_name})",
                combiner="OR",
                severity=alert.severity,
                conditions=[
                    {
                        "display_name": alert.title,
                        "condition_prometheus_query_language": {
                            "query": alert.query,
                            "duration": f"{alert.minutes * 60}s",
                            "evaluation_interval": "60s",
                            # A new project has no such metric before the first job has run.
                            "disable_metric_validation": True,
                        },
                    }
                ],
                notification_channels=self._channels,
                documentation={"content": alert.advice, "mime_type": "text/markdown"},
                user_labels=self._args.site.labels("alert"),
                opts=self._own,
            )

    def _count_node_pool_errors(self) -> None:
        """Count what the audit log says. An alert on it by PromQL is taken at once: one by a filter is refused for
        minutes, until the new metric is known (hashicorp/terraform-provider-google#11102).
        """
        logging.Metric(
            f"{self._name}-node-pool-errors",
            name=node_pool_errors_metric(self._args.site.cluster_name),
            filter=node_pool_errors(self._args.settings),
            description="Operations on node pools that GKE could not carry out",
            metric_descriptor={"metric_kind": "DELTA", "value_type": "INT64", "unit": "1"},
            opts=self._own,
        )
