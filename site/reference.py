"""References that are made of the code: commands with their exit codes, the Python API, and every error.

Each is a function that gives a page; the site asks for them when it is built, so they are never behind the code.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import click

import punctum
from punctum import errors, testing
from punctum.cli import FAILED, WRONG, cli
from punctum.commands.check import REFUSED
from punctum.commands.running import INTERRUPTED

SOURCE = Path(punctum.__file__).parent


def commands() -> str:
    """Every command, as its help has it, and the exit codes, as the code explains them."""
    told = [
        "# Commands and exit codes\n",
        "`punctum` is the command, `punctum COMMAND --help` says the same as this page.\n",
        "| exit code | meaning |\n|---|---|\n| 0 | all went well; `check`: every query is admitted |",
        f"| {FAILED} | a query failed while it ran |\n| {REFUSED} | `check`: a query is refused |",
        f"| {WRONG} | the script or the command is wrong |",
        f"| {INTERRUPTED} | stopped by Ctrl-C; the same command resumes |\n",
    ]
    for path, command in _commands(cli, "punctum"):
        told.append(f"## {path}\n\n{_usage(command, path)}")
    return "\n".join(told)


def _commands(group: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(group, click.Group):
        for name, command in sorted(group.commands.items()):
            yield from _commands(command, f"{path} {name}")
    else:
        yield path, group


def _usage(command: click.Command, path: str) -> str:
    context = click.Context(command, info_name=path)
    usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: ")
    options = [p.get_help_record(context) for p in command.params if isinstance(p, click.Option) and not p.hidden]
    rows = "".join(f"| `{_cell(name)}` | {_cell(text)} |\n" for name, text in filter(None, options))
    table = f"\n| option | |\n|---|---|\n{rows}" if rows else ""
    return f"```\n{usage}\n```\n\n{inspect.cleandoc(command.help or '')}\n{table}"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def python() -> str:
    """The public names, with their signatures and docstrings."""
    told = ["# Python\n", "What `import punctum` has. Examples are doctests: they run in the tests."]
    for name in ("Session", "Query"):
        told.append(_class(f"punctum.{name}", getattr(punctum, name)))
    told.append("## Errors\n\n" + _doc(errors))
    told.append("## punctum.testing\n\n[Test your scripts](../test-your-scripts.md) is its page.")
    for name in sorted(testing.__all__):
        thing = getattr(testing, name)
        told.append(
            _class(f"punctum.testing.{name}", thing)
            if inspect.isclass(thing)
            else _function(f"punctum.testing.{name}", thing, "###")
        )
    return "\n\n".join(told) + "\n"


def _class(name: str, thing: type) -> str:
    told = [f"## {name}\n\n```python\n{name.rpartition('.')[2]}{_signature(thing)}\n```\n\n{_doc(thing)}"]
    for member, value in vars(thing).items():
        if member.startswith("_"):
            continue
        if isinstance(value, property):
            told.append(f"### {member}\n\n{_doc(value.fget)}")
        elif inspect.isfunction(value):
            told.append(_function(member, value, "###"))
    return "\n\n".join(told)


def _function(name: str, function: Any, level: str) -> str:
    return f"{level} {name}\n\n```python\n{name.rpartition('.')[2]}{_signature(function)}\n```\n\n{_doc(function)}"


def _signature(thing: Any) -> str:
    text = str(inspect.signature(thing)).replace("(self, ", "(").replace("(self)", "()")
    text = re.sub(r": \*<class '[\w.]+'>", "", text)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)


def _doc(thing: Any) -> str:
    """A docstring as Markdown: its examples, and what follows a double colon, are blocks."""
    lines, told, inside = (inspect.getdoc(thing) or "").splitlines(), list[str](), False
    for line in lines:
        starts = line.startswith((">>>", "    ")) and not inside
        if starts:
            told += ["", "```python" if line.startswith(">>>") else "```"]
            inside = True
        elif inside and not line.strip():
            told.append("```")
            inside = False
        told.append(line.replace("``", "`") if not inside else dedent(line) if line.startswith("    ") else line)
    return "\n".join([*told, *(["```"] if inside else [])]).replace("::\n", ":\n")


def every_error() -> str:
    """Every error that is raised somewhere, by its kind: what it says, and what to do."""
    kinds = {name: value for name, value in vars(errors).items() if _is_error(value)}
    found: dict[str, dict[str, str]] = {name: {} for name in kinds}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds and node.args:
                what, hint = _text(node.args[0]), _text(node.args[2]) if len(node.args) > 2 else ""
                if re.search(r"\w", what.replace("…", "")):
                    found[node.func.id].setdefault(what, hint)
    told = [
        "# Errors\n",
        "Every error has a line that says what happened, a detail, and a hint. `…` stands for what depends on the case."
        " [Troubleshooting](../troubleshooting.md) says more of those that are met most.\n",
    ]
    for name, messages in found.items():
        if messages:
            told.append(f"## {name}\n\n{_doc(kinds[name]).splitlines()[0]}\n\n| what it says | hint |\n|---|---|")
            told += [f"| {_plain(what)} | {_plain(hint)} |" for what, hint in sorted(messages.items())]
            told.append("")
    return "\n".join(told)


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, errors.PunctumError)


def _text(node: ast.expr) -> str:
    """A text of the source, with … for what is computed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""


def _plain(text: str) -> str:
    """A text in a cell, in which nothing is markup."""
    return re.sub(r"([\\`*_{}\[\]<>|$])", r"\\\1", " ".join(text.split()))


PAGES: dict[str, Callable[[], str]] = {"commands": commands, "python": python, "errors": every_error}
"""The pages, by their names."""
