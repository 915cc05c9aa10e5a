"""Machines as Dask distributed has them: found, asked and sent chunks through its scheduler."""

import asyncio
import concurrent.futures
import contextlib
import ipaddress
import logging
import queue
import secrets
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import dask
import msgspec
from distributed import Client, LocalCluster
from distributed.comm import get_address_host
from distributed.security import Security

from autograder.cluster import judge_pool
from autograder.cluster.dispatch import Seat
from autograder.cluster.messages import Readiness
from autograder.course.errors import UserError
from autograder.course.text import one_line

CONNECT_SECONDS, ASK_SECONDS, ANSWER_SECONDS = 15, 120, 60
PLAIN = ["dask", "msgpack"]  # what is taken from machines: bytes, and no pickle
# Dask keeps the last 1,000 messages of each connection, and with them the chunks in them.
FEW_MESSAGES = {"distributed.admin.low-level-log-length": 10}


class Certificates(msgspec.Struct, frozen=True):
    """Files for TLS: who is trusted, and who one is."""

    authority: Path
    certificate: Path
    key: Path


class OverDask:
    """A `Cluster` behind one of Dask's schedulers."""

    def __init__(self, client: Client, where: str) -> None:
        self._client, self._where = client, where
        self._events: queue.SimpleQueue[tuple[int | str, bytes | None]] = queue.SimpleQueue()
        self._name = secrets.token_hex(8)  # of this run, on a scheduler that others may use too
        self._followed: dict[int | str, concurrent.futures.Future[None]] = {}
        self._known: dict[str, Seat] = {}

    def machines(self) -> dict[str, Seat]:
        """Those that are there now, by address.

        Raises:
            UserError: the scheduler is gone.
        """
        try:
            there = self._client.nthreads()
            if any(address not in self._known for address in there):
                told = self._client.scheduler_info(n_workers=-1)["workers"]
                self._known = {address: _seat(address, told.get(address, {})) for address in there}
        except (OSError, TimeoutError, asyncio.CancelledError, ValueError) as error:
            raise self._gone(error) from None
        return {address: self._known[address] for address in there}

    def _gone(self, error: BaseException) -> UserError:
        said = one_line(str(error) or type(error).__name__, 200)
        return UserError(
            f"The scheduler at {self._where} does not answer any more ({said}). What is graded is "
            f"kept: run the same command again to go on."
        )

    def ask(self, addresses: Iterable[str], data: bytes) -> None:
        """Ask machines whether they can grade. One that is not safe to talk to is not asked."""
        for address in addresses:
            if address.startswith("tls://") or is_loopback(get_address_host(address)):
                self._follow(address, self._asked(address, data))
            else:
                why = "it talks without TLS, which is safe on one machine only"
                answer = Readiness((why,))
                self._events.put((address, msgspec.msgpack.encode(answer)))

    async def _asked(self, address: str, data: bytes) -> Any:
        asking = self._client.run(
            judge_pool.admit, data, workers=[address], on_error="return", asynchronous=True
        )
        return (await asyncio.wait_for(asking, ASK_SECONDS))[address]

    def send(self, attempt: int, address: str, data: bytes) -> None:
        """Have a chunk graded on this very machine: who is lost with it has to be known."""
        future = self._client.submit(
            judge_pool.grade_chunk,
            data,
            key=f"autograder-{self._name}-{attempt}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
        )
        self._follow(attempt, self._answer(future))

    async def _answer(self, future: Any) -> Any:
        try:
            return await asyncio.shield(self._client.gather(future, asynchronous=True))
        finally:
            future.release()

    def drop(self, attempt: int) -> None:
        """Forget a chunk that was lost with its machine, lest it be graded if that comes back."""
        followed = self._followed.pop(attempt, None)
        if followed is not None:
            followed.cancel()

    def _follow(self, who: int | str, answer: Any) -> None:
        """Have an answer that Dask's loop waits for come as an event."""

        async def followed() -> None:
            found: object = None
            with contextlib.suppress(Exception, asyncio.CancelledError):
                found = await answer
            self._events.put((who, found if isinstance(found, bytes) else None))

        loop = self._client.loop.asyncio_loop
        following = asyncio.run_coroutine_threadsafe(followed(), loop)
        self._followed[who] = following
        following.add_done_callback(lambda _: self._followed.pop(who, None))

    def events(self, seconds: float) -> Iterator[tuple[int | str, bytes | None]]:
        """What came meanwhile; waits for the first so long."""
        with contextlib.suppress(queue.Empty):
            yield self._events.get(timeout=seconds)
            while True:
                yield self._events.get_nowait()

    def end(self, run: str) -> None:
        """Have the machines end the judges of a run; those that are gone have none."""
        with contextlib.suppress(Exception):
            there = list(self._known)
            self._client.run(judge_pool.release, run, workers=there, on_error="ignore", wait=False)


def _seat(address: str, told: dict[str, Any]) -> Seat:
    host = get_address_host(address)
    name = one_line(str(told.get("name", address)), 80)
    shown = name if name == address else f"{name} ({one_line(address, 80)})"
    return Seat(address, host, shown, max(1, int(told.get("nthreads", 1))))


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    return False


def _security(files: Certificates | None) -> Security:
    """Dask's settings for TLS: from these files, else from its own configuration.

    Raises:
        UserError: a file is not there.
    """
    if files is None:
        return Security()
    for path in (files.authority, files.certificate, files.key):
        if not path.is_file():
            raise UserError(
                f"{path} is not there. Name the PEM files of the cluster's certificates."
            )
    return Security(
        require_encryption=True,
        tls_ca_file=str(files.authority),
        tls_client_cert=str(files.certificate),
        tls_client_key=str(files.key),
    )


def refuse_plain(address: str, files: Certificates | None) -> tuple[Security, str]:
    """The settings for TLS, and the address with its protocol.

    Raises:
        UserError: another machine would be spoken to without TLS, or it is no address.
    """
    security = _security(files)
    if "://" not in address:
        address = f"{'tls' if security.tls_client_cert else 'tcp'}://{address}"
    try:
        host = get_address_host(address)
    except (ValueError, TypeError):
        raise UserError(
            f"{one_line(address, 80)} is no address: expected tls://HOST:PORT."
        ) from None
    if not address.startswith("tls://") and not is_loopback(host):
        raise UserError(
            f"{one_line(address, 80)} is another machine, and is spoken to with TLS only: whoever "
            f"listens could read submissions and change grades. Name --tls-ca-file, --tls-cert and "
            f"--tls-key, and the address as tls://HOST:PORT."
        )
    return security, address


@contextlib.contextmanager
def connected(address: str, files: Certificates | None) -> Iterator[OverDask]:
    """The machines behind a scheduler.

    Raises:
        UserError: it does not answer, or it would have to be spoken to without TLS over a network.
    """
    security, address = refuse_plain(address, files)
    dask.config.set(FEW_MESSAGES)
    try:
        client = _client(address, security)
    except (OSError, TimeoutError, ValueError, TypeError, ImportError) as error:
        said = one_line(str(error) or type(error).__name__, 200)
        raise UserError(
            f"No scheduler of Dask's answers at {one_line(address, 80)}: {said}. Start one with "
            f"`dask scheduler`, or correct the address and the files for TLS."
        ) from None
    try:
        yield OverDask(client, one_line(address, 80))
    finally:
        _close(client)


@contextlib.contextmanager
def local(machines: int) -> Iterator[OverDask]:
    """A cluster on this machine alone, with certificates of its own for the time it lives."""
    security = Security.temporary()
    dask.config.set(FEW_MESSAGES)
    with contextlib.ExitStack() as stack:
        try:
            with _quiet():
                cluster = LocalCluster(
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
            client = _client(cluster.scheduler_address, security)
        except (RuntimeError, OSError, TimeoutError) as error:
            said = one_line(str(error) or type(error).__name__, 200)
            raise UserError(f"The local cluster did not start: {said}. Use --workers.") from None
        stack.callback(_close, client)
        yield OverDask(client, "127.0.0.1")


def _client(address: str, security: Security) -> Client:
    with _quiet():
        return Client(
            address,
            security=security,
            timeout=CONNECT_SECONDS,
            set_as_default=False,
            deserializers=PLAIN,
            direct_to_workers=False,
        )


def _close(client: Client) -> None:
    with contextlib.suppress(Exception):
        client.close(timeout=2)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What Dask would say of lost machines is said by who grades, once."""
    for name in ("distributed", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a disk is slow, for one
        yield
