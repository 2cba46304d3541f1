"""What of slices and jobs is watched: queries, alerts and a dashboard, as plain data."""

from pathways.monitoring.alerts import Alert, alerts
from pathways.monitoring.dashboard import dashboard
from pathways.monitoring.queries import node_pool_errors, node_pool_errors_metric

__all__ = ["Alert", "alerts", "dashboard", "node_pool_errors", "node_pool_errors_metric"]
