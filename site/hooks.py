"""What the site has beside the pages of docs: references made of the code, examples, and links that stay inside.

mkdocs calls the functions by their names. A link to a file that is not on the site becomes the file's name.
"""

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "site"))

import reference  # noqa: E402  it stands beside this file

_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s:]+)(#[^)]*)?\)")
_EXAMPLES = "examples"


def on_config(config: Any) -> Any:
    """Pages that the menu does not name are guides: a new one needs no more than to be there."""
    listed = set(_listed(config.nav))
    pages = sorted(path.relative_to(config.docs_dir).as_posix() for path in Path(config.docs_dir).rglob("*.md"))
    new: list[Any] = [page for page in pages if page not in listed and not page.startswith("design/")]
    guides = next(part["Guides"] for part in config.nav if "Guides" in part)
    guides += new
    return config


def _listed(nav: Any) -> Iterator[str]:
    """All pages of a menu."""
    for part in nav if isinstance(nav, list) else nav.values():
        yield from [part] if isinstance(part, str) else _listed(part)


def on_files(files: Files, config: Any) -> Files:
    """Add the references and the examples, with their scripts and pictures; notes of decisions stay out of the menu."""
    for name, text in reference.PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text()))
    for page in sorted((ROOT / _EXAMPLES).rglob("README.md")):
        files.append(File.generated(config, page.relative_to(ROOT).as_posix(), content=_with_script(page)))
    for picture in sorted((ROOT / _EXAMPLES).rglob("*.svg")):
        files.append(File.generated(config, picture.relative_to(ROOT).as_posix(), content=picture.read_bytes()))
    return files


def _with_script(page: Path) -> str:
    """The page of an example, with its script at its end."""
    scripts = sorted(page.parent.glob("*.sql"))
    return page.read_text("utf-8") + "".join(f"\n## The script\n\n```sql\n{s.read_text('utf-8')}```\n" for s in scripts)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links that lead out of the site become text; those to directories lead to their first page.

    The first page lists all others, so it has no contents beside it, and room for its script.
    """
    here = posixpath.dirname(page.file.src_uri)
    if page.is_homepage:
        page.meta["hide"] = ["toc"]
    if here == "design":
        page.meta["search"] = {"boost": 0.2}  # whoever searches wants pages for users first

    def kept(link: re.Match[str]) -> str:
        shown, target, anchor = link.group(1), link.group(2), link.group(3) or ""
        path = posixpath.normpath(posixpath.join(here, target))
        if path.startswith("../"):  # docs is the root of the site; examples stand in it
            path = path.removeprefix("../")
        if target.startswith("../") and path == "README.md":
            path, anchor = "index.md", ""
        for known in (path, f"{path}/README.md"):
            file = files.get_file_from_path(known)
            if file is not None and file.inclusion.is_included():  # type: ignore[no-untyped-call]
                return f"[{shown}]({posixpath.relpath(known, here or '.')}{anchor})"
        return f"{shown}" if "`" in shown or shown == path else f"{shown} (`{path}`)"

    return _LINK.sub(kept, markdown)
