"""What Google Cloud would add to a resource that is declared: ids, emails, addresses."""

from collections.abc import Mapping
from typing import Any


def simulated_outputs(
    type_token: str, name: str, properties: Mapping[str, Any], project: str
) -> tuple[str, dict[str, Any]]:
    """Return the id and the outputs, beyond its inputs, of a resource of that type.

    properties: camelCase inputs. project: the one of the provider, for resources that name none.
    Only outputs that other resources of the stack read are there. Types without any get their own name as id.
    """
    inputs = {"project": project, **properties}
    match type_token:
        case "gcp:compute/network:Network":
            return "projects/{project}/global/networks/{name}".format_map(inputs), {}
        case "gcp:compute/subnetwork:Subnetwork":
            return "projects/{project}/regions/{region}/subnetworks/{name}".format_map(inputs), {}
        case "gcp:compute/resourcePolicy:ResourcePolicy":
            return "projects/{project}/regions/{region}/resourcePolicies/{name}".format_map(inputs), {}
        case "gcp:container/cluster:Cluster":
            return _cluster(inputs)
        case "gcp:container/nodePool:NodePool":
            return "{project}/{location}/{cluster}/{name}".format_map(inputs), {}
        case "gcp:serviceaccount/account:Account":
            email = "{accountId}@{project}.iam.gserviceaccount.com".format_map(inputs)
            return f"projects/{inputs['project']}/serviceAccounts/{email}", {
                "email": email,
                "member": f"serviceAccount:{email}",
            }
        case "gcp:projects/iAMCustomRole:IAMCustomRole":
            role = "projects/{project}/roles/{roleId}".format_map(inputs)
            return role, {"name": role}
        case "gcp:monitoring/notificationChannel:NotificationChannel":
            channel = f"projects/{inputs['project']}/notificationChannels/{name}"
            return channel, {"name": channel}
        case "gcp:storage/bucket:Bucket":
            return inputs["name"], {"url": f"gs://{inputs['name']}"}
        case _:
            return name, {}


def _cluster(inputs: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A cluster whose DNS endpoint and address no one can have (RFC 2606, RFC 5737)."""
    endpoints = dict(inputs.get("controlPlaneEndpointsConfig", {}))
    endpoints["dnsEndpointConfig"] = {
        **endpoints.get("dnsEndpointConfig", {}),
        "endpoint": f"{inputs['name']}.gke.invalid",
    }
    return "projects/{project}/locations/{location}/clusters/{name}".format_map(inputs), {
        "controlPlaneEndpointsConfig": endpoints,
        "endpoint": "192.0.2.1",
        "masterAuth": {
            "clientCertificate": "",
            "clientCertificateConfig": {"issueClientCertificate": False},
            "clientKey": "",
            "clusterCaCertificate": "",
        },
    }
