"""References that are made of the code: commands with their exit codes, the Python API, and every error.

Each is a function that gives a page; the site asks for them when it is built, so they are never behind the code.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
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
Known = dict[str, list[ast.expr]]
"""What is assigned to names."""


def commands() -> str:
    """Every command, as its help has it, and the exit codes, as the code explains them."""
    assert FAILED == REFUSED
    told = [
        "# Commands and exit codes\n",
        "`punctum` is the command, `punctum COMMAND --help` says the same as this page.\n",
        "| exit code | meaning |\n|---|---|",
        "| 0 | all went well; `check`: every query is admitted; `run`: also when Ctrl-C or SIGTERM has stopped it |",
        f"| {FAILED} | `check`: a query is refused; `run`: a query is refused, or failed |",
        f"| {WRONG} | the script, the command or what it reads is wrong |",
        f"| {INTERRUPTED} | `demo`, `nexmark`: stopped by Ctrl-C; the same command resumes |\n",
    ]
    for path, alike in _commands(cli, "punctum"):
        command = alike.pop(path)
        told.append(f"## {path}\n\n{_usage(command, path)}")
        if alike:
            rows = "".join(f"| `{other}` | {_cell(each.help or '')} |\n" for other, each in alike.items())
            told.append(f"These take the same options:\n\n| command | |\n|---|---|\n{rows}")
    return "\n".join(told)


def _commands(group: click.Command, path: str) -> Iterator[tuple[str, dict[str, click.Command]]]:
    """Every command by its path, with those of its group that take the same behind it."""
    if not isinstance(group, click.Group):
        yield path, {path: group}
        return
    together: dict[Any, dict[str, click.Command]] = {}
    for name in sorted(group.commands) if group is cli else group.commands:
        command = group.commands[name]
        if group is cli:
            yield from _commands(command, f"{path} {name}")
        else:
            takes = tuple(option for parameter in command.params for option in parameter.opts)
            together.setdefault(takes, {})[f"{path} {name}"] = command
    for alike in together.values():
        yield next(iter(alike)), alike


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
    found: dict[str, dict[str, set[str]]] = {name: {} for name in kinds}
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))]
    constants = {name: values for tree in trees for name, values in _assigned(tree.body).items() if name.isupper()}
    for tree in trees:
        for call, known in _calls(tree, constants):
            if isinstance(call.func, ast.Name) and call.func.id in kinds and call.args:
                given = dict(zip(("what", "detail", "hint"), call.args, strict=False))
                given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
                for what in _texts(given["what"], known):
                    if re.search(r"\w", what.replace("…", "")):
                        hints = _texts(given["hint"], known) if "hint" in given else []
                        found[call.func.id].setdefault(what, set()).update(hint for hint in hints if hint)
    told = [
        "# Errors\n",
        "Every error has a line that says what happened, a detail, and a hint. `…` stands for what depends on the case."
        " [Troubleshooting](../troubleshooting.md) says more of those that are met most.\n",
    ]
    for name, messages in found.items():
        if messages:
            told.append(f"## {name}\n\n{_doc(kinds[name]).splitlines()[0]}\n\n| what it says | hint |\n|---|---|")
            shown = {what: "; or: ".join(sorted(of)) for what, of in messages.items()}
            told += [f"| {_plain(what)} | {_plain(hint)} |" for what, hint in sorted(shown.items())]
            told.append("")
    return "\n".join(told)


def _calls(tree: ast.Module, constants: Known) -> Iterator[tuple[ast.Call, Known]]:
    """All calls of a module, each with the names that are known where it stands: its function's, and constants."""
    outer = constants | _assigned(tree.body)
    todo: list[tuple[ast.AST, Known]] = [(tree, outer)]
    while todo:
        node, known = todo.pop()
        if isinstance(node, ast.FunctionDef):
            known = known | _assigned(list(ast.walk(node)))
        if isinstance(node, ast.Call):
            yield node, known
        todo += [(child, known) for child in ast.iter_child_nodes(node)]


def _assigned(nodes: Iterable[ast.AST]) -> Known:
    """What names are assigned, one by one or several at once."""
    known: Known = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            (target,), value = node.targets, node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            for name, given in pairs:
                if isinstance(name, ast.Name):
                    known.setdefault(name.id, []).append(given)
    return known


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, errors.PunctumError)


def _texts(node: ast.expr, known: Known, depth: int = 3) -> list[str]:
    """The texts that an expression of the source can be, with … for what is computed."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(_part(part, known) for part in node.values)]
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body, known, depth), *_texts(node.orelse, known, depth)]
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in _texts(value, known, depth)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == errors.nearest.__name__:
        return ["did you mean …?"]
    if isinstance(node, ast.Name) and depth:
        return [text for value in known.get(node.id, []) for text in _texts(value, known, depth - 1)]
    return []


def _part(part: ast.expr, known: Known) -> str:
    """A part of a formatted text: a constant by its text, all else by …."""
    inner = part.value if isinstance(part, ast.FormattedValue) else part
    texts = _texts(inner, known, 1) if not isinstance(inner, ast.Name) or inner.id.isupper() else []
    return texts[0] if len(texts) == 1 else "…"


def _plain(text: str) -> str:
    """A text in a cell, in which nothing is markup."""
    return re.sub(r"([\\`*_{}\[\]<>|$])", r"\\\1", " ".join(text.split()))


PAGES: dict[str, Callable[[], str]] = {"commands": commands, "python": python, "errors": every_error}
"""The pages, by their names."""
