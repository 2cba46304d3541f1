"""The whole stack: a network, a cluster with its node pools, the scratch bucket, the installs and the jobs."""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.core.v1 import Namespace, ServiceAccount

from components.cluster import Cluster, ClusterArgs
from components.head_node_pool import HeadNodePool, HeadNodePoolArgs
from components.jobset_install import JobSetInstall, JobSetInstallArgs
from components.kueue_install import KueueInstall, KueueInstallArgs
from components.monitoring import Monitoring, MonitoringArgs
from components.multislice_group import MultisliceGroup, MultisliceGroupArgs
from components.network import Network, NetworkArgs
from components.node_account import NodeAccount, NodeAccountArgs
from components.pathways_job_install import PathwaysJobInstall, PathwaysJobInstallArgs
from components.pool_lanes import PoolLanes
from components.priority_classes import PriorityClasses, PriorityClassesArgs
from components.queues import Queues, QueuesArgs
from components.scratch_bucket import ScratchBucket, ScratchBucketArgs
from components.site import Site
from components.tpu_vms import TpuVms, TpuVmsArgs
from components.workload import Workload, WorkloadArgs
from pathways.logs import log_query
from pathways.manifests import (
    colocated_head_priorities,
    connection_to,
    manifest_of,
    namespace,
    service_accounts,
    service_of,
)
from pathways.settings import StackSettings
from pathways.tpu_vms import delete_command, ssh_command


@dataclass(frozen=True)
class PlatformArgs:
    """settings: of the stack. has_secrets: some are encrypted in the stack file, so jobs must be so in the state."""

    settings: StackSettings
    has_secrets: bool = False


class Platform(pulumi.ComponentResource):
    """Everything that one stack file describes, from the network to the jobs.

    The platform makes its own providers, with project, region and zone written out, so that nothing lands where the
    environment happens to point; stack files disable the default ones. The Kubernetes provider is known by the
    cluster's path: a changed endpoint updates it, where a changed kubeconfig alone would replace all objects.

    Order: network and accounts, cluster, head pool and slices (in lanes, see PoolLanes), JobSet once a node can run
    its controller, the PathwaysJob controller and Kueue once JobSet's webhooks serve, queues once Kueue's do, each job
    once all it needs stands.
    `destroy` goes the other way; objects in the cluster are not deleted one by one but go with it, reachable or not.

    Attributes: outputs, what the stack exports.
    """

    def __init__(self, name: str, args: PlatformArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:index:Platform", name, None, opts)
        self._name = name
        self._settings = settings = args.settings
        self._site = Site.of(settings)
        self._cloud = self._cloud_provider()
        self._network = Network(f"{name}-network", NetworkArgs(self._site, settings.network), self._in_cloud())
        self._cluster = self._declare_cluster()
        heads = NodeAccount(f"{name}-heads-account", NodeAccountArgs(self._site, "heads"), self._in_cloud())
        slices = NodeAccount(f"{name}-slices-account", NodeAccountArgs(self._site, "slices"), self._in_cloud())
        self._declare_pools(heads, slices)
        self._declare_scratch(heads, slices)
        self._kubernetes = self._kubernetes_provider("kubernetes", server_side_apply=True)
        self._kubernetes_of_jobs = self._kubernetes_provider("kubernetes-jobs", server_side_apply=False)
        self._declare_installs()
        self._declare_workloads(args.has_secrets)
        if settings.monitoring.enabled:
            Monitoring(f"{name}-monitoring", MonitoringArgs(self._site, settings), self._in_cloud())
        if settings.tpu_vms:
            self._declare_tpu_vms()
        self.outputs = self._exports()
        self.register_outputs(self.outputs)

    def _cloud_provider(self) -> gcp.Provider:
        return gcp.Provider(
            f"{self._name}-gcp",
            project=self._site.project,
            region=self._site.region,
            zone=self._site.zone,
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _kubernetes_provider(self, name: str, *, server_side_apply: bool) -> kubernetes.Provider:
        return kubernetes.Provider(
            f"{self._name}-{name}",
            kubeconfig=self._cluster.kubeconfig,
            cluster_identifier=self._site.cluster_path,
            enable_server_side_apply=server_side_apply,
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _in_cloud(self) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=self, providers=[self._cloud])

    def _in_cluster(self) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=self, providers=[self._kubernetes], deleted_with=self._cluster.resource)

    def _replaced_in_cluster(self) -> pulumi.ResourceOptions:
        """For what is replaced under its own name because it is immutable.

        With server-side apply a preview asks the API server to apply the new object over the old one, and fails
        as that is refused: the provider looks past such a refusal only where the API server words it
        "field is immutable", and neither the PathwaysJob resource nor PriorityClasses do.
        """
        return pulumi.ResourceOptions(
            parent=self, providers=[self._kubernetes_of_jobs], deleted_with=self._cluster.resource
        )

    def _declare_cluster(self) -> Cluster:
        args = ClusterArgs(
            site=self._site,
            settings=self._settings.cluster,
            network=self._network.network_id,
            subnetwork=self._network.subnetwork_id,
            control_plane_range=self._settings.network.control_plane_range,
        )
        return Cluster(f"{self._name}-cluster", args, self._in_cloud())

    def _declare_pools(self, heads: NodeAccount, slices: NodeAccount) -> None:
        """Declare the head pool and, after it in the lanes, every slice of every group."""
        name, settings, cluster = self._name, self._settings, self._cluster.cluster_name
        lanes = PoolLanes(1 + sum(group.pools for group in settings.slices))
        head_args = HeadNodePoolArgs(
            site=self._site,
            head=settings.head,
            cluster=cluster,
            service_account=heads.email,
            lanes=lanes,
            after=[heads, self._network],
        )
        self._head_pool = HeadNodePool(f"{name}-heads", head_args, self._in_cloud())
        self._groups: dict[str, MultisliceGroup] = {}
        for group in settings.slices:
            group_args = MultisliceGroupArgs(
                site=self._site,
                group=group,
                cluster=cluster,
                service_account=slices.email,
                protect=settings.cluster.deletion_protection,
                lanes=lanes,
                after=[slices, self._network],
            )
            self._groups[group.name] = MultisliceGroup(f"{name}-slices-{group.name}", group_args, self._in_cloud())

    def _declare_scratch(self, heads: NodeAccount, slices: NodeAccount) -> None:
        args = ScratchBucketArgs(
            site=self._site,
            scratch=self._settings.scratch,
            members={"heads": heads.member, "slices": slices.member},
            keep=self._settings.environment == "prod",
        )
        self._scratch = ScratchBucket(f"{self._name}-scratch", args, self._in_cloud())

    def _declare_installs(self) -> None:
        """Declare what jobs find in the cluster."""
        name, settings, cluster = self._name, self._settings, self._cluster.resource
        jobset = JobSetInstall(
            f"{name}-jobset",
            JobSetInstallArgs(settings.install.jobset, settings.jobset_feature_gates, cluster, after=[self._head_pool]),
            self._in_cluster(),
        )
        self._installs: list[pulumi.Resource] = [jobset]
        if settings.install.pathways_job.enabled:
            controller = PathwaysJobInstall(
                f"{name}-pathways-job",
                PathwaysJobInstallArgs(settings.install.pathways_job, cluster, after=[jobset]),
                self._in_cluster(),
            )
            self._installs.append(controller)
        priorities = {**settings.priorities, **colocated_head_priorities(settings)}
        self._installs.append(
            PriorityClasses(f"{name}-priorities", PriorityClassesArgs(priorities, cluster), self._replaced_in_cluster())
        )
        self._declare_namespace()
        if settings.queues:
            self._declare_queues(jobset)

    def _declare_queues(self, jobset: JobSetInstall) -> None:
        """Declare what jobs wait in."""
        name, settings, cluster = self._name, self._settings, self._cluster.resource
        kueue = KueueInstall(
            f"{name}-kueue", KueueInstallArgs(settings.install.kueue, cluster, after=[jobset]), self._in_cluster()
        )
        queues = QueuesArgs(settings, cluster, after=[kueue, *self._installs])
        self._installs += [kueue, Queues(f"{name}-queues", queues, self._in_cluster())]

    def _declare_namespace(self) -> None:
        """Declare the namespace of jobs, and the service accounts that they name."""
        settings, name = self._settings, f"{self._name}-jobs-namespace"
        jobs = Namespace(name, metadata=namespace(settings.namespace)["metadata"], opts=self._in_cluster())
        self._installs.append(jobs)
        for account in service_accounts(settings):
            opts = pulumi.ResourceOptions.merge(self._in_cluster(), pulumi.ResourceOptions(depends_on=[jobs]))
            metadata = {"name": account, "namespace": settings.namespace}
            self._installs.append(ServiceAccount(f"{self._name}-account-{account}", metadata=metadata, opts=opts))

    def _declare_workloads(self, secret: bool) -> None:
        settings = self._settings
        for workload in settings.workloads:
            args = WorkloadArgs(
                manifest=manifest_of(settings, workload),
                service=service_of(settings, workload),
                secret=secret,
                protect=settings.environment == "prod" and workload.name not in settings.replaceable,
                cluster=self._cluster.resource,
                after=[*self._installs, self._scratch, self._head_pool, self._groups[workload.slices.group]],
            )
            Workload(f"{self._name}-job-{workload.name}", args, self._replaced_in_cluster())

    def _declare_tpu_vms(self) -> None:
        settings = self._settings
        args = TpuVmsArgs(
            site=self._site,
            vms=settings.tpu_vms,
            network=self._network,
            node_range=settings.network.node_range,
            protect=settings.cluster.deletion_protection,
        )
        TpuVms(f"{self._name}-tpu-vms", args, self._in_cloud())

    def _exports(self) -> dict[str, Any]:
        site, settings = self._site, self._settings
        return {
            "cluster": self._cluster.cluster_name,
            "kubeconfig": self._cluster.kubeconfig,
            "getCredentials": (
                f"gcloud container clusters get-credentials {site.cluster_name} --dns-endpoint"
                f" --location {site.region} --project {site.project}"
            ),
            "scratchLocation": settings.scratch.location,
            "slices": {group.name: f"{group.count} of {group.slice}" for group in settings.slices},
            "jobs": [f"{settings.namespace}/{workload.name}" for workload in settings.workloads],
            "logs": {workload.name: log_query(settings, workload) for workload in settings.workloads},
            "tpuVms": {
                vm.name: {"ssh": ssh_command(settings, vm), "delete": delete_command(settings, vm)}
                for vm in settings.tpu_vms
            },
            "connect": {
                workload.name: lines
                for workload in settings.workloads
                if (lines := connection_to(settings, workload)) is not None
            },
        }
