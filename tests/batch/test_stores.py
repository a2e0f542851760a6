"""Files in an object store give what files on the disk give; run by make test-engines."""

import http.server
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fencepost as fp
from fencepost.batch import runs as runs_module
from fencepost.cli import main
from strategies import random_pairs

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]  # those of the server
PLAN = fp.Plan("gold", "a", encoding="masses", text="id", metrics=["windowdiff", "B"])
COMMAND = ["--columns", "ref=gold,hyp=a,text=id", "--encoding", "masses", "-m", "windowdiff", "B"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three Parquet files and three of JSON lines on the disk."""
    made = tmp_path_factory.mktemp("files")
    for seed in range(3):
        pairs = list(random_pairs(seed, 100, (2, 40)))
        table = pa.table(
            {
                "id": [f"{seed}-{i}" for i in range(100)],
                "gold": [list(ref.masses) for ref, _ in pairs],
                "a": [list(hyp.masses) for _, hyp in pairs],
            }
        )
        pq.write_table(table, made / f"f{seed}.parquet", row_group_size=40)
        lines = [json.dumps(row) + "\n" for row in table.to_pylist()]
        (made / f"f{seed}.jsonl").write_text("".join(lines))
    return made


@pytest.fixture(scope="module")
def store(folder):
    """An S3 server on this machine with the same files in a bucket."""
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        client = pytest.importorskip("boto3").client("s3")
        client.create_bucket(Bucket="corpus")
        for path in folder.iterdir():
            client.upload_file(str(path), "corpus", f"big/{path.name}")
        yield client
    server.stop()


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize("scheme", ["s3://", "simplecache::s3://"])
def test_a_bucket_is_read_as_a_folder(folder, store, ending, scheme):
    wanted = fp.score_files(str(folder / f"*.{ending}"), PLAN)
    paths = [f"{scheme}corpus/big/f{seed}.{ending}" for seed in range(3)]
    found = fp.score_files(paths, PLAN)
    assert found.rows == wanted.rows
    if scheme == "s3://":
        assert fp.score_files(f"s3://corpus/big/*.{ending}", PLAN).rows == wanted.rows


def test_a_run_over_a_bucket_is_saved_and_resumed(folder, store, tmp_path, capsys):
    address = "s3://corpus/big/*.parquet"
    assert main(["score", address, *COMMAND, "--save", str(tmp_path / "counts")]) == 0
    first = capsys.readouterr().out
    os.remove(next((tmp_path / "counts").glob("part-*")))
    assert main(["score", address, *COMMAND, "--save", str(tmp_path / "counts"), "--resume"]) == 0
    assert capsys.readouterr().out == first
    assert main(["score", str(folder / "*.parquet"), *COMMAND]) == 0
    assert capsys.readouterr().out == first


def test_what_a_bucket_lacks_is_said_in_a_sentence(store, capsys):
    for address, words in {
        "s3://corpus/none/*.parquet": "no file is called s3://corpus/none/*.parquet",
        "s3://corpus/big/none.parquet": "s3://corpus/big/none.parquet: no such file",
        "s3://none/f0.parquet": "s3://none/f0.parquet: no such file",
    }.items():
        assert main(["score", address, *COMMAND]) == 1
        assert words in " ".join(capsys.readouterr().err.split())


def test_a_broken_file_of_a_bucket_is_left_out(folder, store, capsys):
    store.put_object(Bucket="corpus", Key="broken/f0.parquet", Body=b"PAR1 and no more")
    store.upload_file(str(folder / "f1.parquet"), "corpus", "broken/f1.parquet")
    assert main(["score", "s3://corpus/broken/*.parquet", *COMMAND]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 file of 2 skipped" in shown and "s3://corpus/broken/f0.parquet" in shown


def test_results_go_to_a_folder_of_this_machine(store, capsys):
    assert main(["score", "s3://corpus/big/*.parquet", *COMMAND, "--save", "s3://corpus/out"]) == 2
    shown = " ".join(capsys.readouterr().err.split())
    assert "--save s3://corpus/out cannot be written" in shown and "of this machine" in shown


def test_a_store_that_does_not_answer_is_named(store, capsys, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    for address in ("s3://corpus/big/*.parquet", "s3://corpus/big/f0.parquet"):
        assert main(["score", address, *COMMAND]) == 1
        assert f"{address} cannot be read" in " ".join(capsys.readouterr().err.split())


def test_a_folder_of_a_bucket_is_the_data_files_in_it(folder, store):
    """A folder of Parquet files as Spark writes it, by its address and by a pattern."""
    for seed in range(3):
        name = f"spark/out.parquet/part-0000{seed}.snappy.parquet"
        store.upload_file(str(folder / f"f{seed}.parquet"), "corpus", name)
    for name in ("_SUCCESS", ".part.crc"):
        store.put_object(Bucket="corpus", Key=f"spark/out.parquet/{name}", Body=b"")
    wanted = list(fp.score_files(str(folder / "*.parquet"), PLAN))
    for address in ("s3://corpus/spark/out.parquet", "s3://corpus/spark/*"):
        found = fp.score_files(address, PLAN)
        assert list(found) == wanted and found.facts["files"] == 3


# Web servers, which may say nothing of a file but its size.


class Site(http.server.BaseHTTPRequestHandler):
    """Serves the files of a folder, with the headers that a test asks for."""

    folder: Path
    headers_of: Callable[[bytes], dict[str, str]]
    status = 200

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        path = self.folder / self.path.strip("/")
        found = path.is_file() and self.status == 200
        data = path.read_bytes() if found else b""
        self.send_response(self.status if found or self.status != 200 else 404)
        for name, value in type(self).headers_of(data).items():
            self.send_header(name, value)
        start, _, end = self.headers.get("Range", "bytes=0-")[6:].partition("-")
        data = data[int(start) : int(end) + 1 if end else None]
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, *given: object) -> None:
        pass


@pytest.fixture
def site(tmp_path):
    pytest.importorskip("aiohttp")
    handler = type("Handler", (Site,), {"folder": tmp_path, "headers_of": lambda data: {}})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield handler, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def write_sizes(path: Path, last: int) -> None:
    path.write_text(json.dumps({"id": "x", "gold": [5, 5], "a": [last, 10 - last]}) + "\n")


@pytest.mark.parametrize("tagged", [False, True])
def test_a_file_without_a_time_is_counted_again_where_nothing_tells_that_it_is_the_same(
    site, tmp_path, tagged, monkeypatch
):
    handler, address = site
    if tagged:
        handler.headers_of = lambda data: {"ETag": f'"{hash(data)}"'}
    plan = fp.Plan("gold", "a", encoding="masses", text="id", metrics="B")
    read: list[str] = []
    score = runs_module.score_shard
    monkeypatch.setattr(
        runs_module, "score_shard", lambda shard, *more: read.append("x") or score(shard, *more)
    )
    values = []
    for last in (4, 4, 2):
        write_sizes(tmp_path / "t.jsonl", last)
        table = fp.score_files(
            f"{address}/t.jsonl", plan, save=tmp_path / "saved", resume=bool(values)
        )
        values.append(table.rows[0]["value"])
    assert values[0] == values[1] != values[2]
    assert len(read) == (2 if tagged else 3)


def test_a_server_that_does_not_answer_is_no_missing_file(site, tmp_path):
    handler, address = site
    plan = fp.Plan("gold", "a", encoding="masses", metrics="B")
    with pytest.raises(fp.FencepostError, match=r"/none\.jsonl: no such file"):
        fp.score_files(f"{address}/none.jsonl", plan)
    write_sizes(tmp_path / "t.jsonl", 4)
    handler.status = 503
    with pytest.raises(fp.FencepostError, match=r"cannot be read: the server says 503 Service"):
        fp.score_files(f"{address}/t.jsonl", plan)
    with pytest.raises(fp.FencepostError, match=r"the server does not answer \(Cannot connect to"):
        fp.score_files("http://127.0.0.1:9/t.jsonl", plan)
