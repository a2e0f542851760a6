"""Clusters: Dask works through shards, Spark and Ray map batches; all run what a thread runs."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from fencepost.batch.arrow import count_columns, score_batches
from fencepost.batch.plan import Plan, as_plan
from fencepost.batch.runs import AHEAD, Done, in_turn, score_shard
from fencepost.batch.shards import Shard
from fencepost.blocks import connected, on_worker, result_of, threads_of
from fencepost.model.pairs import Pairs
from fencepost.wording import needs


def dask_results(
    shards: Sequence[Shard], plan: Plan, folder: str | None, strict: bool, dask: Any
) -> Generator[tuple[Shard, Done]]:
    """Score shards on a Dask cluster: "local", the address of a scheduler, or a client.

    A shard whose worker dies is scored again by another. Parts are written whole, so it does not
    matter how often.
    """
    distributed = needs("distributed", "--dask")
    with connected(dask) as client:
        ended = distributed.as_completed()

        def start(shard: Shard) -> Any:
            future = client.submit(on_worker, score_shard, shard, plan, folder, pure=False)
            ended.add(future)
            return future

        def take(waiting: Mapping[Any, Shard]) -> tuple[Any, Done]:
            future = next(ended)
            return future, result_of(future)

        yield from in_turn(shards, start, take, threads_of(client) * AHEAD, strict)


def score_spark(frame: Any, plan: Plan | str) -> Any:
    """Return the count rows of a Spark frame as a Spark frame, by ``mapInArrow``.

    Its columns are those of :func:`score_batches`; workers need fencepost and pyarrow.
    """
    types = needs("pyspark.sql.types", "score_spark")
    made = as_plan(plan)
    sizes = ([1, 1], [0, 2])
    pair = Pairs.from_masses(sizes, sizes)
    fields = [types.StructField(name, types.LongType()) for name in ("units", "cuts")]
    if made.text is not None:
        fields.insert(0, types.StructField("text", frame.schema[made.text].dataType))
    for recipe, by_system in zip(made.recipes, count_columns(made), strict=True):
        whole = recipe.count(pair).dtype.kind == "i"
        kind = types.LongType() if whole else types.DoubleType()
        fields += [types.StructField(name, kind) for names in by_system for name in names]
    written = made.to_json()

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        return score_batches(batches, written)

    chosen = frame.select(*[f"`{name}`" for name in made.columns()])
    return chosen.mapInArrow(count, types.StructType(fields))


def score_ray(dataset: Any, plan: Plan | str) -> Any:
    """Return the count rows of a Ray Dataset as a Ray Dataset, by ``map_batches``.

    Its columns are those of :func:`score_batches`; workers need fencepost and pyarrow.
    """
    made = as_plan(plan)
    written = made.to_json()

    def count(table: Any) -> Iterator[Any]:
        of = needs("pyarrow").Table
        return (of.from_batches([batch]) for batch in score_batches(table, written))

    return dataset.select_columns(made.columns()).map_batches(count, batch_format="pyarrow")
