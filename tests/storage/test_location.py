"""Places of files: the same methods give the same for a directory and for a bucket."""

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyarrow import ArrowException
from pyarrow.fs import FileInfo, FileSelector, FileType

from punctum.cli import cli
from punctum.errors import MissingError, PunctumError, QueryError, SchemaError, SqlError
from punctum.parse import parse_script
from punctum.storage.location import Location, StorePath, is_store, joined, location
from punctum.storage.stores import ObjectStore, check_client, store_of
from storage.server import NO_SERVER, has_server, s3_server

ODD = (
    "a b.json",
    "100%.json",
    "%20.json",
    "dt=2026-01-01/größe.json",
    "dt=a%2Fb/x+y&z.json",
    "日本/🙂.json",
    "#?.json",
)


@pytest.fixture(scope="module")
def bucket() -> Iterator[StorePath]:
    if not has_server():
        pytest.skip(NO_SERVER)
    with s3_server("bucket"):
        yield StorePath("s3", "bucket", "")


@pytest.fixture(params=["local", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """A place without anything in it."""
    if request.param == "local":
        return tmp_path
    bucket = StorePath("s3", request.getfixturevalue("bucket").authority, "")
    return bucket / str(request.node.name)


def write(path: Location, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def names(place: Location, pattern: str) -> list[str]:
    return sorted(str(path).removeprefix(f"{place}/") for path in place.glob(pattern))


def test_what_is_written_is_there(place: Location) -> None:
    path = place / "sub/1.json"
    assert not path.exists()
    assert not (place / "sub").is_dir()
    with pytest.raises(FileNotFoundError):
        path.read_bytes()
    with pytest.raises(FileNotFoundError):
        path.stat()
    with pytest.raises(FileNotFoundError):
        path.unlink()
    path.unlink(missing_ok=True)
    write(path, "é\n")
    write(path, "né\n")
    assert path.read_text("utf-8") == "né\n"
    assert path.stat().st_size == len("né\n".encode())
    assert path.exists() and path.is_file() and not path.is_dir()
    assert (place / "sub").is_dir() and not (place / "sub").is_file()
    path.unlink()
    assert not path.exists()


def test_a_bucket_is_where_its_server_is(bucket: StorePath) -> None:
    (bucket / "here/1.json").write_text("1")
    with s3_server("bucket"):
        assert not (bucket / "here/1.json").exists()
    assert (bucket / "here/1.json").exists()


@pytest.mark.parametrize("name", ODD)
def test_names_are_taken_as_they_are(place: Location, name: str) -> None:
    write(place / name, name)
    assert names(place, "*/*" if "/" in name else "*") == [name]
    assert (place / name).read_text("utf-8") == name
    assert (place / name).name == name.rpartition("/")[2]


def test_what_is_listed(place: Location) -> None:
    for name in ("a/1.json", "a/2.csv", "b/1.json", "3.json", "a/deep/er/4.json"):
        write(place / name, name)
    assert names(place, "*") == ["3.json", "a", "b"]
    assert names(place, "*/1.json") == ["a/1.json", "b/1.json"]
    assert names(place, "a/*.json") == ["a/1.json"]
    assert sorted(path.name for path in (place / "a").iterdir()) == ["1.json", "2.csv", "deep"]
    assert sorted(path.name for path in place.rglob("*.json")) == ["1.json", "1.json", "3.json", "4.json"]
    assert names(place, "c/*") == []


def test_pieces_of_an_object(bucket: StorePath) -> None:
    path = bucket / "pieces/large"
    path.write_bytes(bytes(range(256)) * 100_000)  # in several parts
    file = path.reader()
    assert (file.size, path.stat().st_size) == (25_600_000, 25_600_000)
    assert file.read_at(25_599_990, 100) == bytes(range(246, 256))
    assert file.read_at(256, 3) == b"\0\1\2"
    assert file.read_at(25_600_000, 3) == b""
    file.close()
    path.copy(bucket / "pieces/copy")
    assert (bucket / "pieces/copy").stat().st_size == 25_600_000
    assert sorted(name for name, _ in (bucket / "pieces").objects()) == ["copy", "large"]
    (bucket / "pieces").remove_all()
    assert not list((bucket / "pieces").objects())


def test_what_is_not_there(bucket: StorePath) -> None:
    nowhere = location("s3://nobucket/out")
    assert not nowhere.exists()
    for act in (
        lambda: nowhere.write_text("x"),
        lambda: list(nowhere.glob("*")),
        lambda: list(nowhere.objects()),  # type: ignore[union-attr]
    ):
        with pytest.raises(FileNotFoundError, match="the bucket does not exist"):
            act()


def test_a_store_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    with pytest.raises(OSError, match="the store cannot be reached") as caught:
        location("s3://unreachable/x").read_bytes()
    assert caught.value.filename == "s3://unreachable/x"


class Flat:
    """A store whose client lists objects, and no directories: as PyArrow's for Google."""

    def get_file_info(self, selector: FileSelector) -> list[FileInfo]:
        start = f"{selector.base_dir}/"
        below = [key for key in ("b/in/x/1", "b/in/x/2", "b/in/3") if key.startswith(start)]
        some = [key for key in below if selector.recursive or "/" not in key[len(start) :]]
        return [FileInfo(key, FileType.File, size=1) for key in some]


def test_a_store_that_lists_no_directories() -> None:
    store = ObjectStore("gs://b", Flat(), "b/", flat=True)
    assert store.children("in") == ["in/3", "in/x"]
    assert store.children("in/x") == ["in/x/1", "in/x/2"]
    assert store.children("") == ["in"]


class Unknown:
    """A store whose errors PyArrow does not know."""

    def get_file_info(self, _: object) -> object:
        raise ArrowException("Unknown error: Failed to get a token. " + "See there. " * 100)


def test_an_error_that_pyarrow_does_not_know() -> None:
    with pytest.raises(OSError, match="Unknown error: Failed to get a token") as caught:
        ObjectStore("abfss://c@a", Unknown(), "c/").kind("x")
    assert caught.value.filename == "abfss://c@a/x" and len(str(caught.value)) < 500


def test_hdfs_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    monkeypatch.setenv("ARROW_LIBHDFS_DIR", "/nowhere")
    with pytest.raises(MissingError) as caught:
        store_of("hdfs", "namenode:8020")
    assert caught.value.what == "hdfs://namenode:8020 cannot be used"
    assert "docs/files.md" in caught.value.hint


@pytest.mark.parametrize(
    "address", ["s3://b/x", "s3a://b/x", "gs://b/x", "abfss://c@a.dfs.core.windows.net/x", "hdfs://h:1/x"]
)
def test_an_address_is_no_path_of_this_machine(address: str) -> None:
    """Whoever takes it for one makes no directory, but an error."""
    place = location(address)
    assert str(place) == address and is_store(place)
    assert location(Path(address)) == place
    assert pickle.loads(pickle.dumps(place)) == place
    for take in (open, os.mkdir, os.listdir, Path):
        with pytest.raises(TypeError, match="is not a path of this machine"):
            take(place)


@pytest.mark.parametrize("address", ["s4://b/x", "http://b/x", "s3://", "s3:///x", "file://host/x", "S33://b"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(SchemaError):
        location(address)


def test_paths_of_this_machine(tmp_path: Path) -> None:
    for text, path in (
        ("file:///tmp/x", "/tmp/x"),
        ("file:/tmp/x", "/tmp/x"),
        ("file://localhost/tmp/x", "/tmp/x"),
        ("FILE:///tmp/100%", "/tmp/100%"),
        ("in/a:b", "in/a:b"),
        ("odd:/x", "odd:/x"),
    ):
        assert location(text) == Path(path)
    assert joined(tmp_path, "in") == tmp_path / "in"
    assert joined(tmp_path, "../in") == tmp_path / "../in"
    assert joined("s3://b/jobs", "/in") == Path("/in")
    assert joined("s3://b/jobs", "file:///in") == Path("/in")


@pytest.mark.parametrize(
    "command", [["demo", "--directory", "s3://b/x"], ["nexmark", "generate", "s3://b/x"], ["new", "s3://b/x"]]
)
def test_no_command_makes_a_directory_of_an_address(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(cli, command)
    assert told.exit_code == 2 and "is not on this machine" in told.output, told.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [["infer", "s3://b/x/*.json"], ["sql", "SELECT * FROM 's3://b/x/*.json'"]])
def test_columns_are_inferred_on_this_machine(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PunctumError) as caught:
        CliRunner().invoke(cli, command, catch_exceptions=False)
    assert caught.value.what == "'s3://b/x/*.json' is not on this machine"
    assert "path 's3://b/x'" in caught.value.hint
    (tmp_path / "a.json").write_text('{"k": 1}\n')
    told = CliRunner().invoke(cli, ["infer", f"file://{tmp_path}/*.json"])
    assert told.exit_code == 0 and "k BIGINT" in told.output, told.output


@pytest.mark.parametrize("command", ["state", "quarantine", "page"])
def test_a_command_whose_store_cannot_be_reached(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    with pytest.raises(QueryError, match="s3://unreachable/x cannot be read") as caught:
        CliRunner().invoke(cli, [command, "s3://unreachable/x"], catch_exceptions=False)
    assert "the store cannot be reached" in caught.value.detail


def test_a_scheme_that_is_misspelt_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.sql").write_text("")
    told = CliRunner().invoke(cli, ["run", "q.sql", "--checkpoint", "s4://b/x"])
    assert told.exit_code == 2 and "did you mean s3://?" in told.output, told.output
    assert [path.name for path in tmp_path.iterdir()] == ["q.sql"]


@pytest.mark.parametrize("what", ["STREAM s (k BIGINT)", "TABLE s (k BIGINT)", "SINK s"])
def test_a_scheme_that_is_misspelt_in_a_script(what: str) -> None:
    """Known when the script is read, so that no Spark starts for it."""
    with pytest.raises(SqlError) as caught:
        parse_script(f"CREATE {what} USING json OPTIONS (path 's4://b/x');")
    assert caught.value.what == "path of s: there is no storage s4://" and caught.value.hint == "did you mean s3://?"


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("import os; os.write(2, b'terminate\\n  what():  no token.\\n'); os.abort()", "access denied: no token."),
        ("import os; os.abort()", "its client ended with -6"),
        ("raise OSError('an error like others')", None),
    ],
)
def test_a_client_that_ends_its_process(program: str, says: str | None) -> None:
    """As Azure's does without credentials: another process has tried it before."""
    if says is None:
        check_client("abfss://c@a/", "c", program)
        return
    with pytest.raises(OSError) as caught:
        check_client("abfss://c@a/", "c", program)
    assert str(caught.value) == says
