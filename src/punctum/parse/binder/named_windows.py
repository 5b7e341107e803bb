"""Named windows: a SELECT with ``WINDOW w AS (…)`` becomes one in which each OVER has what its name stands for."""

from sqlglot import exp

from punctum.errors import SqlError, choices, nearest
from punctum.parse.lexer.text import Text

_PARTS = {"partition_by": "PARTITION BY", "order": "ORDER BY", "spec": "frame"}
Windows = dict[str, exp.Window]


def write_out(node: exp.Select, text: Text) -> None:
    """Put the windows of the WINDOW clause where they are named, in SELECT, QUALIFY, ORDER BY and the clause itself."""
    known: Windows = {}
    for window in node.args.get("windows") or ():
        _write_out(window, known, text)
        if window.name.lower() in known:
            raise SqlError(f"the window {window.name} is defined twice", "", "rename one of them", text.place(window))
        known[window.name.lower()] = window
    parts = [*node.expressions, *(node.args[clause] for clause in ("qualify", "order") if node.args.get(clause))]
    for part in parts:
        for within in part.walk(prune=lambda inner: isinstance(inner, exp.Query)):
            if isinstance(within, exp.Window):
                _write_out(within, known, text)


def _write_out(window: exp.Window, known: Windows, text: Text) -> None:
    """Give a window that begins with a name what the window of that name has."""
    name = window.args.get("alias")
    if name is None:
        return
    base = known.get(name.name.lower())
    if base is None:
        names = [other.name for other in known.values()]
        hint = nearest(name.name, names) or "define it behind the SELECT: WINDOW w AS (…)"
        raise SqlError(f"there is no window {name.name}", choices(names) if names else "", hint, text.place(window))
    for key, shown in _PARTS.items():
        if base.args.get(key) and window.args.get(key):
            raise SqlError(f"the window {name.name} has its {shown} already", "", "leave it out", text.place(window))
        if base.args.get(key):
            window.set(
                key, [part.copy() for part in base.args[key]] if key == "partition_by" else base.args[key].copy()
            )
    window.set("alias", None)
