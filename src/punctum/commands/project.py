"""``punctum.toml``: options of ``punctum run`` that a project has written down.

The nearest one counts, in the directory of the script or above it. What the command line says counts more, and what
neither says is as without the file.

::

    [run]
    checkpoint = "state"
    master = "spark://master:7077"
    max-files = 100

    [run.conf]
    "spark.executor.memory" = "4g"
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from punctum.errors import QueryError, choices, nearest

FILE = "punctum.toml"
SECTION = "run"
_CONF = "conf"
_PATHS = ("checkpoint", "state", "package")
"""The options that are paths: those of a file are relative to it."""


class ProjectCommand(click.Command):
    """A command of a script that takes options from the project's file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the options of the file before those of the command line."""
        given, _, _ = self.make_parser(ctx).parse_args(list(args))
        script = given.get("script")  # what is not given has a mark of click's
        asked = any(name in args for name in ctx.help_option_names)
        file = project_file(Path(script)) if isinstance(script, str) and not asked else None
        if file is not None:
            known, conf = self._options(ctx, file)
            ctx.default_map = {**(ctx.default_map or {}), **known}
            args = [*(part for setting in conf for part in (f"--{_CONF}", setting)), *args]
        return super().parse_args(ctx, args)

    def _options(self, ctx: click.Context, file: Path) -> tuple[dict[str, Any], list[str]]:
        """The options of a file by the names of parameters, and apart from them the settings of Spark."""
        options = {p.opts[0].removeprefix("--"): p for p in self.params if isinstance(p, click.Option)}
        known, conf = dict[str, Any](), list[str]()
        for name, value in _section(file).items():
            if name not in options:
                raise _wrong(file, f"there is no option {name}", nearest(name, options) or choices(options))
            if name == _CONF:
                conf = list(_settings(file, value))
                continue
            option = options[name]
            value = _plain(file, name, value, option.is_flag)
            if name in _PATHS and "://" not in value:
                value = str(file.parent / value)
            try:
                option.process_value(ctx, value)
            except click.BadParameter as error:
                raise _wrong(file, f"{name}: {error.message}") from None
            assert option.name is not None
            known[option.name] = value
        return known, conf


def project_file(script: Path) -> Path | None:
    """The file of the project that a script belongs to, if there is one."""
    directories = script.absolute().parents
    return next((file for directory in directories if (file := directory / FILE).is_file()), None)


def _section(file: Path) -> Mapping[str, Any]:
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise _wrong(file, str(error)) from None
    for name in content:
        if name != SECTION:
            raise _wrong(file, f"there is no section {name}", nearest(name, [SECTION]) or f"write [{SECTION}]")
    section = content.get(SECTION, {})
    if not isinstance(section, dict):
        raise _wrong(file, f"{SECTION} is not a section", f"write [{SECTION}], and the options below it")
    return section


def _settings(file: Path, value: object) -> Iterator[str]:
    if not isinstance(value, dict):
        raise _wrong(file, "conf is not a section", f'write [{SECTION}.{_CONF}], and below it "spark.…" = "…"')
    for key, setting in value.items():
        if isinstance(setting, dict):
            raise _wrong(file, f"the setting {key} is in parts", 'write its name in quotes: "spark.executor.memory"')
        yield f"{key}={_plain(file, key, setting)}"


def _plain(file: Path, name: str, value: object, flag: bool = False) -> str:
    if isinstance(value, bool):
        if flag or name.startswith("spark."):
            return str(value).lower()
    elif isinstance(value, str | int | float) and not flag:
        return str(value)
    raise _wrong(file, f"{name} is {value!r}", "write true or false" if flag else "write a text or a number")


def _wrong(file: Path, detail: str, hint: str = "") -> QueryError:
    return QueryError(f"{file} is wrong", detail, hint)
