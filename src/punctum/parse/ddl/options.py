"""The options of streams, tables and sinks: what there is for each format, and what it takes.

A definition's format and options are checked when they are read, so a script with a wrong one never starts. Names are
case-insensitive, as in Spark; behind the check they are spelled as they are here. ``docs/options.md`` is this table.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from math import isfinite

from punctum.errors import Place, SchemaError, SqlError, choices, nearest
from punctum.ir.definitions import KAFKA
from punctum.ir.references import FORMS, malformed, refers
from punctum.parse.binder.durations import duration
from punctum.storage.location import location

Given = Mapping[str, tuple[str, Place]]
"""Options as they are written: each value with the place of its option."""


class Takes(Enum):
    """What an option takes."""

    TEXT = "a string"
    DIRECTORY = "a directory, relative to the script, or an address such as s3://bucket/path"
    FILE = "a file or a directory, relative to the script, or an address such as s3://bucket/path"
    SWITCH = "true or false"
    COUNT = "an integer greater than 0"
    NUMBER = "a number greater than 0"
    SECONDS = "a number of seconds"
    DURATION = "a duration such as '10 seconds'"
    TOPIC = "a topic's name: up to 249 of the letters a to z and A to Z, digits, '.', '_' and '-'"
    VALUES = "json, csv or avro"
    OFFSETS = 'earliest, latest, or an offset for each partition, as in {"0": 15, "1": 7}'
    NULL = "a string without quotes, separators or line ends"
    SEPARATOR = "one ASCII character, but no quote or line end"
    REFERENCE = "a string, with ${env:NAME} for an environment variable and ${file:/path} for what a file holds"
    SENT = "json or csv"
    MISSING = "error or null"


@dataclass(frozen=True)
class Option:
    """An option: its name, what it takes and what it does; a definition without one that is needed is refused."""

    name: str
    takes: Takes
    does: str
    needed: bool = False


_CSV = (
    Option("header", Takes.SWITCH, "whether the first line holds the column names; false by default"),
    Option("sep", Takes.SEPARATOR, "the separator of values; a comma by default"),
    Option("nullValue", Takes.NULL, "the string for NULL; empty by default"),
)
_XML = (Option("rowTag", Takes.TEXT, "the XML element of a row; the name of the stream or table by default"),)
_KNOWN = (
    Option("rate", Takes.NUMBER, "rows per second, used to choose a join plan"),
    Option("punctuation_delay", Takes.DURATION, "how late punctuations arrive, used to choose a join plan"),
)
_MISSING = Option("missing", Takes.MISSING, "a row without a column: error (by default), or null, as if it were NULL")
_FILES = (
    Option("path", Takes.DIRECTORY, "the input directory, or a pattern of files; needed to run"),
    Option("recursive", Takes.SWITCH, "whether files in all directories below are read too; false by default"),
    _MISSING,
    Option("maxFilesPerTrigger", Takes.COUNT, "the maximum number of new files in a batch"),
    Option("settle", Takes.SECONDS, "a file is complete when it has not changed for this long, whatever it contains"),
    Option("forget", Takes.DURATION, "a file that has been gone for this long is forgotten; '7 days' by default"),
    Option("feedback", Takes.DIRECTORY, "where feedback for the stream's producer is written: what it may skip"),
    *_KNOWN,
)
_RATE = (
    Option("rowsPerSecond", Takes.COUNT, "rows per second"),
    Option("rowsPerBatch", Takes.COUNT, "rows per batch"),
    Option("rampUpTime", Takes.TEXT, "how long it takes to reach this rate"),
    Option("numPartitions", Takes.COUNT, "the number of tasks that produce the rows"),
    *_KNOWN,
)
_SOCKET = (
    Option("host", Takes.TEXT, "the host to connect to", needed=True),
    Option("port", Takes.COUNT, "the port to connect to", needed=True),
    *_KNOWN,
)
_NEXMARK = (
    Option("table", Takes.TEXT, "person, auction or bid", needed=True),
    Option("rate", Takes.COUNT, "events per second, of all three tables; 10000 by default"),
    Option("events", Takes.COUNT, "how many events there are, of all three tables; endless by default"),
    Option("seed", Takes.COUNT, "another seed gives other events; 1 by default"),
    Option("disorder", Takes.COUNT, "how many milliseconds late an event may come; none by default"),
    Option("every", Takes.COUNT, "after how many events punctuations come; 10000 by default"),
    _KNOWN[1],
)
_BROKERS = (
    Option("brokers", Takes.REFERENCE, "the brokers to ask first, separated by commas", needed=True),
    Option("topic", Takes.TOPIC, "the topic", needed=True),
    Option("user", Takes.REFERENCE, "the user; with one, SASL_SSL and PLAIN are the defaults"),
    Option("password", Takes.REFERENCE, "the user's password"),
)
_KAFKA = (
    *_BROKERS,
    Option("format", Takes.VALUES, "how values are written; json by default"),
    Option("startingOffsets", Takes.OFFSETS, "where a new query begins; earliest by default"),
    Option("maxOffsetsPerTrigger", Takes.COUNT, "the maximum number of messages in a batch, of all partitions"),
    Option("idle", Takes.DURATION, "a partition without messages for longer holds nothing back; none by default"),
    Option("avroSchema", Takes.TEXT, "the Avro schema of the values, as JSON; needed for avro"),
    Option(
        "confluent", Takes.SWITCH, "whether five bytes stand before an Avro value, as Confluent's serializers write it"
    ),
    *_CSV[1:],
    *_KNOWN,
)
_RESULT = (
    Option("punctuations", Takes.SWITCH, "whether punctuations are written too; false by default"),
    Option("elements", Takes.SWITCH, "whether elements of a temporal stream are written, instead of its final events"),
    Option("updates", Takes.SWITCH, "whether a group, or a rank, is emitted again when it changes (update mode)"),
    Option("feedback", Takes.TEXT, "directories, separated by commas, with feedback of readers: what they do not need"),
)
_DIRECTORY = (Option("path", Takes.DIRECTORY, "the output directory", needed=True), *_RESULT)
_COMPACT = Option("compact", Takes.SWITCH, "whether the files of a batch become one, in each directory")
_UPDATES = tuple(option for option in _RESULT if option.name in ("updates", "feedback"))
_DELTA = (Option("path", Takes.DIRECTORY, "the table's directory", needed=True), *_UPDATES)
_ICEBERG = (Option("table", Takes.TEXT, "the table, with its catalog", needed=True), *_UPDATES)
_POSTGRES = (
    Option("url", Takes.REFERENCE, "the database, as a libpq connection string", needed=True),
    Option("password", Takes.REFERENCE, "the password, when it is not in the url"),
    Option("table", Takes.TEXT, "the table, with its schema if needed", needed=True),
    Option("key", Takes.TEXT, "the key columns, separated by commas: a row replaces the one with the same key"),
    *_RESULT,
)
_TOPIC = (
    *_BROKERS,
    Option("format", Takes.SENT, "how values are written; json by default"),
    Option("key", Takes.TEXT, "the columns of a message's key, separated by commas; rows of a key share a partition"),
    *_CSV[1:],
    *(option for option in _RESULT if option.name != "elements"),
)
_TABLE = (
    Option("path", Takes.FILE, "the input, read when a query starts", needed=True),
    Option("refresh", Takes.SWITCH, "whether a join reads it again when its files change; false by default"),
    Option("maxMegabytes", Takes.COUNT, "how large it may be, in its files and in memory; 512 by default"),
)

OPTIONS: Mapping[str, Mapping[str, tuple[Option, ...]]] = {
    "stream": {
        "json": _FILES,
        "csv": (*_FILES, *_CSV),
        "parquet": _FILES,
        "xml": (*_FILES, *_XML),
        "rate": _RATE,
        "socket": _SOCKET,
        "memory": _KNOWN,
        "nexmark": _NEXMARK,
        KAFKA: _KAFKA,
    },
    "table": {
        "json": (*_TABLE, _MISSING),
        "csv": (*_TABLE, _MISSING, *_CSV),
        "parquet": (*_TABLE, _MISSING),
        "xml": (*_TABLE, _MISSING, *_XML),
    },
    "sink": {
        "json": (*_DIRECTORY, _COMPACT),
        "csv": (*_DIRECTORY, _COMPACT, *_CSV),
        "parquet": (*_DIRECTORY, _COMPACT),
        "delta": _DELTA,
        "iceberg": _ICEBERG,
        "postgres": _POSTGRES,
        KAFKA: _TOPIC,
        "console": _RESULT,
    },
}
"""The options of each format, of streams, of tables and of sinks."""
DISTINCT = "distinct."
"""An option of streams begins so, and goes on with a column: how many values it has at a time."""
CLIENT = "kafka."
"""An option of a topic begins so that is passed on to librdkafka without this prefix."""
_OURS = {
    "bootstrap.servers": "write brokers",
    "auto.offset.reset": "write startingOffsets",
    **dict.fromkeys(
        ("group.id", "transactional.id", "enable.idempotence", "enable.auto.commit", "isolation.level", "acks"),
        "it is what exactly once rests on",
    ),
    "enable.partition.eof": "it says where a topic ends",
}
"""Those that are not passed on, with the reason."""


def checked(what: str, name: str, format_: str, options: Given, place: Place) -> tuple[str, dict[str, str]]:
    """The format and the options of a stream, table or sink, as they are spelled; the place is that of the format."""
    known = OPTIONS[what]
    if format_.lower() not in known:
        raise SqlError(
            f"the format {format_} of {name} is not supported", choices(known), nearest(format_, known), place
        )
    taken = {option.name.lower(): option for option in known[format_.lower()]}
    given = {}
    for key, (value, at) in options.items():
        option = taken.get(key.lower())
        if what == "stream" and key.lower().startswith(DISTINCT):
            option = Option(key, Takes.NUMBER, "")
        if format_.lower() == KAFKA and key.lower().startswith(CLIENT):
            option = Option(key.lower(), Takes.REFERENCE, "")
            if (reason := _OURS.get(key.lower().removeprefix(CLIENT))) is not None:
                raise SqlError(f"{key} of {name} cannot be set", "", reason, at)
        if option is None:
            names = [o.name for o in taken.values()]
            raise SqlError(f"the {what} {name} has no option {key}", choices(names), nearest(key, names), at)
        _check_references(option, name, value, at)
        if not _FITS[option.takes](value):
            raise SqlError(f"{option.name} of {name} is {value!r}", "", option.takes.value, at)
        if option.takes in (Takes.DIRECTORY, Takes.FILE):
            _check_address(option, name, value, at)
        given[option.name] = value
    for option in taken.values():
        missing = not given.get(option.name) if format_.lower() == KAFKA else option.name not in given
        if option.needed and missing:
            raise SqlError(f"the {what} {name} has no {option.name}", "", f"OPTIONS ({option.name} '…')", place)
    if given.get("format", "").lower() == "avro" and "avroSchema" not in given:
        raise SqlError(f"the {what} {name} has no avroSchema", "", "OPTIONS (avroSchema '{…}')", place)
    if (null := given.get("nullValue")) and given.get("sep", ",").replace("\\t", "\t") in null:
        at = next(at for key, (_, at) in options.items() if key.lower() == "nullvalue")
        raise SqlError(f"nullValue of {name} is {null!r}", "the separator is in it", Takes.NULL.value, at)
    return format_.lower(), given


def _check_references(option: Option, name: str, value: str, at: Place) -> None:
    """Refuse what refers to something and does not stand for a connection, and what only looks like a reference."""
    if option.takes is not Takes.REFERENCE and refers(value):
        hint = "write the value; options of connections to Kafka and Postgres can refer to something"
        raise SqlError(f"{option.name} of {name} takes no reference", "", hint, at)
    if option.takes is Takes.REFERENCE and (wrong := malformed(value)):
        raise SqlError(f"{wrong} in {option.name} of {name} is not a reference", "", FORMS, at)


def _check_address(option: Option, name: str, value: str, at: Place) -> None:
    """Refuse an address that is none: before anything starts, and nothing of that name is ever made."""
    try:
        location(value)
    except SchemaError as error:
        raise SqlError(f"{option.name} of {name}: {error.what}", error.detail, error.hint, at) from None


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text)) and float(text) > 0
    except ValueError:
        return False


def _is_duration(text: str) -> bool:
    try:
        duration(text, Place())
    except SqlError:
        return False
    return True


def _is_offsets(text: str) -> bool:
    try:
        given = json.loads(text)
    except ValueError:
        return False
    if not isinstance(given, dict) or not given:
        return False
    return all(key.isdecimal() and type(at) is int and at >= 0 for key, at in given.items())


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


_FITS: Mapping[Takes, Callable[[str], bool]] = {
    Takes.TEXT: lambda _: True,
    Takes.DIRECTORY: bool,
    Takes.FILE: bool,
    Takes.SWITCH: lambda text: text.lower() in ("true", "false"),
    Takes.COUNT: _matches(r"0*[1-9]\d*"),
    Takes.NUMBER: _is_number,
    Takes.SECONDS: _matches(r"\d+(\.\d+)?"),
    Takes.DURATION: _is_duration,
    Takes.TOPIC: _matches(r"[a-zA-Z0-9._-]{1,249}"),
    Takes.VALUES: lambda text: text.lower() in ("json", "csv", "avro"),
    Takes.OFFSETS: lambda text: text.lower() in ("earliest", "latest") or _is_offsets(text),
    Takes.NULL: lambda text: not set(text) & set('"\r\n\0'),
    Takes.SEPARATOR: lambda text: (len(text) == 1 and text.isascii() and text not in '"\r\n\0') or text == "\\t",
    Takes.REFERENCE: lambda _: True,
    Takes.SENT: lambda text: text in ("json", "csv"),
    Takes.MISSING: lambda text: text.lower() in ("error", "null"),
}


def page() -> str:
    """The table as a page of the documentation."""
    lines = [
        "# Options",
        "",
        "The options in `OPTIONS (…)`, by statement and format. Names are case-insensitive.",
    ]
    for what, formats in OPTIONS.items():
        for format_, options in formats.items():
            lines += [
                "",
                f"## {what.capitalize()} `USING {format_}`",
                "",
                "| option | takes | what it does |",
                "|---|---|---|",
            ]
            lines += [f"| `{o.name}`{', needed' * o.needed} | {o.takes.value} | {o.does} |" for o in options]
            if format_ == KAFKA:
                lines += ["", f"Options that begin with `{CLIENT}` go to librdkafka without it ([kafka.md](kafka.md))."]
        if what == "stream":
            lines += [
                "",
                f"Every stream also takes `{DISTINCT}` with a column's name: how many values it has at a time.",
            ]
    return "\n".join(lines) + "\n"
