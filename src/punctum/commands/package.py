"""``punctum package``: Punctum and what it needs as archives, for the machines of a cluster."""

import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

import click

from punctum.commands.running import LocalPath
from punctum.errors import MissingError

ARCHIVE, PURE, MAIN = "punctum.tar.gz", "punctum.zip", "main.py"
PROVIDED = ("pyspark", "py4j", "matplotlib")
"""What Spark brings itself, and what only draws the figures of demos."""
_PROGRAM = '"""What spark-submit runs: the command punctum."""\n\nfrom punctum.cli import main\n\nmain()\n'
_OWN = "punctum"
Content = dict[str, Path]
"""The files of an archive, by their names there."""
Sorted = Iterable[tuple[str, Path]]


@click.command()
@click.argument("directory", type=LocalPath(file_okay=False, path_type=Path))
@click.option("--with", "more", multiple=True, metavar="NAME", help="Another installed package; may be repeated.")
def package(directory: Path, more: tuple[str, ...]) -> None:
    """Write what the machines of a cluster need to run Punctum into a directory.

    punctum.tar.gz, for --archives, has Punctum and all that it needs except Python and Spark; punctum.zip, for
    --py-files, has Punctum alone; main.py is the program that spark-submit takes.
    """
    content = Content()
    for needed in needs([_OWN, *more]):
        content |= files_of(needed)
    directory.mkdir(parents=True, exist_ok=True)
    _write(directory / ARCHIVE, content, _tarred)
    write_pure(directory)
    (directory / MAIN).write_text(_PROGRAM)
    size = (directory / ARCHIVE).stat().st_size / (1 << 20)
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    click.echo(
        f"{directory / ARCHIVE}: {len(content):,} files, {size:.0f} MB, for Python {python} on machines like this"
    )
    click.echo(f"{directory / PURE}: Punctum alone\n{directory / MAIN}: the program for spark-submit")


def write_pure(directory: Path) -> None:
    """Write Punctum alone into a directory."""
    _write(directory / PURE, files_of(distribution(_OWN)), _zipped)


def needs(names: Iterable[str]) -> list[Distribution]:
    """Distributions of these names and all that they need, as installed; extras of Punctum as far as they are."""
    from packaging.requirements import Requirement

    distributions, todo, done = dict[str, Distribution](), [Requirement(name) for name in names], set[str]()
    while todo:
        wanted = todo.pop()
        key = wanted.name.lower().replace("_", "-")
        if key in PROVIDED or str(wanted) in done:
            continue
        done.add(str(wanted))
        try:
            distributions[key] = distribution(wanted.name)
        except PackageNotFoundError:
            hint = "install it here first: what is packaged is what is installed"
            raise MissingError(f"the package {wanted.name} is not installed", "", hint) from None
        every = [Requirement(text) for text in distributions[key].requires or ()]
        of = {"", *wanted.extras}
        todo += [r for r in every if r.marker is None or any(r.marker.evaluate({"extra": extra}) for extra in of)]
        if key == _OWN:
            todo += [
                r for r in every if r.marker is not None and r.name != _OWN and _is_optional(str(r.marker), r.name)
            ]
    return list(distributions.values())


def _is_optional(marker: str, name: str) -> bool:
    """Whether a requirement is one of an extra for users, and is there."""
    if "extra" not in marker or any(extra in marker for extra in ("dev", "testing", "plots", "docs")):
        return False
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


def files_of(dist: Distribution) -> Content:
    """The files of a distribution that programs import, by their names in an archive."""
    root = Path(str(dist.locate_file("")))
    content = {str(file): Path(str(file.locate())) for file in dist.files or () if _is_content(file)}
    if dist.name == _OWN and f"{_OWN}/__init__.py" not in content:  # it is installed as its source
        source = Path(__file__).parents[1]
        content |= {f"{_OWN}/{path.relative_to(source).as_posix()}": path for path in source.rglob("*")}
        content = {name: path for name, path in content.items() if path.is_relative_to(source) or "-info/" in name}
    return {name: path for name, path in content.items() if path.is_file() and _is_content(PurePosixPath(name))} or {
        path.name: path for path in root.glob(f"{dist.name}.py")
    }


def _is_content(file: PurePosixPath) -> bool:
    return not file.is_absolute() and ".." not in file.parts and "__pycache__" not in file.parts


def _tarred(path: Path, content: Sorted) -> None:
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, file in content:
            member = archive.gettarinfo(file, name)
            member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
            with file.open("rb") as opened:
                archive.addfile(member, opened)


def _zipped(path: Path, content: Sorted) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in content:
            archive.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)


def _write(path: Path, content: Content, made: Callable[[Path, Sorted], None]) -> None:
    """Write an archive, or put it in the place of the one that is there."""
    half = path.with_name(f".{path.name}.half")
    made(half, sorted(content.items()))
    half.replace(path)
