"""GKE clusters: the real control plane stands behind the one that a sandbox can have."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from pathways.gcp import Change
from sandbox.cloud.gke.clusters import VERSION, pools_of, refuse_cluster_operation, subnetwork_of, zones_of
from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Minutes, Site, fingerprint
from sandbox.cloud.kinds.iam import IDENTITY_POOL
from sandbox.cloud.kinds.node_pool import NodePool, bring_to_size
from sandbox.cloud.readback import fill
from sandbox.cloud.references import CLUSTER, NODE_POOL, region_of
from sandbox.cloud.refusal import Refusal, bad_request, google
from sandbox.cloud.store import Record, Status


class Cluster(Kind):
    token = CLUSTER
    label = "Cluster"
    minutes = Minutes(create=6, update=1, delete=2)
    timeout = 90.0
    retries = True

    def creation_prefix(self) -> str:
        return ""

    def already_exists(self, record: Record) -> Refusal:
        return google(409, f"Already exists: {record.id}.", "alreadyExists")

    def admit_creation(self, site: Site, record: Record, place: Place) -> None:
        super().admit_creation(site, record, place)
        given = record.inputs
        if not given.get("initialNodeCount") and not given.get("nodePools") and not given.get("enableAutopilot"):
            raise bad_request("Cluster.initial_node_count must be greater than zero.")
        self._refuse_missing_ranges(site, record)
        others = site.store.of_type(CLUSTER)
        if others:
            raise Refusal(
                f"a sandbox has one cluster, and {others[0].id} exists; rehearse the other in a stack of its own"
            )

    def admit_update(self, site: Site, record: Record, draft: Record, changes: Sequence[Change]) -> None:
        refuse_cluster_operation(site, record)

    def admit_deletion(self, site: Site, record: Record) -> None:
        refuse_cluster_operation(site, record)

    def refuse_deletion(self, record: Record, properties: Mapping[str, Any]) -> None:
        super().refuse_deletion(record, properties)
        if properties.get("deletionProtection", True):
            raise Refusal(
                "Cannot destroy cluster because deletion_protection is set to true. "
                "Set it to false to proceed with cluster deletion."
            )

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        properties = record.properties
        properties["pulumiLabels"] = properties["effectiveLabels"] = {
            **properties.get("resourceLabels", {}),
            "goog-pulumi-provisioned": "true",
        }
        version = properties.get("minMasterVersion") or VERSION
        properties["masterVersion"] = version if "-gke." in version else VERSION
        fill(properties, self._named_ranges(site, record))
        fill(properties, _reported(properties, place))

    def make(self, site: Site, record: Record) -> None:
        endpoint = site.host.create()
        authority = base64.b64encode(endpoint.ca_certificate.encode()).decode()
        with site.store.transaction():
            properties = record.properties
            properties["endpoint"] = endpoint.address
            fill(properties, {"masterAuth": {}, "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {}}})
            properties["masterAuth"]["clusterCaCertificate"] = authority
            properties["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"] = f"localhost:{endpoint.port}"
            if properties.get("removeDefaultNodePool"):
                # Without a pool there is nothing that GKE could report here: inline settings then differ for ever.
                properties.pop("nodeConfig", None)
            self._remember_identities(site, record)
            site.store.put(record)
        if not properties.get("removeDefaultNodePool"):
            _add_default_pool(site, record)

    def change(self, site: Site, record: Record, before: Record) -> None:
        with site.store.transaction():
            self._remember_identities(site, record)

    def unmake(self, site: Site, record: Record) -> None:
        site.host.delete()

    def read(self, site: Site, record: Record) -> None:
        """GKE reports the first pool's nodes as the cluster's, and all pools."""
        pools = [pool for pool in pools_of(site, record.id) if pool.status is not Status.PROVISIONING]
        if pools:
            record.properties["nodeConfig"] = pools[0].properties["nodeConfig"]
            record.properties["nodePools"] = [
                {name: pool.properties[name] for name in ("name", "nodeCount", "nodeLocations", "version")}
                for pool in pools
            ]

    def _remember_identities(self, site: Site, record: Record) -> None:
        """A project's identity pool is made by its first cluster with Workload Identity, and stays."""
        pool = record.properties.get("workloadIdentityConfig", {}).get("workloadPool")
        if pool:
            site.store.count(f"{IDENTITY_POOL}{pool}")

    def _named_ranges(self, site: Site, record: Record) -> dict[str, Any]:
        """Addresses of pods and services, where the cluster names secondary ranges of its subnetwork."""
        policy, subnetwork = record.properties.get("ipAllocationPolicy") or {}, subnetwork_of(site, record)
        ranges = subnetwork.properties.get("secondaryIpRanges", []) if subnetwork else []
        known = {item["rangeName"]: item.get("ipCidrRange") for item in ranges}
        pods = known.get(policy.get("clusterSecondaryRangeName"))
        services = known.get(policy.get("servicesSecondaryRangeName"))
        return {
            "clusterIpv4Cidr": pods,
            "servicesIpv4Cidr": services,
            "ipAllocationPolicy": {"clusterIpv4CidrBlock": pods, "servicesIpv4CidrBlock": services},
        }

    def _refuse_missing_ranges(self, site: Site, record: Record) -> None:
        policy = record.inputs.get("ipAllocationPolicy") or {}
        subnetwork = subnetwork_of(site, record)
        if subnetwork is None:
            return
        known = {item["rangeName"] for item in subnetwork.properties.get("secondaryIpRanges", [])}
        for what, name in (("Pod", "clusterSecondaryRangeName"), ("Services", "servicesSecondaryRangeName")):
            if policy.get(name) and policy[name] not in known:
                raise bad_request(
                    f'{what} secondary range "{policy[name]}" not found in network '
                    f'"{subnetwork.properties["network"]}", subnetwork "{subnetwork.properties["name"]}".'
                )


def _reported(properties: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """What GKE fills in of a cluster where the program is silent."""
    location = str(properties["location"])
    return {
        "addonsConfig": {
            "gcePersistentDiskCsiDriverConfig": {"enabled": True},
            "networkPolicyConfig": {"disabled": True},
        },
        "clusterIpv4Cidr": "10.4.0.0/14",
        "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {}, "ipEndpointsConfig": {"enabled": True}},
        "databaseEncryption": {"state": "DECRYPTED", "keyName": ""},
        "datapathProvider": "LEGACY_DATAPATH",
        "defaultMaxPodsPerNode": 110,
        "enableIntranodeVisibility": False,
        "enableL4IlbSubsetting": False,
        "ipAllocationPolicy": {
            "clusterIpv4CidrBlock": "10.4.0.0/14",
            "servicesIpv4CidrBlock": "34.118.224.0/20",
            "stackType": "IPV4",
        },
        "labelFingerprint": fingerprint(properties.get("resourceLabels")),
        "loggingConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
        "loggingService": "logging.googleapis.com/kubernetes",
        "masterAuth": {
            "clientCertificate": "",
            "clientCertificateConfig": {"issueClientCertificate": False},
            "clientKey": "",
        },
        "monitoringConfig": {
            "enableComponents": ["SYSTEM_COMPONENTS"],
            "managedPrometheus": {"enabled": True},
        },
        "monitoringService": "monitoring.googleapis.com/kubernetes",
        "networkingMode": "VPC_NATIVE",
        "nodeLocations": zones_of(location),
        "nodeVersion": properties["masterVersion"],
        "operation": "",
        "privateClusterConfig": {"privateEndpoint": "", "publicEndpoint": "", "peeringName": ""},
        "releaseChannel": {"channel": "REGULAR"},
        "securityPostureConfig": {"mode": "BASIC", "vulnerabilityMode": "VULNERABILITY_MODE_UNSPECIFIED"},
        "servicesIpv4Cidr": "34.118.224.0/20",
        "subnetwork": f"projects/{place.project}/regions/{region_of(location)}/subnetworks/default",
        "tpuIpv4CidrBlock": "",
    }


def _add_default_pool(site: Site, cluster: Record) -> None:
    """Creates the pool that GKE gives a new cluster unless it is told to take it away."""
    _, project, _, location, _, name = cluster.id.split("/")
    inputs = {
        "name": "default-pool",
        "cluster": name,
        "location": location,
        "initialNodeCount": cluster.inputs.get("initialNodeCount", 1),
        "nodeConfig": cluster.inputs.get("nodeConfig", {}),
    }
    with site.store.transaction():
        serial = site.store.count("serial")
        pool = Record(f"{project}/{location}/{name}/default-pool", NODE_POOL, "", serial, inputs, deepcopy(inputs))
        NodePool().describe(site, pool, Place(project=project))
        bring_to_size(site, pool)
        site.store.put(pool)
    NodePool().make(site, pool)
    with site.store.transaction():
        pool.status = Status.RUNNING
        site.store.put(pool)
