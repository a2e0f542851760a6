"""Clusters give the numbers of one thread, whoever dies; run by make test-engines."""

import os
import shutil
import signal
import sys
import threading
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fencepost as fp
from fencepost import blocks
from fencepost.batch import engines
from strategies import random_pairs
from support import run_apart

pytestmark = pytest.mark.engines
PLAN = fp.Plan("gold", "a", encoding="masses", text="id", metrics=["windowdiff", "B", "A"])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for seed in range(3):
        pairs = list(random_pairs(seed, 500, (2, 40)))
        table = pa.table(
            {
                "id": [f"{seed}-{i}" for i in range(500)],
                "gold": [list(ref.masses) for ref, _ in pairs],
                "a": [list(hyp.masses) for _, hyp in pairs],
            }
        )
        many = pa.concat_tables([table] * 10)
        pq.write_table(many, folder / f"f{seed}.parquet", row_group_size=250)
    return str(folder / "*.parquet")


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True
    )
    with cluster, distributed.Client(cluster) as made:
        yield made


def parts_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("part-*"))}


def test_dask_gives_what_one_thread_gives(files, client, tmp_path):
    wanted = fp.score_files(files, PLAN, threads=1, save=tmp_path / "threads")
    found = fp.score_files(files, PLAN, dask=client, save=tmp_path / "dask")
    assert found.rows == wanted.rows and found.facts == wanted.facts
    assert parts_of(tmp_path / "dask") == parts_of(tmp_path / "threads")
    address = fp.score_files(files, PLAN, dask=client.scheduler.address)
    assert address.rows == wanted.rows


def test_a_worker_that_is_killed_loses_nothing(files, client, tmp_path):
    wanted = fp.score_files(files, PLAN, threads=1)
    folder = tmp_path / "saved"
    victim = next(iter(client.run(os.getpid).values()))
    written: list[int] = []

    def kill():
        while not folder.exists() or len(list(folder.glob("part-*"))) < 5:
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)
        written.append(len(list(folder.glob("part-*"))))

    killer = threading.Thread(target=kill)
    killer.start()
    found = fp.score_files(files, PLAN, dask=client, save=folder)
    killer.join()
    assert written[0] < 60  # it died in mid-run
    assert found.rows == wanted.rows
    assert len(parts_of(folder)) == 60


def test_what_is_wrong_on_a_worker_is_said_here(client, tmp_path):
    pq.write_table(pa.table({"gold": [[5]], "a": [[4]]}), tmp_path / "x.parquet")
    plan = fp.Plan("gold", "a", encoding="masses", metrics="pk")
    with pytest.raises(fp.SegmentationError, match=r"x\.parquet: row 1: gold has 5 units and a 4"):
        fp.score_files(tmp_path / "x.parquet", plan, dask=client)


def test_a_wrong_row_is_the_only_thing_that_a_local_cluster_says(tmp_path):
    for number in range(4):
        rows = {"gold": [[3, 4, 5]] * 20_000, "a": [[4, 4, 4]] * 19_990 + [[1]] * 10}
        pq.write_table(pa.table(rows), tmp_path / f"{number}.parquet", row_group_size=5_000)
    asked = ("--columns", "ref=gold,hyp=a", "--encoding", "masses", "-m", "B", "A", "S")
    done = run_apart("score", "*.parquet", *asked, "--dask", "local", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    said = "fencepost: 0.parquet: row 19991: gold has 12 units and a 1; boundaries can only be "
    assert done.stderr == f"{said}compared on the same units\n"


def test_an_address_without_a_scheduler_is_refused(files, monkeypatch):
    monkeypatch.setattr(blocks, "SECONDS", 1)
    with pytest.raises(fp.FencepostError, match="no Dask scheduler answers at tcp://127"):
        fp.score_files(files, PLAN, dask="tcp://127.0.0.1:9")


# Resamples and simulated annotations.


def systems_of(texts):
    pairs = list(random_pairs(7, 2 * texts, (8, 40)))
    ref = {f"t{i}": one for i, (one, _) in enumerate(pairs[:texts])}
    return ref, {"a": {f"t{i}": other for i, (_, other) in enumerate(pairs[:texts])}}


def coders_of(texts):
    found = {}
    for i, (one, other) in enumerate(random_pairs(8, texts, (12, 40))):
        third = fp.Segmentation(one.units, sorted({*one.cuts[::2], *other.cuts[1::2]}))
        found[f"t{i}"] = {"x": one, "y": other, "z": third}
    return fp.Corpus.from_dict(found)


def drawn(dask=None):
    """Everything that is drawn: resamples, swaps, and simulated annotations."""
    ref, systems = systems_of(300)
    corpus = coders_of(25)
    tables = [
        fp.score(ref, systems, metrics=["windowdiff", "B", "A"], average="both", dask=dask,
                 method=method, paired=paired, baseline="no boundaries")
        for method, paired in ((None, "randomization"), ("percentile", "bootstrap"))
    ]  # fmt: skip
    tables.append(fp.agreement(corpus, all=True, interval="texts", resamples=200, dask=dask))
    parts = [table.part("comparisons").rows for table in tables[:2]]
    return [*(table.rows for table in tables), *parts]


def test_resamples_and_chance_are_the_same_for_any_number_of_workers():
    distributed = pytest.importorskip("distributed")
    wanted = repr(drawn())  # every digit
    for workers in (1, 2, 3):
        with (
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0", processes=True
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            assert repr(drawn(client)) == wanted


def score_many(dask=None):
    ref, systems = systems_of(3000)
    table = fp.score(ref, systems, metrics=["windowdiff", "B"], method="percentile",
                     resamples=20_000, dask=dask)  # fmt: skip
    return table.rows


def agree_on_many(dask=None):
    corpus = coders_of(120)
    return fp.agreement(corpus, interval="texts", draws=4000, resamples=2000, dask=dask).rows


@pytest.mark.parametrize("run", [score_many, agree_on_many])
def test_a_worker_that_is_killed_in_mid_run_loses_no_resample(run, client):
    wanted = repr(run())  # every digit
    processes = client.run(os.getpid)
    left: list[int] = []

    def blocks_of(held):
        return sum(str(key).startswith("_several") for keys in held.values() for key in keys)

    def kill():
        """Kill a worker when some blocks are done and others are being worked on."""
        while not blocks_of(client.has_what()):
            time.sleep(0.005)
        os.kill(next(iter(processes.values())), signal.SIGKILL)
        left.append(blocks_of(client.processing()))

    killer = threading.Thread(target=kill)
    killer.start()
    found = repr(run(client))
    killer.join()
    assert left[0] > 0  # it died in mid-run
    assert set(client.run(os.getpid).values()) != set(processes.values())
    assert found == wanted


def test_workers_that_always_die_are_told_in_a_sentence(client):
    def die(number):
        os.kill(os.getpid(), signal.SIGKILL)

    died = pytest.raises(fp.FencepostError, match="several Dask workers died")
    with died, blocks.on_cluster(client):
        list(blocks.map_blocks(die, range(3)))


@pytest.fixture(scope="module")
def spark():
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "300")
        .getOrCreate()
    )
    yield made
    made.stop()


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_spark_counts_what_score_batches_counts(files, spark):
    frame = spark.read.parquet(files)
    found = engines.score_spark(frame, PLAN)
    wanted = pa.Table.from_batches(fp.score_batches(pq.read_table(os.path.dirname(files)), PLAN))
    rows = [tuple(row) for row in found.collect()]
    assert found.columns == wanted.column_names
    assert sorted(rows) == sorted(tuple(row.values()) for row in wanted.to_pylist())


@pytest.fixture(scope="module")
def ray():
    made = pytest.importorskip("ray")
    made.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    made.data.DataContext.get_current().enable_progress_bars = False
    yield made
    made.shutdown()


@pytest.mark.filterwarnings("ignore")  # Ray's own, of several kinds
def test_ray_counts_what_score_batches_counts(files, ray):
    dataset = ray.data.read_parquet(os.path.dirname(files))
    found = engines.score_ray(dataset, PLAN)
    wanted = pa.Table.from_batches(fp.score_batches(pq.read_table(os.path.dirname(files)), PLAN))
    rows = found.take_all()
    assert list(rows[0]) == wanted.column_names
    assert sorted(tuple(row.values()) for row in rows) == sorted(
        tuple(row.values()) for row in wanted.to_pylist()
    )
