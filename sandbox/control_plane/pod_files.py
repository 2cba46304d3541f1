"""What a kubelet gives the processes of a pod: its identity, its ConfigMaps and its Secrets, as files."""

from __future__ import annotations

import base64
from pathlib import Path

from lightkube import ApiError, Client
from lightkube.models.authentication_v1 import BoundObjectReference, TokenRequestSpec
from lightkube.models.core_v1 import Volume
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Pod, Secret, ServiceAccountToken

from sandbox.control_plane.credentials import kubeconfig_text
from sandbox.control_plane.private_files import private_folder, write_private
from sandbox.kubernetes.connection import NOT_FOUND, code_of

# Nothing renews the token while the process runs; it ends with the pod, to which it is bound.
_TOKEN_SECONDS = 10 * 365 * 24 * 3600


class PodFiles:
    """Writes into the folder of one controller what its pod asks for.

    server, authority: where the API server is, and its certificate authority (PEM).
    """

    def __init__(self, client: Client, folder: Path, server: str, authority: bytes) -> None:
        self._client = client
        self._server = server
        self._authority = authority
        self.folder = private_folder(folder)

    def write(self, name: str, content: str | bytes) -> Path:
        write_private(self.folder / name, content)
        return self.folder / name

    def kubeconfig(self, pod: Pod) -> Path:
        """A kubeconfig with the rights of the pod's service account, and no others."""
        assert pod.metadata is not None
        assert pod.spec is not None
        namespace = _namespace(pod)
        bound = BoundObjectReference(
            kind="Pod", apiVersion="v1", name=pod.metadata.name or "", uid=pod.metadata.uid or ""
        )
        request = ServiceAccountToken(
            metadata=ObjectMeta(),
            spec=TokenRequestSpec(audiences=[], expirationSeconds=_TOKEN_SECONDS, boundObjectRef=bound),
        )
        account = pod.spec.serviceAccountName or "default"
        issued = self._client.create(request, account, namespace=namespace)
        assert issued.status is not None
        text = kubeconfig_text(self._server, self._authority, issued.status.token or "", namespace)
        return self.write("kubeconfig", text)

    def config_map(self, pod: Pod, volume: str) -> dict[str, str]:
        """Content of the ConfigMap behind a volume. Raises LookupError if there is no such volume or ConfigMap."""
        source = _volume(pod, volume).configMap
        if source is None or not source.name:
            raise LookupError(f"volume {volume} is no ConfigMap")
        try:
            return dict(self._client.get(ConfigMap, source.name, namespace=_namespace(pod)).data or {})
        except ApiError as error:
            if code_of(error) != NOT_FOUND:
                raise
            raise LookupError(f"there is no ConfigMap {source.name}") from error

    def mount_secret(self, pod: Pod, volume: str, keys: tuple[str, ...], folder: str) -> Path | None:
        """Copies the Secret behind a volume into files of the folder. None as long as one of the keys is missing.

        Raises LookupError if the pod has no such volume, or there is no such Secret.
        """
        source = _volume(pod, volume).secret
        if source is None or not source.secretName:
            raise LookupError(f"volume {volume} is no Secret")
        data: dict[str, str] = {}
        try:
            data = dict(self._client.get(Secret, source.secretName, namespace=_namespace(pod)).data or {})
        except ApiError as error:
            if code_of(error) == NOT_FOUND:
                raise LookupError(f"there is no Secret {source.secretName}") from error
        if not all(data.get(key) for key in keys):
            return None
        target = private_folder(self.folder / folder)
        for key in keys:
            content = base64.b64decode(data[key])
            file = target / key
            if not file.exists() or file.read_bytes() != content:
                write_private(file, content)
        return target


def _volume(pod: Pod, name: str) -> Volume:
    for volume in (pod.spec.volumes if pod.spec else None) or []:
        if volume.name == name:
            return volume
    raise LookupError(f"the pod has no volume {name}")


def _namespace(pod: Pod) -> str:
    return (pod.metadata.namespace if pod.metadata else None) or ""
