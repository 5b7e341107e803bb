"""A query over files as a script for ``punctum run``: the streams that were inferred, a sink, and the query."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from punctum.engine.infer.ddl import Commented, named
from punctum.engine.infer.inferred import InferredStream, scheme_text
from punctum.errors import QueryError
from punctum.ir.names import fresh
from punctum.parse.script import named_files
from punctum.shell.known import Known

_WORDS = re.compile(r"[^\W\d]\w*")


def script_of(known: Known, sql: str, directory: Path) -> str:
    """The script, whose paths start in the directory in which it will be."""
    _check(known, sql, directory)
    names, taken = dict[str, str](), list(known.streams)
    for pattern in dict(named_files(sql)):
        names[pattern] = stream_name(pattern, taken)
        taken.append(names[pattern])
    streams = [created(known.files[pattern], name, directory=directory) for pattern, name in names.items()]
    for pattern, place in reversed(named_files(sql)):
        sql = sql[: place.start] + named(names[pattern]) + sql[place.end :]
    sink = fresh("result", taken)
    query = (
        f"CREATE SINK {sink} USING json OPTIONS (path 'out/{sink}');\n\nINSERT INTO {sink}\n{sql.strip().rstrip(';')};"
    )
    return "\n\n".join([*known.texts, *streams, query]) + "\n"


def _check(known: Known, sql: str, directory: Path) -> None:
    """An error when the script could not name what the query does."""
    files = dict(named_files(sql))
    streams = [stream.name for stream in known.compiled(sql).analysis.streams if stream.name not in files]
    if streams and known.scripts:
        hint = f"add it to {known.scripts[0]}: CREATE SINK … and INSERT INTO …"
        raise QueryError(f"the query reads {streams[0]}, which a script defines", "", hint)
    if known.texts and directory.resolve() != known.base.resolve():
        raise QueryError("the streams have paths of this directory", str(directory), "write the script here")


def save(script: str, path: Path) -> None:
    """Write a script, unless there is a file of its name."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(script)
    except FileExistsError:
        raise QueryError(f"{path} exists already", "", "name another file") from None
    except OSError as error:
        raise QueryError(f"{path} cannot be written", error.strerror or "", "name another file") from None


def stream_name(pattern: str, taken: Iterable[str] = ()) -> str:
    """A name for the stream of some files: that of their directory, or of the one file.

    >>> stream_name("in/bid/*.json"), stream_name("in/bid/2.json"), stream_name("bids.csv"), stream_name("*", ["files"])
    ('bid', 'bid', 'bids', 'files_2')
    """
    parts = [part for part in Path(pattern).parts if "*" not in part and "?" not in part and "[" not in part]
    words = (_WORDS.findall(Path(part).stem) for part in reversed(parts))
    return fresh(next(("_".join(part_words) for part_words in words if part_words), "files"), list(taken))


def created(
    inferred: InferredStream,
    name: str,
    clauses: Iterable[Commented] | None = None,
    directory: Path | None = None,
) -> str:
    """The CREATE STREAM of some files, by default with the punctuations that were seen in them.

    Its path starts where theirs do, or in another directory.
    """
    if clauses is None:
        clauses = [Commented(f"PUNCTUATED {scheme_text(terms)}") for terms in inferred.schemes]
    path, whole = inferred.files.directory
    if directory is not None:
        path = os.path.relpath(inferred.files.base / path, directory)
    lines = [f"-- columns from {inferred.sample.described} of '{inferred.files.pattern}'"]
    lines += [] if whole else [f"-- the stream reads all files of {path}, and not only these"]
    lines += [f"-- {why}" for why in (*inferred.columns.left_out.values(), *inferred.columns.notes)]
    return "\n".join([*lines, inferred.create(name, path, clauses)])
