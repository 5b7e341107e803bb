"""A script as the commands read it: its queries with what is known of them, or an error for what is wrong with it."""

from pathlib import Path
from typing import TYPE_CHECKING

from punctum.errors import SqlError

if TYPE_CHECKING:
    from punctum.analyse.register import Registered


def registered(path: Path) -> "tuple[tuple[Registered, ...], str]":
    """The queries of a script, and its text."""
    from punctum.analyse.register import verdict  # here because the SQL parser takes a moment to import
    from punctum.parse.script import parse_script

    try:
        script = parse_script(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise SqlError(f"{path.name} is no text in UTF-8", "", "save it as UTF-8") from None
    return verdict(script), script.text
