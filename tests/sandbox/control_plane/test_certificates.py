from __future__ import annotations

import json
import socket
import ssl
import threading
from pathlib import Path

import pytest

from sandbox.control_plane import certificates, credentials
from sandbox.kubernetes.connection import prober


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    certificates.create_certificates(tmp_path)
    credentials.create_credentials(tmp_path, "https://127.0.0.1:6443", (tmp_path / certificates.AUTHORITY).read_bytes())
    return tmp_path


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_client_that_trusts_the_authority_trusts_the_server(folder: Path, name: str) -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(folder / certificates.SERVING, folder / certificates.SERVING_KEY)
    trusting = ssl.create_default_context(cafile=folder / certificates.AUTHORITY)
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT
    here, there = socket.socketpair()
    with here, there:
        served = threading.Thread(target=lambda: serving.wrap_socket(there, server_side=True).close())
        served.start()
        with trusting.wrap_socket(here, server_hostname=name) as connection:
            assert connection.version() == "TLSv1.3"
        served.join()


def test_credentials_are_readable_by_their_owner_alone(folder: Path) -> None:
    for file in folder.rglob("*"):
        allowed = 0o700 if file.is_dir() else 0o600
        assert file.stat().st_mode & 0o777 == allowed, file.name


def test_made_again_they_are_the_same(folder: Path) -> None:
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    certificates.create_certificates(folder)
    credentials.create_credentials(folder, "https://127.0.0.1:6443", b"another")
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before


def test_every_user_has_a_token_of_its_own_and_the_plugin_answers_with_the_administrators(folder: Path) -> None:
    rows = [line.split(",") for line in (folder / credentials.TOKENS).read_text().splitlines()]
    assert len({token for token, *_ in rows}) == len(credentials.USERS)
    assert [user for _, user, *_ in rows] == [user.name for user in credentials.USERS.values()]
    admin = rows[0][0]
    answer = json.loads((folder / credentials.EXEC_CREDENTIAL).read_text())
    assert (answer["kind"], answer["status"]["token"]) == ("ExecCredential", admin)
    with prober(credentials.kubeconfig(folder, "admin")) as http:
        assert http.headers["Authorization"] == f"Bearer {admin}"
