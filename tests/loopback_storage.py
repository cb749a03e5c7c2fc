"""S3 on loopback that tests talk to for real."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

KEY, SECRET = "AKIATESTING", "wordThatNobodyMaySee"


class Storage:
    """S3 on loopback: a bucket, what was asked of the server, and a way to make it fail."""

    def __init__(self, server: Server, client: Any) -> None:
        self.url = server.url
        self.client = client
        self.asked = server.asked
        """Method, path with query, and the bytes that the answer held, in order."""
        self.faults = server.faults
        """Functions of the request's environment; the first that gives a status ends the request with it."""

    def put(self, key: str, data: bytes, bucket: str = "bucket") -> str:
        """Make this the content of a key; its address."""
        self.client.put_object(Bucket=bucket, Key=key, Body=data)
        return f"s3://{bucket}/{key}"

    def get(self, key: str) -> bytes:
        """The content of a key."""
        content: bytes = self.client.get_object(Bucket="bucket", Key=key)["Body"].read()
        return content

    def keys(self) -> list[str]:
        """The keys of the bucket."""
        return [found["Key"] for found in self.client.list_objects_v2(Bucket="bucket").get("Contents", [])]


class Server(NamedTuple):
    """Where it listens, what it was asked, and how it is to fail."""

    url: str
    asked: list[tuple[str, str, int]]
    faults: list[Any]


@contextmanager
def loopback_server() -> Iterator[Server]:
    """moto's server of all of S3 on a free port of loopback, in a thread; skips the test where it is not installed."""
    pytest.importorskip("moto.server", reason="needs moto[server] (make test-cluster)")
    pytest.importorskip("pyarrow.fs", reason="needs pyarrow")
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    asked: list[tuple[str, str, int]] = []
    faults: list[Any] = []
    inner = DomainDispatcherApplication(create_backend_app)

    def watched(environ: dict[str, Any], start: Any) -> Any:
        for fault in faults:
            status = fault(environ)
            if status:
                start(status, [("Content-Length", "0")])
                return [b""]
        body = b"".join(inner(environ, start))
        path = f"{environ['PATH_INFO']}?{environ.get('QUERY_STRING', '')}"
        asked.append((environ["REQUEST_METHOD"], path, len(body)))
        return [body]

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, watched, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_port}", asked, faults)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def empty_bucket(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """An S3 with an empty bucket, found by the environment as every real one is."""
    import boto3

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    client = boto3.client("s3", endpoint_url=server.url, region_name="us-east-1")
    client.create_bucket(Bucket="bucket")
    server.asked.clear()
    yield Storage(server, client)
    server.faults.clear()
    for found in client.list_multipart_uploads(Bucket="bucket").get("Uploads", []):
        client.abort_multipart_upload(Bucket="bucket", Key=found["Key"], UploadId=found["UploadId"])
    for found in client.list_objects_v2(Bucket="bucket").get("Contents", []):
        client.delete_object(Bucket="bucket", Key=found["Key"])
    client.delete_bucket(Bucket="bucket")
    client.close()
