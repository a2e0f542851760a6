"""Blocks of work that do not depend on each other: done here in turn, or on a Dask cluster."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from fencepost import _core
from fencepost.model.checks import FencepostError
from fencepost.wording import needs

Block = TypeVar("Block")
Result = TypeVar("Result")

KEPT_BYTES = 1 << 26  # of freed memory in a worker, for its next batch
SECONDS = 10  # in which a scheduler must answer
IGNORE_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
FUTURES_PER_THREAD = 8  # of blocks, so that no worker waits long for the last one

_client: ContextVar[Any] = ContextVar("client", default=None)


def map_blocks(work: Callable[[Block], Result], blocks: Sequence[Block]) -> Iterator[Result]:
    """Yield what ``work`` returns for each block, in order; inside ``on_cluster``, from workers.

    Which blocks there are does not depend on who works on them, so results do not either.
    """
    client = _client.get()
    if client is None or len(blocks) < 2:
        return map(work, blocks)
    return _from_workers(client, work, blocks)


@contextmanager
def on_cluster(dask: Any) -> Iterator[None]:
    """Give blocks to a Dask cluster (see ``connected``); None changes nothing."""
    if dask is None:
        yield
        return
    with connected(dask) as client:
        before = _client.set(client)
        try:
            yield
        finally:
            _client.reset(before)


@contextmanager
def connected(dask: Any) -> Iterator[Any]:
    """Return the client of a cluster: "local" (processes here), a scheduler's address, or a client.

    A client that was given stays open.
    """
    distributed = needs("distributed", "--dask")
    if isinstance(dask, distributed.Client):
        yield dask
        return
    with _silenced("distributed", "distributed.client"):
        client = _open(distributed, dask)
        try:
            yield client
        finally:
            client.close()
            if client.cluster is not None:
                client.cluster.close()


@contextmanager
def _silenced(*names: str) -> Iterator[None]:
    """Keep these loggers quiet: what goes wrong is raised here, in a sentence."""
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _open(distributed: Any, dask: str) -> Any:
    if dask == "local":
        # Workers say nothing, as above, and leave Ctrl-C, which a terminal sends to all, to us.
        cluster = distributed.LocalCluster(
            threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL,
            preload=[IGNORE_INTERRUPTS],
        )  # fmt: skip
        return distributed.Client(cluster)
    try:
        return distributed.Client(dask, timeout=SECONDS)
    except (OSError, ValueError) as error:
        raise FencepostError(
            f"no Dask scheduler answers at {dask}: {error}; start one (dask scheduler), or "
            "use --dask local"
        ) from None


def threads_of(client: Any) -> int:
    """Return how many threads the workers have together."""
    return max(1, sum(map(int, client.nthreads().values())))


def on_worker(work: Callable[..., Result], *given: Any) -> Result:
    """Call a function on a worker, which has one core for each of its threads.

    Dask has workers give back whatever memory is freed, which doubles the time of a batch.
    """
    _core.set_threads(1)
    _core.keep_memory(KEPT_BYTES)
    return work(*given)


def result_of(future: Any) -> Any:
    """Return what a worker found, or raise what it raised.

    The scheduler gives the work of a dead worker to another one, a few times.
    """
    distributed = needs("distributed")
    try:
        return future.result()
    except distributed.KilledWorker:
        raise FencepostError(
            "several Dask workers died on the same piece of work, mostly for want of memory; "
            "give workers more memory or fewer threads, or run without --dask"
        ) from None
    except distributed.CancelledError:
        raise FencepostError(
            "the Dask scheduler is gone; start it again, and the run (with --save DIR, --resume "
            "goes on with it)"
        ) from None


def _from_workers(
    client: Any, work: Callable[[Block], Result], blocks: Sequence[Block]
) -> Iterator[Result]:
    size = math.ceil(len(blocks) / (threads_of(client) * FUTURES_PER_THREAD))
    # The work has the data in it, so it is sent once. It is the result of a task, because the
    # scheduler can do a task again where all workers that had its result are dead.
    pickle = needs("cloudpickle", "--dask")
    with needs("dask").config.set({"distributed.admin.large-graph-warning-threshold": "10GB"}):
        sent = client.submit(pickle.loads, pickle.dumps(work), pure=False)
    futures = [
        client.submit(_several, sent, list(blocks[i : i + size]), pure=False)
        for i in range(0, len(blocks), size)
    ]
    try:
        for future in futures:
            yield from result_of(future)
    finally:
        client.cancel([sent, *futures])


def _several(work: Callable[[Block], Result], blocks: Sequence[Block]) -> list[Result]:
    return [on_worker(work, block) for block in blocks]
