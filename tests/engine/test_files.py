"""The door to all readers: files that are there and files that are not."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from engine.reading import elements, positions
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.formats.files import READERS, check_options
from punctum.engine.formats.read import LONGEST
from punctum.errors import MissingError, SchemaError

NS = Schema.of(n="BIGINT", s="STRING")
SAME = {
    "json": '{"n": 1, "s": "é"}\n{"$punct": {"n": 1}}\n',
    "csv": '1,é,\n,,"{""$punct"": {""n"": 1}}"\n',
    "xml": "<t><n>1</n><s>é</s></t><punct:t><n>1</n></punct:t>",
}
OPTIONS = {"path": "in", "rowTag": "t"}


@pytest.mark.parametrize("form", READERS)
def test_every_format_says_the_same(form: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if form == "parquet":
        pl.DataFrame({"n": [1, None], "s": ["é", None], "_punct": [None, '{"$punct": {"n": 1}}']}).write_parquet(path)
    else:
        path.write_text(SAME[form])
    read = READERS[form](path, NS, OPTIONS)
    assert elements(read, NS) == Counter([(1, "é"), Punctuation.of(NS, n=1)])
    assert read.rejected.is_empty()


@pytest.mark.parametrize("form", READERS)
def test_a_file_that_has_gone_is_an_error(form: str, tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="the file gone no longer exists") as caught:
        READERS[form](tmp_path / "gone", NS, OPTIONS)
    assert caught.value.hint


@pytest.mark.parametrize("form", READERS)
def test_a_directory_is_rejected(form: str, tmp_path: Path) -> None:
    assert READERS[form](tmp_path, NS, OPTIONS).rejected.rows() == [(0, "the file cannot be read: Is a directory", "")]


def test_what_may_not_be_read_is_rejected_and_what_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(error: OSError) -> None:
        def read_bytes(_: Path) -> bytes:
            raise error

        monkeypatch.setattr(Path, "read_bytes", read_bytes)

    failing(PermissionError(13, "Permission denied"))
    assert READERS["json"](tmp_path / "a", NS, {}).rejected.rows() == [
        (0, "the file cannot be read: Permission denied", "")
    ]
    failing(OSError(5, "Input/output error"))
    with pytest.raises(MissingError, match="the file a cannot be read"):
        READERS["json"](tmp_path / "a", NS, {})


@pytest.mark.parametrize("form", ["json", "csv", "xml"])
@pytest.mark.parametrize("content", [b"", b"\n\n\r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_holds_nothing(form: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    read = READERS[form](tmp_path / "file", NS, OPTIONS)
    assert (elements(read, NS), positions(read)) == (Counter(), [])


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("content", [b"\0", b"\0" * 4096, b"\xff\xfe\0", b"PAR1", b"{", b'"', b"<", b"\x1f\x8b\x08"])
def test_what_is_no_such_file_is_rejected(form: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    read = READERS[form](tmp_path / "file", NS, OPTIONS)
    assert elements(read, NS) == Counter()
    assert len(read.rejected) == 1


def test_a_rejected_text_is_whole_up_to_a_length(tmp_path: Path) -> None:
    texts = ["x" * LONGEST, "y" * (LONGEST + 1), "é" * 10 * LONGEST]
    (tmp_path / "file").write_text("\n".join(texts))
    assert READERS["json"](tmp_path / "file", NS, {}).rejected["text"].to_list() == [
        texts[0],
        texts[1][:-1] + "… (65,537 bytes)",
        texts[2][:LONGEST] + "… (1,310,720 bytes)",
    ]


@pytest.mark.parametrize("form", READERS)
def test_options_are_checked_before_anything_is_read(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as forbidden:
        for name in ("read_bytes", "open"):
            forbidden.setattr(Path, name, lambda *_: pytest.fail("a file is read"))
        check_options(form, NS, OPTIONS)
    with pytest.raises(MissingError):
        READERS[form](Path("gone"), NS, OPTIONS)


@pytest.mark.parametrize(
    ("form", "options"), [("csv", {"sep": ",,"}), ("csv", {"sep": '"'}), ("csv", {"header": "yes"}), ("xml", {})]
)
def test_a_wrong_option_is_named(form: str, options: dict[str, str]) -> None:
    with pytest.raises(SchemaError, match=f"the option {next(iter(options), 'rowTag')} is"):
        check_options(form, NS, options)
