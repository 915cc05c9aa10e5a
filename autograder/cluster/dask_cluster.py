"""Machines of a Dask scheduler, with which this module exchanges bytes."""

import asyncio
import concurrent.futures
import contextlib
import ipaddress
import logging
import secrets
import time
import warnings
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import dask
import distributed
import msgspec
from distributed.comm import get_address_host
from distributed.security import Security

from autograder.cluster import machine
from autograder.course.errors import UserError
from autograder.course.text import one_line

CONNECT_SECONDS = 15
PROTOCOLS = ("tls", "tcp")
RETRIES = 2  # for a function that raises an exception
# Without this, Dask would keep the last 1,000 messages of each connection, with their chunks.
FEW_MESSAGES = {"distributed.admin.low-level-log-length": 10}


class PlainClient(distributed.Client):  # type: ignore[misc]  # it has no types
    """Dask client that accepts only bytes from machines, and unpickles nothing."""

    _default_event_handlers: dict[str, Any] = {}  # Dask's own would unpickle warnings

    def __init__(self, address: str, security: Security) -> None:
        super().__init__(
            address,
            security=security,
            timeout=CONNECT_SECONDS,
            set_as_default=False,
            deserializers=["dask", "msgpack"],
            direct_to_workers=False,
        )

    def _handle_task_erred(
        self,
        key: Any = None,
        exception: Any = None,  # noqa: ARG002  Dask would unpickle it
        traceback: Any = None,  # noqa: ARG002
    ) -> None:
        super()._handle_task_erred(key, "the task failed", None)


class Machine(msgspec.Struct, frozen=True):
    """Machine of the cluster, the number of its judges, and the reason not to use it, or ""."""

    address: str
    name: str
    judges: int
    refused: str = ""


class DaskCluster:
    """Machines that one Dask scheduler manages."""

    def __init__(
        self,
        client: distributed.Client,
        where: str,
        grade: Callable[[bytes], bytes] = machine.grade_chunk,
    ) -> None:
        self.client, self._where = client, where
        self._grade = grade
        self._keys: weakref.WeakKeyDictionary[Future[bytes], str] = weakref.WeakKeyDictionary()
        self._known: dict[str, Machine] = {}

    def machines(self) -> dict[str, Machine]:
        try:
            there = self.client.nthreads()
            if not there.keys() <= self._known.keys():
                workers = self.client.scheduler_info(n_workers=-1)["workers"]
                self._known = {place: _machine(place, workers.get(place, {})) for place in there}
        except (OSError, TimeoutError, asyncio.CancelledError, ValueError) as error:
            raise UserError(
                f"The scheduler at {self._where} no longer answers ({_text(error)}). Results so "
                f"far are kept: run the same command again to continue."
            ) from None
        return {address: self._known[address] for address in there}

    def grade(self, data: bytes, addresses: Sequence[str]) -> "Future[bytes]":
        """Let a machine grade a chunk. If the machine is lost, another machine grades the chunk."""
        key = f"autograder-{secrets.token_hex(8)}"  # other runs may use the scheduler too
        options = {"allow_other_workers": False, "pure": False, "retries": RETRIES}
        executor = self.client.get_executor(workers=list(addresses), **options)
        future: Future[bytes] = executor.submit(self._grade, data, key=key)
        self._keys[future] = key
        return future

    def done(self, futures: Collection["Future[bytes]"], seconds: float) -> "set[Future[bytes]]":
        """Return all finished futures. Without one, wait up to `seconds` for the first."""
        if not futures:
            time.sleep(seconds)
        return concurrent.futures.wait(futures, seconds, concurrent.futures.FIRST_COMPLETED).done

    def place_of(self, future: "Future[bytes]") -> str:
        """Return the address of the machine that replied. If it is unknown, return ""."""
        with contextlib.suppress(Exception):
            task = distributed.Future(self._keys[future], self.client)
            return str(self.client.who_has([task])[task.key][0])
        return ""


def _machine(address: str, worker: dict[str, Any]) -> Machine:
    name = one_line(str(worker.get("name", address)), 80)
    shown = name if name == address else f"{name} ({one_line(address, 80)})"
    is_safe = address.startswith("tls://") or is_loopback(get_address_host(address))
    refused = "" if is_safe else "it connects without TLS, which is safe only on one machine"
    return Machine(address, shown, max(1, int(worker.get("nthreads", 1))), refused)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    return False


def secured(address: str, files: Sequence[Path]) -> tuple[Security, str]:
    """Return TLS settings from `files` or Dask's configuration, and the address with a protocol."""
    security = Security()
    if files:
        for path in files:
            if not path.is_file():
                raise UserError(f"{path} does not exist. Name a PEM file of the cluster.")
        ca, certificate, key = map(str, files)
        security = Security(
            require_encryption=True, tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key
        )
    if "://" not in address:
        address = f"{'tls' if security.tls_client_cert else 'tcp'}://{address}"
    protocol, shown = address.partition("://")[0], one_line(address, 80)
    if protocol not in PROTOCOLS:
        raise UserError(
            f"{shown} cannot be used. An address begins with tls://, or with tcp:// if the "
            f"scheduler is on this machine."
        )
    try:
        host = get_address_host(address)
    except (ValueError, TypeError):
        raise UserError(f"{shown} is not an address. Expected tls://HOST:PORT.") from None
    files_help = "Add --tls-ca-file, --tls-cert and --tls-key"
    if protocol == "tls" and not (security.tls_ca_file and security.tls_client_cert):
        raise UserError(
            f"{shown} needs certificates. {files_help}, or name them in Dask's settings."
        )
    if protocol != "tls" and not is_loopback(host):
        raise UserError(
            f"{shown} is another machine, so the connection needs TLS. {files_help}, and write the "
            f"address as tls://HOST:PORT."
        )
    return security, address


@contextlib.contextmanager
def connected(address: str, files: Sequence[Path]) -> Iterator[DaskCluster]:
    security, whole = secured(address, files)
    with contextlib.ExitStack() as stack:
        try:
            client = stack.enter_context(_client(whole, security))
        except (OSError, TimeoutError, ValueError, TypeError, ImportError) as error:
            raise UserError(
                f"No Dask scheduler answers at {one_line(whole, 80)}: {_text(error)}. Start one "
                f"with `dask scheduler`, or correct the address and the files for TLS."
            ) from None
        yield DaskCluster(client, one_line(whole, 80))


@contextlib.contextmanager
def local(machines: int) -> Iterator[DaskCluster]:
    """Start a cluster on this machine only, with temporary certificates."""
    security = Security.temporary()
    dask.config.set(FEW_MESSAGES)
    with contextlib.ExitStack() as stack:
        try:
            with _quiet():
                cluster = distributed.LocalCluster(
                    n_workers=machines,
                    threads_per_worker=1,
                    processes=True,
                    host="tls://127.0.0.1",
                    security=security,
                    dashboard_address="127.0.0.1:0",
                    worker_dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            stack.enter_context(cluster)
            client = stack.enter_context(_client(cluster.scheduler_address, security))
        except (RuntimeError, OSError, TimeoutError) as error:
            raise UserError(
                f"The local cluster did not start: {_text(error)}. Use --workers instead."
            ) from None
        yield DaskCluster(client, "127.0.0.1")


@contextlib.contextmanager
def _client(address: str, security: Security) -> Iterator[PlainClient]:
    dask.config.set(FEW_MESSAGES)
    with _quiet():
        client = PlainClient(address, security)
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)


def _text(error: BaseException) -> str:
    return one_line(str(error) or type(error).__name__, 200)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    for name in ("distributed", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
