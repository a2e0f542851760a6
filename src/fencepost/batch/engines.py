"""Clusters: Dask works through shards, and runs what one thread runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fencepost.batch.plan import Plan
from fencepost.batch.runs import AHEAD, Done, score_shard
from fencepost.batch.shards import Shard
from fencepost.model.checks import FencepostError
from fencepost.wording import needs

RETRIES = 3  # of a shard whose worker died
SECONDS = 10  # in which a scheduler must answer


def dask_results(
    shards: list[Shard], plan: Plan, folder: str | None, dask: Any
) -> Iterator[tuple[Shard, Done]]:
    """Score shards on a Dask cluster: "local", the address of a scheduler, or a client.

    A shard whose worker dies is scored again by another. Parts are written whole, so it does not
    matter how often.
    """
    distributed = needs("distributed", "--dask")
    own = not isinstance(dask, distributed.Client)
    client = _client(distributed, dask) if own else dask
    try:
        left = iter(shards)
        waiting: dict[Any, Shard] = {}
        most = max(1, sum(client.nthreads().values())) * AHEAD
        finished = distributed.as_completed()
        while True:
            while len(waiting) < most and (shard := next(left, None)) is not None:
                future = client.submit(
                    score_shard, shard, plan, folder, retries=RETRIES, pure=False
                )
                waiting[future] = shard
                finished.add(future)
            if not waiting:
                return
            future = next(finished)
            yield waiting.pop(future), future.result()
    finally:
        if own:
            client.close()
            if client.cluster is not None:
                client.cluster.close()


def _client(distributed: Any, dask: str) -> Any:
    if dask == "local":
        cluster = distributed.LocalCluster(threads_per_worker=1, dashboard_address=None)
        return distributed.Client(cluster)
    try:
        return distributed.Client(dask, timeout=SECONDS)
    except (OSError, ValueError) as error:
        raise FencepostError(
            f"no Dask scheduler answers at {dask}: {error}; start one (dask scheduler), or "
            "use --dask local"
        ) from None
