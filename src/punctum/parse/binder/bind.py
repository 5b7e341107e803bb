"""Binding: the syntax of an expression as sqlglot reads it becomes an expression over the columns in scope."""

from collections.abc import Iterator
from typing import Protocol

from sqlglot import exp

from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.applied import apply
from punctum.ir.evaluate import computed
from punctum.ir.expressions import Expression, Literal
from punctum.ir.functions import FUNCTIONS, NAMES, call, suggested
from punctum.ir.functions.aggregates import AGGREGATES
from punctum.ir.functions.nested import field
from punctum.ir.time_windows import marks
from punctum.parse.binder.declared import parsed
from punctum.parse.binder.scope import Scope
from punctum.parse.binder.stamps import asked, batch_time
from punctum.parse.binder.syntax import BINARY, NODES, UNARY
from punctum.parse.binder.time_windows import bound
from punctum.parse.lexer.text import Text

DEEPEST = 100
ONLY_OVER = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Lag, exp.Lead)
"""Functions that are window functions and nothing else."""
_CASTS = ("tinyint", "smallint", "bigint", "decimal")
"""Types that Spark has as functions and sqlglot has not; of others it makes a CAST."""
_COLUMNS = ("SELECT", "GROUP BY", "ORDER BY")


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is an aggregate function."""
    if isinstance(node, exp.Any):
        return isinstance(node.this, exp.Paren)
    if isinstance(node, ONLY_OVER):
        return False
    return isinstance(node, exp.AggFunc) or (isinstance(node, exp.Anonymous) and node.name.lower() in AGGREGATES)


def aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    """The aggregate functions in a node, not those of subqueries and windows in it."""
    inside = node.walk(prune=lambda part: isinstance(part, exp.Query | exp.Window))
    return (part for part in inside if is_aggregate(part))


class WindowFunctions(Protocol):
    """What takes the window functions of a SELECT."""

    def column(self, node: exp.Window, binder: "Binder") -> Expression:
        """The column that a window function means."""


class Binder:
    """Binds expressions in one clause of a query; window functions too, where these are allowed."""

    def __init__(self, text: Text, scope: Scope, clause: str, around: Place) -> None:
        self.text, self.scope, self.clause, self.around = text, scope, clause, around
        self.depth = 0
        self.over: WindowFunctions | None = None
        self.stamps = False

    def place(self, node: exp.Expr) -> Place:
        """Where a node stands, or the clause around it."""
        return self.text.place(node) or self.around

    def refuse(self, what: str, node: exp.Expr, hint: str = "", detail: str = "") -> SqlError:
        """The error for what is not supported."""
        return SqlError(f"{what} not supported", detail, hint, self.place(node))

    def bind(self, node: exp.Expr | None) -> Expression:
        """The expression that a node means."""
        if not isinstance(node, exp.Expr):  # sqlglot lets some pass
            raise SqlError("the SQL cannot be parsed", f"something is missing in {self.clause}", "", self.around)
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                raise SqlError(
                    "an expression is nested too deeply", f"more than {DEEPEST} levels", "", self.place(node)
                )
            return self.node(node)
        finally:
            self.depth -= 1

    def node(self, node: exp.Expr) -> Expression:
        """One level of binding."""
        if (window := bound(self, node)) is not None:
            return self._of_row(window)
        if type(node) in BINARY:
            self.only(node, "this", "expression", "negate", "safe", "typed")
            args = self.bind(node.this), self.bind(node.expression)
            operation = computed(call(BINARY[type(node)], args, self.place(node)))
            return call("not", (operation,), operation.place) if node.args.get("negate") else operation
        if type(node) in UNARY:
            self.only(node, "this")
            return call(UNARY[type(node)], (self.bind(node.this),), self.place(node))
        if type(node) in NODES:
            return NODES[type(node)](self, node)
        if (time := asked(node)) is not None:
            return batch_time(time, None if self.stamps else self.clause, self.place(node))
        if isinstance(node, exp.Window) and self.over is not None:
            return self.over.column(node, self)
        if isinstance(node, exp.Anonymous) and node.name.lower() in (*self.text.functions, *NAMES):
            return self._called(node)
        if isinstance(node, exp.Anonymous) and node.name.lower() in _CASTS and len(node.expressions) == 1:
            return self.bind(exp.Cast(this=node.expressions[0], to=exp.DataType.build(node.name, dialect="spark")))
        raise self.unknown(node)

    def _called(self, node: exp.Anonymous) -> Expression:
        """A function by its name: the user's, or one of the table."""
        self.only(node, "this", "expressions")
        name, place = node.name.lower(), self.place(node)
        if name in self.text.functions:
            return apply(self.text.functions[name], self.all(*node.expressions), place)
        if len(node.expressions) == 3 and name in ("dateadd", "date_add"):
            raise self.refuse(f"{name.upper()} with a unit is", node, "write ts + INTERVAL 1 DAY, or DATE_ADD(day, 1)")
        if len(node.expressions) == 3 and name in ("datediff", "date_diff"):
            name = "timestampdiff"  # which is another name for it
        if name == "from_json" and len(node.expressions) == 2:
            return parsed(FUNCTIONS[name].taken(self.all(*node.expressions), place), place)
        units = [parameter.takes == "UNIT" for parameter in FUNCTIONS[name].parameters]
        parts = [n < len(units) and units[n] for n in range(len(node.expressions))]
        nodes = zip(node.expressions, parts, strict=True)
        return call(
            FUNCTIONS[name].name, [self._unit(part) if unit else self.bind(part) for part, unit in nodes], place
        )

    def _unit(self, node: exp.Expr) -> Expression:
        """A unit of time, which stands without quotes, or in them."""
        name = node.name if isinstance(node, exp.Column | exp.Literal | exp.Var) else ""
        return Literal(name, Type.STRING, place=self.place(node))

    def all(self, *nodes: exp.Expr | None) -> list[Expression]:
        """The expressions of some nodes, those that are there."""
        return [self.bind(node) for node in nodes if node is not None]

    def only(self, node: exp.Expr, *known: str) -> None:
        """Refuse a node that has more to it than what is known."""
        for key, value in node.args.items():
            if value and key not in known:
                what = f"{self.name(node)} with {key.strip('_').upper().replace('_', ' ')} is"
                raise self.refuse(what, node)

    def name(self, node: exp.Expr) -> str:
        """What the script calls a function or operator."""
        if isinstance(node, exp.Anonymous):
            return str(node.name).upper()
        place = self.text.place(node)
        written = self.text.sql[place.start :].split("(")[0].strip() if place else ""
        return written.upper() if written.isidentifier() else node.key.upper()

    def unknown(self, node: exp.Expr) -> SqlError:
        """The error for a node that is not supported, by its name."""
        if isinstance(node, exp.Window):
            what = f"a window function is not allowed in {self.clause}, nor within another one"
            return SqlError(what, "", "compute it in a subquery, or filter by it in QUALIFY", self.place(node))
        if isinstance(node, exp.Query | exp.Exists | exp.Subquery):
            return self.refuse(
                "subqueries in expressions are",
                node,
                "use EXISTS or IN (SELECT …) in WHERE, a JOIN, or a subquery in FROM",
            )
        if is_aggregate(node) or isinstance(node, exp.Filter):
            hint = "HAVING filters groups" if self.clause == "WHERE" else "aggregates are allowed in SELECT and HAVING"
            return SqlError(f"there is an aggregate function in {self.clause}", "", hint, self.place(node))
        if isinstance(node, ONLY_OVER):
            what, hint = f"{self.name(node)} is a window function", "add OVER (PARTITION BY … ORDER BY …)"
            return SqlError(f"{what}, and has no OVER here", "", hint, self.place(node))
        if isinstance(node, exp.Star):
            return SqlError("* is not allowed here", "", "name a column", self.place(node))
        if isinstance(node, exp.Func) and not isinstance(node, exp.Binary):
            name = self.name(node)
            return self.refuse(f"the function {name} is", node, suggested(name, tuple(self.text.functions)))
        if isinstance(node, exp.WithinGroup):
            return self.refuse("WITHIN GROUP is", node, "write PERCENTILE(x, 0.5)")
        name, bracket, _ = self.shown(node).partition("(")
        if bracket and name.isidentifier() and name.lower() not in NAMES:
            return self.refuse(f"the function {name} is", node, suggested(name, tuple(self.text.functions)))
        return self.refuse(f"{self.shown(node)} is", node, "supported: columns, literals, operators and functions")

    def shown(self, node: exp.Expr) -> str:
        """A node as Spark would write it, if sqlglot knows."""
        try:
            return node.sql("spark")
        except Exception:  # a half-read node; the underline shows it
            return node.key.upper()

    def column(self, node: exp.Column) -> Expression:
        """The column that a name means."""
        if (window := self._of_window(node)) is not None:
            return window
        if (field := self._of_struct(node)) is not None:
            return field
        if node.args.get("db") or node.args.get("catalog"):
            raise self.refuse("names of more than two parts are", node, "write table.column")
        if isinstance(node.this, exp.Star):
            raise SqlError("* is not allowed here", "", "name a column", self.place(node))
        self.only(node, "this", "table")
        return self.scope.column(node.name, node.table or None, self.place(node))

    def _of_struct(self, node: exp.Column) -> Expression | None:
        """A field of a column: ``address.city``, or ``s.address.city``; fields may have fields."""
        names = [part.name for part in node.parts]
        first = 1 if self.scope.names(names[0]) else 0
        if len(names) < first + 2 or isinstance(node.this, exp.Star) or not self.scope.has(names[first].lower()):
            return None
        expression = self.scope.column(names[first], names[0] if first else None, self.place(node))
        for name in names[first + 1 :]:
            expression = field(expression, name, self.place(node))
        return expression

    def _of_row(self, window: Expression) -> Expression:
        """What is said of a window; of one that is not a row's own alone, where rows may come more than once."""
        if self.clause not in _COLUMNS and any(marks(window)):
            hint = "name the window in a subquery, and its start here"
            raise SqlError(f"a window of several stands in {self.clause}", "", hint, window.place)
        return window

    def _of_window(self, node: exp.Column) -> Expression | None:
        """A bound of a window that a subquery has as columns: ``w.start``, or ``s.w.start``."""
        name = f"{node.table}.{node.name}"
        if not node.table or not self.scope.has(name.lower()) or (not node.db and self.scope.names(node.table)):
            return None
        return self.scope.column(name, node.db or None, self.place(node))
