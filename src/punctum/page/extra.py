"""Whether the page can be served: its server is an extra, which whoever only runs queries need not have."""

from importlib.util import find_spec

from punctum.errors import MissingError

_NEEDED = ("starlette", "uvicorn")


def check_extra() -> None:
    """An error when the page's server is not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        detail = f"{' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} not installed"
        raise MissingError("the page cannot be served", detail, "pip install 'punctum[page]'")
