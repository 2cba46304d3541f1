"""The whole stack: a network, a cluster with its node pools, the scratch bucket, the installs and the jobs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.core.v1 import Namespace, ServiceAccount

from components.checkpoint_bucket import CheckpointBucket, CheckpointBucketArgs
from components.cluster import Cluster, ClusterArgs
from components.cpu_node_pool import CpuNodePoolArgs, HeadNodePool, SystemNodePool
from components.existing_cluster import ExistingCluster, ExistingClusterArgs
from components.existing_network import ExistingNetwork, ExistingNetworkArgs
from components.jobset_install import JobSetInstall, JobSetInstallArgs
from components.key_access import KeyAccess, KeyAccessArgs
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
from components.second_network import SecondNetwork, SecondNetworkArgs
from components.site import Site
from components.tpu_vms import TpuVms, TpuVmsArgs
from components.workload import Workload, WorkloadArgs
from pathways.destruction import steps_to_destroy
from pathways.logs import log_query
from pathways.manifests import (
    accounts_off_the_host_network,
    colocated_head_priorities,
    connection_to,
    manifest_of,
    namespace,
    service_accounts,
    service_of,
)
from pathways.settings import HeadSettings, StackSettings, SystemSettings
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
        self._key_access = self._declare_key_access()
        self._network = self._declare_network()
        self._cluster = self._declare_cluster()
        heads, slices = self._account("heads"), self._account("slices")
        self._declare_pools(heads, slices)
        self._buckets = [*self._declare_scratch(heads, slices), *self._declare_checkpoints(heads, slices)]
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

    def _account(self, purpose: str) -> NodeAccount:
        return NodeAccount(f"{self._name}-{purpose}-account", NodeAccountArgs(self._site, purpose), self._in_cloud())

    @property
    def _key(self) -> str | None:
        return self._settings.encryption.key if self._settings.encryption else None

    def _declare_key_access(self) -> list[pulumi.Resource]:
        encryption = self._settings.encryption
        if encryption is None or encryption.project_number is None:
            return []
        args = KeyAccessArgs(encryption.key, encryption.project_number)
        return [KeyAccess(f"{self._name}-key-access", args, self._in_cloud())]

    def _declare_network(self) -> Network | ExistingNetwork | None:
        """Declare the network, or what it lacks where it exists; nothing where the cluster exists, and is in one."""
        settings, name = self._settings, f"{self._name}-network"
        if settings.cluster.existing:
            return None
        if settings.network.existing is None:
            return Network(name, NetworkArgs(self._site, settings.network), self._in_cloud())
        args = ExistingNetworkArgs(self._site, settings.network.existing, settings.network.control_plane_range)
        return ExistingNetwork(name, args, self._in_cloud())

    def _declare_cluster(self) -> Cluster | ExistingCluster:
        settings, name = self._settings, f"{self._name}-cluster"
        if self._network is None:
            found = ExistingClusterArgs(self._site, settings.cluster.dns_endpoint)
            return ExistingCluster(name, found, self._in_cloud())
        args = ClusterArgs(
            site=self._site,
            settings=settings.cluster,
            subnet=self._network.subnet,
            control_plane_range=settings.network.control_plane_range,
            multi_networking=any(group.networking != "singleNic" for group in settings.slices),
            key=self._key,
            after=self._key_access,
        )
        return Cluster(name, args, self._in_cloud())

    def _declare_pools(self, heads: NodeAccount, slices: NodeAccount) -> None:
        """Declare the pools for controllers and heads and, after them in the lanes, every slice of every group."""
        name, settings, cluster = self._name, self._settings, self._cluster.cluster_name
        before = [] if self._network is None else [self._network]
        lanes = PoolLanes(2 + sum(group.pools for group in settings.slices), settings.cluster.concurrent_operations)

        def cpu_pool(of: HeadSettings | SystemSettings, account: NodeAccount) -> CpuNodePoolArgs:
            return CpuNodePoolArgs(
                site=self._site,
                settings=of,
                cluster=cluster,
                service_account=account.email,
                key=self._key,
                lanes=lanes,
                after=[account, *before],
            )

        self._controllers_run_on: list[pulumi.Resource] = []
        if not settings.cluster.existing:
            system = cpu_pool(settings.system, self._account("system"))
            self._controllers_run_on = [SystemNodePool(f"{name}-system", system, self._in_cloud())]
        self._head_pool = HeadNodePool(f"{name}-heads", cpu_pool(settings.head, heads), self._in_cloud())
        second_network = self._declare_second_network()
        self._groups: dict[str, MultisliceGroup] = {}
        for group in settings.slices:
            group_args = MultisliceGroupArgs(
                site=self._site,
                group=group,
                cluster=cluster,
                service_account=slices.email,
                protect=settings.cluster.deletion_protection,
                key=self._key,
                second_network=second_network if group.networking == "secondNic" else None,
                lanes=lanes,
                after=[slices, *before],
            )
            self._groups[group.name] = MultisliceGroup(f"{name}-slices-{group.name}", group_args, self._in_cloud())

    def _declare_second_network(self) -> SecondNetwork | None:
        if not any(group.networking == "secondNic" for group in self._settings.slices):
            return None
        network = self._settings.network
        args = SecondNetworkArgs(self._site, network.second_nic_range, network.flow_logs)
        return SecondNetwork(f"{self._name}-second-network", args, self._in_cloud())

    def _declare_scratch(self, heads: NodeAccount, slices: NodeAccount) -> Iterator[pulumi.Resource]:
        if not self._settings.scratch.enabled:
            return
        args = ScratchBucketArgs(
            site=self._site,
            scratch=self._settings.scratch,
            members={"heads": heads.member, "slices": slices.member},
            keep=self._settings.environment == "prod",
            key=self._key,
            after=self._key_access,
        )
        yield ScratchBucket(f"{self._name}-scratch", args, self._in_cloud())

    def _declare_checkpoints(self, heads: NodeAccount, slices: NodeAccount) -> Iterator[pulumi.Resource]:
        """Grant nodes their rights, and service accounts theirs, which exist only once there is a cluster."""
        settings, pool = self._settings, f"{self._site.project}.svc.id.goog"
        if settings.checkpoints is None:
            return
        pods = {
            f"account-{account}": f"serviceAccount:{pool}[{settings.namespace}/{account}]"
            for account in accounts_off_the_host_network(settings)
        }
        args = CheckpointBucketArgs(
            site=self._site,
            checkpoints=settings.checkpoints,
            members={"heads": heads.member, "slices": slices.member, **pods},
            keep=settings.environment == "prod",
            key=self._key,
            after=self._key_access,
            cluster=self._cluster,
        )
        yield CheckpointBucket(f"{self._name}-checkpoints", args, self._in_cloud())

    def _declare_installs(self) -> None:
        """Declare what jobs find in the cluster."""
        name, settings, cluster = self._name, self._settings, self._cluster.resource
        self._installs: list[pulumi.Resource] = []
        if settings.install.jobset.enabled:
            jobset = JobSetInstallArgs(
                settings.install.jobset, settings.jobset_feature_gates, cluster, after=self._controllers_run_on
            )
            self._installs.append(JobSetInstall(f"{name}-jobset", jobset, self._in_cluster()))
        if settings.install.pathways_job.enabled:
            controller = PathwaysJobInstall(
                f"{name}-pathways-job",
                PathwaysJobInstallArgs(settings.install.pathways_job, cluster, after=list(self._installs)),
                self._in_cluster(),
            )
            self._installs.append(controller)
        priorities = {**settings.priorities, **colocated_head_priorities(settings)}
        self._installs.append(
            PriorityClasses(f"{name}-priorities", PriorityClassesArgs(priorities, cluster), self._replaced_in_cluster())
        )
        self._declare_namespace()
        if settings.queues:
            self._declare_queues()

    def _declare_queues(self) -> None:
        """Declare what jobs wait in."""
        name, settings, cluster = self._name, self._settings, self._cluster.resource
        kueue_args = KueueInstallArgs(
            settings.install.kueue, cluster, after=[*self._controllers_run_on, *self._installs]
        )
        kueue = KueueInstall(f"{name}-kueue", kueue_args, self._in_cluster())
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
                after=[*self._installs, *self._buckets, self._head_pool, self._groups[workload.slices.group]],
            )
            Workload(f"{self._name}-job-{workload.name}", args, self._replaced_in_cluster())

    def _declare_tpu_vms(self) -> None:
        settings = self._settings
        assert self._network is not None, "settings with TPU VMs in a network of others are refused"
        args = TpuVmsArgs(
            site=self._site,
            vms=settings.tpu_vms,
            subnet=self._network.subnet,
            node_range=settings.network.node_range,
            protect=settings.cluster.deletion_protection,
            after=[self._network],
        )
        TpuVms(f"{self._name}-tpu-vms", args, self._in_cloud())

    def _exports(self) -> dict[str, Any]:
        site, settings = self._site, self._settings
        return {
            "cluster": self._cluster.cluster_name,
            "kubeconfig": self._cluster.kubeconfig,
            "getCredentials": (
                f"gcloud container clusters get-credentials {site.cluster_name}"
                f"{' --dns-endpoint' if settings.cluster.dns_endpoint else ''}"
                f" --location {site.cluster_location} --project {site.project}"
            ),
            "scratchLocation": settings.scratch.location,
            **({"checkpointBucket": settings.checkpoints.bucket} if settings.checkpoints else {}),
            "slices": {group.name: f"{group.count} of {group.slice}" for group in settings.slices},
            "jobs": [f"{settings.namespace}/{workload.name}" for workload in settings.workloads],
            "logs": {workload.name: log_query(settings, workload) for workload in settings.workloads},
            "destroy": list(steps_to_destroy(settings)),
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
