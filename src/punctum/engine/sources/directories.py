"""The directories of a query, those of its streams and of its sink: a wrong path is an error before Spark starts."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from punctum.analyse.safety.register import QueryAnalysis
from punctum.engine.formats.progress import READY
from punctum.engine.sources.chosen import ChosenNames, chosen_of
from punctum.errors import SchemaError
from punctum.ir.definitions import AllReported, SinkDef, StreamDef, TableColumn
from punctum.ir.punctuated import Punctuated
from punctum.ir.relations import Source
from punctum.ir.tree import Relation, transform, walk
from punctum.storage.location import Location, StorePath, joined


def check_directories(queries: Iterable[QueryAnalysis], directory: Location) -> None:
    """An error when a stream of one of some queries reads a directory that is not there, or a sink has no place."""
    for query in queries:
        made = set(control_directories(query, directory))
        for stream in query.streams:
            if stream.format in READY and "path" not in stream.options:
                raise SchemaError(f"the stream {stream.name} has no path", "it reads files", "OPTIONS (path '…')")
            path = directory_of(stream, directory)
            if path is not None and path not in made:
                check_directory(stream, path)
        if query.query.sink is not None and "path" in query.query.sink.options:
            _check_sink(query.query.sink, query.streams, directory)


def _check_sink(sink: SinkDef, streams: Iterable[StreamDef], directory: Location) -> None:
    """An error when a sink cannot have its directory, or when its results would be its input."""
    path = joined(directory, sink.options["path"])
    check_place(f"the directory of the sink {sink.name}", path)
    for stream in streams:
        read = directory_of(stream, directory)
        if read is not None and _reads(stream, read, path):
            what = f"the sink {sink.name} writes to the directory of {stream.name}, which its query reads"
            raise SchemaError(what, str(path), "name another path: the results would be read again")


def _reads(stream: StreamDef, read: Location, path: Location) -> bool:
    """Whether a stream that reads a directory finds the files of another one."""
    place, below = selected(stream, read)[0].resolve(), path.resolve()
    recursive = stream.options.get("recursive", "").lower() == "true"
    return place == below or (recursive and str(below).startswith(f"{place}/"))


def check_place(what: str, path: Location) -> None:
    """An error when a directory that is to be created is a file, or stands below one."""
    if isinstance(path, StorePath):
        return
    file = next((place for place in (path, *path.parents) if place.exists() and not place.is_dir()), None)
    if file is not None:
        raise SchemaError(f"{what} is {'' if file == path else 'below '}a file", str(file), "name another path")


def check_directory(stream: StreamDef, path: Location) -> None:
    """An error when the directory of a stream is not there; in a store it is while something is in it."""
    try:
        _check_directory(stream, selected(stream, path)[0])
    except OSError as error:
        detail = f"{path}: {error.strerror or error}"
        hint = "check the address and the credentials (docs/files.md)"
        raise SchemaError(f"the directory of the stream {stream.name} cannot be read", detail, hint) from None


def _check_directory(stream: StreamDef, path: Location) -> None:
    if isinstance(path, StorePath) and not path.is_file():
        next(path.iterdir(), None)  # a store that cannot be read says so
        return
    if not path.is_dir():
        what = "is a file" if path.exists() else "does not exist"
        hint = "name the directory that it is in" if path.exists() else "create it, or fix the path"
        raise SchemaError(f"the directory of the stream {stream.name} {what}", str(path), hint)


def directory_of(stream: StreamDef, directory: Location) -> Location | None:
    """The directory that a stream reads; nothing for one that is not of files."""
    path = stream.options.get("path")
    return joined(directory, path) if stream.format in READY and path is not None else None


def selected(stream: StreamDef, path: Location) -> tuple[Location, ChosenNames]:
    """The directory of a stream without the pattern in its path, and which files are taken below it."""
    return chosen_of(path, stream.options.get("recursive", "").lower() == "true")


def control_directories(query: QueryAnalysis, directory: Location) -> Iterator[Location]:
    """The directories in which merges are told of inputs that come and go: they are created when a query starts."""
    for merge, _ in query.cases:
        if merge.control is not None:
            yield joined(directory, merge.control.stream.options["path"])


def named_lists(query: QueryAnalysis) -> bool:
    """Whether a clause of a stream names a table, which is read when the query starts."""
    clauses = [clause for stream in query.streams for clause in stream.punctuates]
    lists = [clause.members for clause in clauses if isinstance(clause, AllReported)]
    lists += [node.members for node in walk(query.query.relation) if isinstance(node, Punctuated)]
    return any(isinstance(members, TableColumn) for members in lists)


def anchored(stream: StreamDef, directory: Location) -> StreamDef:
    """The stream with paths that do not depend on where a query runs, and so all that it is made of."""

    def of(node: Relation) -> Relation:
        return replace(node, stream=anchored(node.stream, directory)) if isinstance(node, Source) else node

    if stream.relation is not None:
        return replace(stream, relation=transform(stream.relation, of))
    path = directory_of(stream, directory)
    return stream if path is None else replace(stream, options={**stream.options, "path": str(path)})
