"""The certificates of one cluster: its authority, the API server's, and the key that signs service account tokens."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sandbox.control_plane.private_files import private_folder, write_private

AUTHORITY = "pki/ca.crt"
SERVING = "pki/apiserver.crt"
SERVING_KEY = "pki/apiserver.key"
ACCOUNT_KEY = "pki/service-account.key"

_VALID = timedelta(days=3650)
_CLOCK_SKEW = timedelta(minutes=5)


def create_certificates(folder: Path) -> None:
    """Writes an authority, a serving certificate and a service account key into folder/pki, unless they are there.

    They outlive the cluster, as the publicly trusted authority of GKE's DNS endpoints does. The authority's key is
    dropped: nothing else will ever be signed by it.
    """
    if (folder / ACCOUNT_KEY).exists():
        return
    private_folder(folder / "pki")
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority_name = _name("pathways-sandbox")
    authority = (
        _certificate(authority_name, authority_name, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .add_extension(_signs_certificates(), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    serving_key = ec.generate_private_key(ec.SECP256R1())
    serving = (
        _certificate(_name("kube-apiserver"), authority_name, serving_key)
        .add_extension(x509.SubjectAlternativeName(_served_names()), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    write_private(folder / AUTHORITY, _certificate_bytes(authority))
    write_private(folder / SERVING, _certificate_bytes(serving))
    write_private(folder / SERVING_KEY, _key_bytes(serving_key))
    write_private(folder / ACCOUNT_KEY, _key_bytes(ec.generate_private_key(ec.SECP256R1())))


def _certificate_bytes(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def _certificate(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + _VALID)
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _served_names() -> list[x509.GeneralName]:
    return [
        x509.DNSName("localhost"),
        x509.DNSName("kubernetes.default.svc"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]


def _signs_certificates() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
