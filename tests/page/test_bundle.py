"""The front end that is shipped is what its sources build, and nothing in it comes from elsewhere when it runs."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES, BUILT = ROOT / "page", ROOT / "src" / "punctum" / "page" / "web"
INSTALLED = SOURCES / "node_modules" / ".bin" / "esbuild"


def test_the_bundle_is_what_the_sources_build(tmp_path: Path) -> None:
    if shutil.which("node") is None or not INSTALLED.exists():
        pytest.skip("what bundles the front end is not installed: make page, which needs npm")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=SOURCES, check=True)
    built, shipped = ({path.name: path.read_bytes() for path in place.iterdir()} for place in (tmp_path, BUILT))
    assert built.keys() == shipped.keys()
    assert [name for name in built if built[name] != shipped[name]] == [], "make page"


def test_the_sources_have_the_types_that_they_say() -> None:
    if shutil.which("node") is None or not INSTALLED.exists():
        pytest.skip("what checks the front end is not installed: make page, which needs npm")
    subprocess.run(["node_modules/.bin/tsc", "--noEmit"], cwd=SOURCES, check=True)


def test_all_packages_of_the_bundle_are_pinned() -> None:
    """Those that others need too: there is no lock file."""
    known = json.loads((SOURCES / "package.json").read_text())
    packages = known["dependencies"] | known["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in packages.values()), packages
    licences = (BUILT / "licenses.txt").read_text()
    assert all(f"{name} {version}\n" in licences for name, version in known["dependencies"].items())
    if INSTALLED.exists():
        needed = {
            name
            for package in known["dependencies"]
            for name in json.loads((SOURCES / "node_modules" / package / "package.json").read_text()).get(
                "dependencies", {}
            )
        }
        assert needed <= known["dependencies"].keys()


def test_nothing_is_loaded_from_elsewhere() -> None:
    page = (BUILT / "index.html").read_text()
    assert set(re.findall(r'(?:src|href)="([^"#]+)"', page)) == {"web/page.js", "web/page.css", "web/icon.svg", "api"}
    assert "url(" not in (BUILT / "page.css").read_text() and "@import" not in (BUILT / "page.css").read_text()
    addresses = set(re.findall(r"https?://[^\"'`\s)]+", (BUILT / "page.js").read_text()))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}, "names of XML, not addresses"
