"""What a notebook shows of a query: the verdict as the command line has it, and the punctuation graphs as a picture.

In: a query as the register knows it, and its SQL. Out: a piece of HTML that is well-formed XML too.
"""

from xml.sax.saxutils import escape

from punctum.analyse.report.drawing import svg
from punctum.analyse.report.text import text
from punctum.analyse.safety.register import QueryAnalysis


def html(query: QueryAnalysis, sql: str) -> str:
    """A query's verdict with every state, and below it the punctuation graph of each of its joins."""
    verdict = f"<pre>{escape(text([query], sql, every=True))}</pre>"
    graphs = f'<div style="background: white">{svg(query.joins)}</div>' if query.joins else ""
    return f"<div>{verdict}{graphs}</div>"
