"""All examples, by rule."""

from tests.rules.examples import cloud, jobs, pools
from tests.rules.examples.example import Example

EXAMPLES: list[Example] = [
    *pools.TPU_POOLS,
    *pools.CAPACITY,
    *pools.GROUPS,
    *pools.NODES,
    *cloud.CLUSTERS,
    *cloud.NETWORKS,
    *cloud.BUCKETS,
    *cloud.IDENTITIES,
    *cloud.INSTALLS,
    *jobs.MANIFESTS,
    *jobs.PATHWAYS_JOBS,
    *jobs.JOB_SETS,
    *jobs.NAMES_AND_VERSIONS,
    *jobs.HEADS,
    *jobs.SCRATCH,
    *jobs.PRIORITIES,
    *jobs.QUEUES,
]
