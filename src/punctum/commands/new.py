"""``punctum new``: a small project that runs as it is."""

import shutil
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from punctum.commands.running import LocalPath
from punctum.errors import QueryError

_NAMES = {"Makefile.txt": "Makefile", "README.txt": "README.md", "gitignore.txt": ".gitignore"}
_NAMES |= {"test_settled.txt": "test_settled.py"}
"""What files of the template are called in a project: here they are neither tests nor code."""


@click.command()
@click.argument("name", type=LocalPath(path_type=Path))
def new(name: Path) -> None:
    """Make a small project in a new directory NAME: a script, sample data, a test and a Makefile."""
    try:
        if name.exists() and (not name.is_dir() or any(name.iterdir())):
            raise QueryError(f"{name} exists already", "", "name a new directory")
        _copy(files("punctum") / "project", name, name.resolve().name)
    except OSError as error:
        raise QueryError(f"{name} cannot be made", error.strerror or "", "name another directory") from None
    click.echo(f"made {name}; next: cd {name} && make check try run")
    if shutil.which("punctum") is None:
        click.echo("the command punctum is not on the PATH: activate the environment in which it is installed")


def _copy(source: Traversable, to: Path, title: str) -> None:
    """The files of a template and those below it."""
    to.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, to / entry.name, title)
        else:
            text = entry.read_text(encoding="utf-8").replace("# NAME\n", f"# {title}\n")
            (to / _NAMES.get(entry.name, entry.name)).write_text(text, encoding="utf-8")
