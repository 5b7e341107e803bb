"""A module imports its own room and rooms above it, imports inside functions included."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "punctum"
ROOMS = (
    "errors",
    "algebra",
    "iterators",
    "parse",
    "analyse",
    "plan",
    "operators",
    "lmerge",
    "engine",
    "session",
    "demo",
    "commands",
    "cli",
    "__main__",
)
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(source: str, package: str) -> Iterator[str]:
    """The full names of all modules that a source imports, wherever the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*parents, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{name.name}" for name in node.names)


def wrong(source: str, package: str, room: str) -> list[str]:
    """The imports that go to a room below, or to no room."""
    ours = [name.split(".") for name in imports(source, package) if name.split(".")[0] == "punctum"]
    rooms = {parts[1] for parts in ours if len(parts) > 1}
    allowed = ROOMS[: ROOMS.index(room) + 1]
    return sorted(rooms - set(allowed))


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(PACKAGE)))
def test_imports_go_up(module: Path) -> None:
    if module.parent == PACKAGE and module.stem == "__init__":
        assert list(imports(module.read_text(), "punctum")) == []
        return
    package = ".".join(("punctum", *module.relative_to(PACKAGE).parent.parts))
    assert wrong(module.read_text(), package, room_of(module)) == []


def test_the_check_sees_every_kind_of_import() -> None:
    def late(statement: str) -> list[str]:
        return wrong(f"def f():\n    {statement}\n", "punctum.algebra", "algebra")

    assert late("import punctum.engine.stages") == ["engine"]
    assert late("from punctum.engine import stages") == ["engine"]
    assert late("from punctum import cli") == ["cli"]
    assert late("from ..iterators import join") == ["iterators"]
    assert late("from punctum.algebra import pattern") == []
    assert late("import polars") == []


def test_every_room_is_on_the_map() -> None:
    text = (PACKAGE / "README.md").read_text()
    for module in MODULES:
        if module.stem != "__init__":
            room = room_of(module)
            assert f"`{room}.py`" in text or (f"`{room}/`" in text), room
            assert f"`{module.name}`" in text, f"{module.name} is not on the map"


@pytest.mark.parametrize("module", ["source", "pipe", "stage"])
def test_what_a_process_of_spark_starts_with_is_light(module: str) -> None:
    """One is started for each stream and each stage of a query, before its first batch."""
    heavy = {
        "pandas",
        "sqlglot",
        "networkx",
        "punctum.plan.physical.stages",
        "punctum.parse.script",
        "punctum.engine.runtime.build",
    }
    code = f"import sys, punctum.engine.{module}; print(*sorted({heavy!r} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
