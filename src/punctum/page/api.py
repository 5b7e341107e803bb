"""What the page answers: itself, its JSON twin below ``api/``, and events.

Whatever takes a moment (compiling a script, reading a checkpoint) is done in a thread of its own, so that events go on.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import cache, partial
from importlib import resources
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from punctum.compile import compile
from punctum.errors import PunctumError
from punctum.page.events import Events
from punctum.page.feedback import Files, feedback_by_file
from punctum.page.register import LONGEST, explained, verdicts
from punctum.page.steps import steps
from punctum.page.stories import STORIES, story
from punctum.page.watched import WatchedQuery, error_fields
from punctum.page.work import MeasuredWork

_TYPES = {"js": "text/javascript", "css": "text/css", "txt": "text/plain", "svg": "image/svg+xml"}
_MOST_BYTES = 4 * LONGEST
_SHOW = 5
Queries = dict[str, WatchedQuery]


class PageAnswers:
    """The answers about some queries, to which others may be added; with controls or without."""

    def __init__(self, queries: Queries, control: bool, measured: Callable[[], dict[str, Any]]) -> None:
        self._queries, self._control, self._measured = queries, control, measured
        self.work = MeasuredWork()
        self.events = Events(queries, self.work)
        kinds: tuple[Callable[[str, str], Any], ...] = verdicts, explained
        self._compiling = {kind: asyncio.Semaphore(1) for kind in kinds}

    @property
    def routes(self) -> list[Route]:
        """All paths."""
        json_ = self._answered
        routes = [
            Route("/", self._page),
            Route("/web/{file}", self._file),
            Route("/api", self._index),
            Route("/api/events", self._events),
            Route("/api/server", json_(lambda _: self._measured())),
            Route("/api/queries", json_(lambda _: [self._summary(name) for name in self._queries])),
            Route("/api/queries/{name}/batches", json_(self._batches)),
            Route("/api/queries/{name}/state", json_(self._state)),
            Route("/api/queries/{name}/quarantine", json_(self._quarantine)),
            Route("/api/queries/{name}/feedback", json_(lambda r: feedback_by_file(self._files(r)))),
            Route("/api/queries/{name}/waiting", json_(lambda r: self._query(r).waiting())),
            Route("/api/queries/{name}", json_(lambda r: self._summary(self._named(r)) | self._picture(r))),
            Route("/api/check", partial(self._compile, verdicts), methods=["POST"]),
            Route("/api/explain", partial(self._compile, explained), methods=["POST"]),
            Route("/api/stories", json_(lambda _: [page_story.summary for page_story in STORIES])),
            Route("/api/stories/{name}", json_(lambda r: story(r.path_params["name"]).whole)),
            Route("/api/stories/{name}/steps", json_(self._steps)),
        ]
        if self._control:
            routes.insert(0, Route("/api/queries/{name}/control", self._controls, methods=["POST"]))
        return routes

    async def _page(self, request: Request) -> Response:
        page = _web("index.html").decode().replace("{nonce}", request.scope["state"]["nonce"])
        return HTMLResponse(page)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["file"]
        kind = _TYPES.get(name.rpartition(".")[2])
        try:
            return Response(_web(name), media_type=kind)
        except (OSError, ValueError):
            raise HTTPException(404) from None

    async def _index(self, _: Request) -> Response:
        return JSONResponse({"paths": [route.path for route in self.routes], "control": self._control})

    async def _events(self, _: Request) -> Response:
        return StreamingResponse(self.events.stream(), media_type="text/event-stream")

    def _answered(self, answer: Callable[[Request], Any]) -> Callable[[Request], Awaitable[Response]]:
        """A path that answers with data, computed in a thread; an error of ours is an answer too."""

        async def answered(request: Request) -> Response:
            try:
                return _Answer(await self.work.run(answer, request))
            except PunctumError as error:
                return _Answer(error_fields(error), 409)

        return answered

    def _named(self, request: Request) -> str:
        name = unquote(request.path_params["name"])
        if name not in self._queries:
            raise HTTPException(404, f"there is no query {name}")
        return name

    def _query(self, request: Request) -> WatchedQuery:
        return self._queries[self._named(request)]

    def _summary(self, name: str) -> dict[str, Any]:
        query = self._queries[name]
        batches = query.batches()
        last = batches[-1] if batches else None
        return {"name": name, "control": self._control and query.handles is not None, "last": last} | query.status()

    def _picture(self, request: Request) -> dict[str, Any]:
        return {"picture": self._query(request).notes.picture | {"name": self._named(request)}}

    def _files(self, request: Request) -> Files:
        files: Files = self._query(request).notes.picture.get("feedback", {})
        return files

    def _batches(self, request: Request) -> Any:
        since = _number(request, "since", -1)
        return [batch for batch in self._query(request).batches() if batch["batch"] > since]

    def _state(self, request: Request) -> Any:
        return self._query(request).state(_number(request, "show", _SHOW), "read" in request.query_params)

    def _quarantine(self, request: Request) -> Any:
        return self._query(request).quarantine(_number(request, "show", _SHOW))

    def _steps(self, request: Request) -> Any:
        return _travelled(request.path_params["name"])

    async def _compile(self, answer: Callable[[str, str], Any], request: Request) -> Response:
        body = await request.body()
        if len(body) > _MOST_BYTES:
            raise HTTPException(413, "the script is too long")
        sql = body.decode("utf-8", "replace")
        zone = request.query_params.get("zone", "UTC")
        async with self._compiling[answer]:  # one of a kind at a time, so that verdicts need not wait for plans
            return _Answer(await self.work.run(answer, sql, zone))

    async def _controls(self, request: Request) -> Response:
        """Stop a query, or let an input of its merge come or go: ``{"do": "attach", "input": "a", "since": 100}``."""
        query = self._query(request)
        if query.handles is None:
            raise HTTPException(409, "the query runs in another process")
        try:
            asked = json.loads(await request.body())
            what, name, since = asked["do"], asked.get("input"), asked.get("since")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise HTTPException(400, 'send {"do": "stop"}, "attach" or "detach"') from None
        handles = query.handles
        ways: dict[str, Callable[[], None]] = {
            "stop": handles.stop,
            "attach": partial(handles.attach, str(name), since),
            "detach": partial(handles.detach, str(name)),
        }
        do = ways.get(str(what))
        if do is None:
            raise HTTPException(400, 'send {"do": "stop"}, "attach" or "detach"')
        try:
            await self.work.run(do)
        except PunctumError as error:
            return _Answer(error_fields(error), 409)
        return _Answer({"done": what})


class _Answer(JSONResponse):
    """JSON with whatever a query may have in it."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        return int(text)
    except ValueError:
        raise HTTPException(400, f"{name} is not a number") from None


@cache
def _travelled(name: str) -> list[dict[str, Any]]:
    """What happens in the slices of a story."""
    page_story = story(name)
    (query,) = compile(page_story.sql).queries
    return steps(query, page_story.slices)


@cache
def _web(name: str) -> bytes:
    """A file of the front end, as it was built."""
    if "/" in name or name.startswith("."):
        raise ValueError(name)
    return resources.files("punctum.page").joinpath("web", name).read_bytes()


def application(answers: PageAnswers) -> Starlette:
    """The page as an application, without its guard."""
    return Starlette(routes=answers.routes)
