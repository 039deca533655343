"""The way to a Dask scheduler: its address, its certificates, and what Dask logs meanwhile.

Certificates come from Dask's own configuration (files, or variables such as
``DASK_DISTRIBUTED__COMM__TLS__CA_FILE``), which scheduler and workers read as well.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path

import dask
from distributed import Client, Security
from distributed.comm.addressing import get_address_host_port, parse_address

from grader.errors import UsageError
from grader.text import Text

__all__ = ["connected", "without_logs"]

SAFE = ("tls", "wss")
LOGS = ("distributed", "tornado.application", "asyncio")
VARIABLE = "DASK_DISTRIBUTED__COMM__TLS__"


@contextlib.contextmanager
def connected(address: str, seconds: float) -> Iterator[Client]:
    """A client of that scheduler.  Raises `UsageError` where there is none, or no way to it."""
    _must_be_an_address(address)
    _must_be_configured(address)
    with without_logs():
        try:
            client = Client(address, timeout=seconds, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(_no_scheduler(address)) from error
        with client:
            yield client


@contextlib.contextmanager
def without_logs() -> Iterator[None]:
    """What Dask logs of workers that died is not for those who read marks: the run says it in a sentence.

    Loggers below those named follow them, unless they have a level of their own.
    """
    known = [n for n in logging.root.manager.loggerDict if n.startswith(tuple(f"{name}." for name in LOGS))]
    loggers = [logging.getLogger(name) for name in (*LOGS, *known)]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before):
            logger.setLevel(level)


def _must_be_an_address(address: str) -> None:
    """Before a client is made: one that cannot begin does not end well, either."""
    try:
        get_address_host_port(address)
    except (ValueError, ImportError) as error:
        raise UsageError(
            Text(
                f"--scheduler {address!r} is no address of a scheduler ({error}): give tcp://HOST:8786, or tls://",
                f"--scheduler {address!r} 不是调度器的地址（{error}）：应为 tcp://HOST:8786 或 tls://",
            )
        ) from error


def _must_be_configured(address: str) -> None:
    """An encrypted address needs certificates that can be used."""
    if dask.config.get("distributed.client.security-loader", None):
        return  # a program of theirs makes them
    try:
        security = Security()
        context = security.get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:  # of a file that is missing, OpenSSL does not say which
        why = _missing_file() or " ".join(str(error).split())
        raise UsageError(
            Text(
                f"the certificates of Dask's configuration cannot be used: {why}",
                f"Dask 配置中的证书无法使用：{why}",
            )
        ) from error
    safe = parse_address(address)[0] in SAFE
    if safe and context is None:
        raise UsageError(
            Text(
                f"{address} is encrypted, and Dask has no certificates here: set {VARIABLE}CA_FILE, "
                f"{VARIABLE}CLIENT__CERT and {VARIABLE}CLIENT__KEY (docs/platforms.md says how)",
                f"{address} 是加密的，而这里的 Dask 没有证书：请设置 {VARIABLE}CA_FILE、"
                f"{VARIABLE}CLIENT__CERT 和 {VARIABLE}CLIENT__KEY（方法见 docs/platforms.md）",
            )
        )
    if security.require_encryption and not safe:
        raise UsageError(
            Text(
                f"Dask's configuration asks for encryption (require-encryption), and {address} has none: "
                "give tls://HOST:PORT",
                f"Dask 的配置要求加密（require-encryption），而 {address} 没有加密：请给出 tls://HOST:PORT",
            )
        )


def _missing_file() -> str | None:
    """The first file of the configuration that is not there."""
    for key in ("ca-file", "client.cert", "client.key"):
        place = dask.config.get(f"distributed.comm.tls.{key}", None)
        if isinstance(place, str) and "\n" not in place and not Path(place).is_file():
            return f"{place}: no such file"
    return None


def _no_scheduler(address: str) -> Text:
    words = Text(
        f"no scheduler answers at {address}: start one with `dask scheduler`, or look at the address",
        f"{address} 没有调度器应答：请用 `dask scheduler` 启动，或检查地址",
    )
    if parse_address(address)[0] in SAFE:
        words += Text(" and at the certificates", "和证书")
    return words
