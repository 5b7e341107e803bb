r"""Looks at what there is, by short commands: ``\d``, ``\d bid``, ``\p``, ``\s``, ``\w``, ``\?``."""

from collections.abc import Iterator

from punctum.analyse.report.text import text
from punctum.engine.infer.ddl import typed
from punctum.engine.infer.inferred import InferredStream
from punctum.errors import SqlError, choices, nearest, printable
from punctum.ir.definitions import AccessOrder, AllReported, StreamDef
from punctum.ir.tree import show
from punctum.plan.explain import costs
from punctum.shell.answer import Answer
from punctum.shell.known import Known
from punctum.shell.saved import save, script_of
from punctum.storage.location import StorePath, location

HELP = r"""SELECT … ;           run a query, over files ('in/bid/*.json') or streams; a line that is empty runs it too
CREATE STREAM … ;    define a stream or a table for the queries that follow
\d                   the streams, tables and files that are known
\d NAME              the columns and promises of one
\p                   the plan and the verdict of the last query
\s                   what the last query kept when its files had ended
\w FILE              write the last query as a script for punctum run
\?                   this help
\q                   quit (Ctrl-D)"""
COMMANDS = {"\\d": "streams, or one of them", "\\p": "the plan", "\\s": "the state", "\\w": "write a script"}
COMMANDS |= {"\\?": "help", "\\q": "quit"}


class Looks:
    """Answers short commands; knows the last query and what it gave."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.sql = ""
        self.answer: Answer | None = None

    def lines(self, command: str) -> Iterator[str]:
        """What a command shows; an error for one that there is not."""
        word, _, rest = command.strip().partition(" ")
        rest = rest.strip().rstrip(";").strip("'\"`")
        match word:
            case "\\d" if rest:
                yield from self._one(rest)
            case "\\d":
                yield from self._all()
            case "\\p":
                yield from self._plan()
            case "\\s":
                yield from self._state()
            case "\\w":
                yield from self._write(rest)
            case "\\?" | "\\h" | "\\help":
                yield from HELP.splitlines()
            case _:
                raise SqlError(f"there is no command {word}", choices(COMMANDS), r"\? is help")

    def _all(self) -> Iterator[str]:
        known = self.known
        shown = [(name, _from(stream)) for name, stream in known.streams.items()]
        shown += [(name, f"table, {table.format} {table.options['path']}") for name, table in known.tables.items()]
        shown += [(f"'{name}'", inferred.sample.described) for name, inferred in known.files.items()]
        width = max((len(name) for name, _ in shown), default=0)
        yield from (printable(f"{name.ljust(width)}  {what}") for name, what in shown)
        if not shown:
            yield "nothing is known yet: name files in FROM, such as 'in/bid/*.json', or write CREATE STREAM"

    def _one(self, name: str) -> Iterator[str]:
        known = self.known
        streams = {n.lower(): stream for n, stream in known.streams.items()}
        tables = {n.lower(): table for n, table in known.tables.items()}
        if name.lower() in streams:
            yield from _stream(streams[name.lower()])
        elif name.lower() in tables:
            yield from _columns(tables[name.lower()].schema.attributes)
        elif name in known.files or "/" in name or "*" in name or (known.base / name).exists():
            inferred = known.look(name)
            yield from _stream(inferred.stream())
            yield from _sampled(inferred)
        else:
            names = [*known.streams, *known.tables, *known.files]
            raise SqlError(f"there is no stream {name}", choices(names), nearest(name, names))

    def _plan(self) -> Iterator[str]:
        query = self.known.ask(self._last())
        yield text([query.analysis], query.sql, every=True)
        yield "plan"
        yield from (f"  {line}" for line in show(query.query.relation).splitlines())
        yield "stages"
        yield from (f"  {line}" for line in query.explained)
        yield from costs(query.analysis, query.options.plan)

    def _state(self) -> Iterator[str]:
        if self.answer is None:
            raise SqlError("no query has run", "", "run one, then look at what it kept")
        if not self.answer.ended:
            yield "the query was stopped before its files had ended"
        for kept in self.answer.kept:
            yield printable(f"{kept.rows:>12,} rows {kept.punctuations:>8,} punctuations  {kept.label}")
        if not any(kept.rows for kept in self.answer.kept):
            yield "no row was kept when the files had ended: all was final by then"

    def _write(self, path: str) -> Iterator[str]:
        if not path:
            raise SqlError("\\w needs the name of a file", "", "\\w query.sql")
        file = location(path)
        if isinstance(file, StorePath):
            raise SqlError(f"{path} is not on this machine", "scripts are files of this machine", "\\w query.sql")
        save(script_of(self.known, self._last(), file.parent), file)
        yield f"wrote {path}; run it with: punctum run {path} --checkpoint checkpoint"

    def _last(self) -> str:
        if not self.sql:
            raise SqlError("there is no query yet", "", "write a SELECT first")
        return self.sql


def _from(stream: StreamDef) -> str:
    """Where a stream comes from."""
    if stream.relation is not None:
        return "stream of other streams"
    return f"stream, {stream.format} {stream.options.get('path', '')}".rstrip()


def _stream(stream: StreamDef) -> Iterator[str]:
    """The columns and promises of a stream."""
    yield from _columns(stream.schema.attributes)
    made = {clause.scheme: clause for clause in stream.punctuates}
    for names in stream.unique:
        yield f"UNIQUE ({', '.join(names)})"
    for scheme in dict.fromkeys(stream.schemes):
        clause = made.get(scheme)
        if clause is None and scheme.attributes not in stream.unique:
            yield f"PUNCTUATED {scheme}"
        elif isinstance(clause, AccessOrder):
            yield f"PUNCTUATE {scheme}".replace(" ON ", " ") + (f" DELAY {clause.delay}" if clause.delay else "")
        elif isinstance(clause, AllReported):
            yield f"PUNCTUATE {scheme}".replace(" ON ", " ") + f" WHEN ALL {clause.member} …"
        elif clause is not None:
            yield f"PUNCTUATE {scheme}".replace(" ON ", " ") + " WHEN …"
    if not stream.schemes and stream.relation is None:
        yield "promises nothing"


def _columns(attributes) -> Iterator[str]:  # type: ignore[no-untyped-def]
    width = max(len(attribute.name) for attribute in attributes)
    yield from (printable(f"{a.name.ljust(width)}  {typed(a)}") for a in attributes)


def _sampled(inferred: InferredStream) -> Iterator[str]:
    """What the columns of files are from."""
    yield f"from {inferred.sample.described}"
    yield from (printable(line) for line in (*inferred.columns.left_out.values(), *inferred.columns.notes))
