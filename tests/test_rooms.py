"""The rooms of the house: a module imports its own room and rooms above it, and each is on the map."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "punctum"
ROOMS = (
    "errors",
    "storage",
    "algebra",
    "spec",
    "ir.conjunctive",
    "ir.expressions",
    "ir.functions",
    "ir",
    "parse.lexer",
    "parse.binder",
    "parse.ddl",
    "parse",
    "analyse",
    "analyse.memory",
    "analyse.safety",
    "analyse.report",
    "plan.passes",
    "plan.joins",
    "plan.physical",
    "plan",
    "compile",
    "operators",
    "lmerge",
    "lmerge.specification",
    "nexmark",
    "engine.recovery",
    "engine.formats",
    "engine.exchange",
    "engine.kafka",
    "engine.sources",
    "engine.infer",
    "engine.sinks",
    "engine.runtime",
    "engine.feedback",
    "engine",
    "testing",
    "page",
    "query",
    "session",
    "demo",
    "shell",
    "commands",
    "cli",
    "__main__",
)
"""From top to bottom."""
ORACLES = ("spec", "lmerge.specification")
"""What the tests hold the rest against. Only their own modules import them: else a bug could be in both."""
LONGEST = 400
"""So many lines has a file at most."""
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(module: Path) -> str:
    """A module's name below ``punctum``; that of a package is its own."""
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(module) for module in MODULES}
OURS = {f"punctum.{name}" for name in NAMES if name}


def room_of(name: str) -> str | None:
    """The room of a module: the longest one that its name begins with."""
    return max((room for room in ROOMS if f"{name}.".startswith(f"{room}.")), key=len, default=None)


def imports(source: str, package: str) -> Iterator[str]:
    """The full names of all modules that a source imports, wherever the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*parents, *([node.module] if node.module else [])])
            named = [f"{module}.{name.name}" for name in node.names]
            inside = [name for name in named if name.removeprefix("punctum.") in NAMES]
            yield from inside
            if len(inside) < len(named):
                yield module


def wrong(source: str, package: str, room: str) -> list[str]:
    """The imports that go to a room below, to no room, or to an oracle from elsewhere."""
    ours = [name.removeprefix("punctum.") for name in imports(source, package) if name.startswith("punctum.")]
    allowed = [above for above in ROOMS[: ROOMS.index(room) + 1] if above == room or above not in ORACLES]
    return sorted({name for name in ours if room_of(name) not in allowed})


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(PACKAGE)))
def test_imports_go_up(module: Path) -> None:
    if module.parent == PACKAGE and module.stem == "__init__":
        return
    room = room_of(name_of(module))
    assert room is not None, "it is in no room"
    package = ".".join(("punctum", *module.relative_to(PACKAGE).parent.parts))
    assert wrong(module.read_text(), package, room) == []


def test_the_check_sees_every_kind_of_import() -> None:
    def late(statement: str, room: str = "algebra") -> list[str]:
        return wrong(f"def f():\n    {statement}\n", f"punctum.{room}", room)

    assert late("import punctum.engine.query") == ["engine.query"]
    assert late("from punctum.engine import query") == ["engine.query"]
    assert late("from punctum import cli") == ["cli"]
    assert late("from ..spec import join") == ["spec.join"]
    assert late("from punctum.algebra import pattern") == []
    assert late("import polars") == []
    assert late("from punctum.analyse.safety import states", "analyse.memory") == ["analyse.safety.states"]
    assert late("from punctum.engine import query", "engine.sinks") == ["engine.query"]


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in ORACLES])
def test_the_check_keeps_the_oracles_apart(room: str) -> None:
    """Whatever way a room reaches for an oracle, the test fails; the oracles themselves import their own."""
    for oracle in ORACLES:
        parent, _, last = f"punctum.{oracle}".rpartition(".")
        for statement in (f"import punctum.{oracle}", f"from {parent} import {last}", f"from {parent}.{last} import X"):
            assert wrong(f"def f():\n    {statement}\n", f"punctum.{room}", room) == [oracle]
            assert wrong(statement, f"punctum.{oracle}", oracle) == []


def package_of(name: str) -> str:
    """The sub-package of a module; a module in none stands for itself."""
    return name if (PACKAGE / name.replace(".", "/")).is_dir() else name.rpartition(".")[0] or name


def sub_packages(sources: dict[str, str]) -> dict[str, set[str]]:
    """Which sub-packages the modules of each import, given the sources of modules by their names."""
    graph: dict[str, set[str]] = {}
    for name, source in sources.items():
        package = f"punctum.{package_of(name)}"
        named = [other.removeprefix("punctum.") for other in imports(source, package) if other in OURS]
        graph.setdefault(package_of(name), set()).update({package_of(other) for other in named} - {package_of(name)})
    return graph


def test_sub_packages_have_no_import_cycle() -> None:
    """Also those that share a room."""
    modules = {name_of(module): module.read_text() for module in MODULES if name_of(module)}
    graph = sub_packages(modules)
    assert list(TopologicalSorter(graph).static_order())
    assert {"ir.functions", "ir.expressions"} <= graph["ir"], "the graph has the imports"
    with pytest.raises(CycleError):
        TopologicalSorter(sub_packages(modules | {"ir.functions.more": "from punctum.ir import tree"})).prepare()


FILES = [*MODULES, *(path for part in ("tests", "bench", "examples") for path in (ROOT / part).rglob("*.py"))]


def test_files_are_short() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in FILES}
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}


def test_a_class_name_means_one_thing() -> None:
    """An operator has one name as a node, in its specification and vectorised; all other names are defined once."""
    of: dict[str, set[str]] = {}
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.ClassDef):
                of.setdefault(node.name, set()).add(str(module.relative_to(PACKAGE)))
    forms = ({"spec", "operators"}, {"ir", "spec", "operators"}, {"ir/temporal.py", "lmerge"}, {"lmerge", ORACLE})
    for name, where in of.items():
        assert len(where) == 1 or {_form(path) for path in where} in forms, (name, where)
        assert len(where) == len({path.rpartition("/")[0] for path in where}), (name, where)


ORACLE = "lmerge/specification"


def _form(path: str) -> str:
    """The room of a class; temporal nodes have rooms of their own for their operators."""
    return path if path == "ir/temporal.py" else ORACLE if path.startswith(ORACLE) else path.partition("/")[0]


def test_every_room_is_on_the_map() -> None:
    text = (PACKAGE / "README.md").read_text()
    for module in MODULES:
        if module.stem != "__init__":
            room = room_of(name_of(module))
            assert room is not None
            assert f"`{room}.py`" in text or f"`{room.replace('.', '/')}/`" in text, room
            assert f"`{module.name}`" in text, f"{module.name} is not on the map"


@pytest.mark.parametrize(
    "module", ["sources.reader", "runtime.declared", "sources.source", "sources.pipe", "runtime.processor"]
)
def test_what_a_process_of_spark_starts_with_is_light(module: str) -> None:
    """One is started for each stream and each stage of a query, before its first batch."""
    heavy = {"pandas", "sqlglot", "networkx"} | (
        {"polars", "pyarrow", "numpy"} if module in ("sources.reader", "runtime.declared") else set()
    )
    heavy |= {f"punctum.{name}" for name in ("plan.physical.stages", "parse.script", "engine.runtime.build")}
    code = f"import sys, punctum.engine.{module}; print(*sorted({heavy!r} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == []
