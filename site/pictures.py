"""The pictures of the page of concepts, as SVG: ``make pictures`` writes them into docs."""

from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
ROW, PUNCT, LINE, OLD = "#dbe9f6", "#ffe0b3", "#555555", "#eeeeee"


def _svg(width: int, height: int, title: str, *parts: str) -> str:
    box = f"0 0 {width} {height}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="sans-serif" font-size="13">'
    arrow = (
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{LINE}"/></marker></defs>'
    )
    background = f'<rect width="{width}" height="{height}" fill="white"/>'
    return "\n".join([head, f"<title>{title}</title>", arrow, background, *parts, "</svg>"]) + "\n"


def _box(x: int, y: int, text: str, colour: str, width: int = 86) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="34" rx="5" fill="{colour}" stroke="{LINE}"/>'
        f'<text x="{x + width // 2}" y="{y + 22}" text-anchor="middle">{text}</text>'
    )


def _arrow(x1: int, y1: int, x2: int, y2: int) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{LINE}" stroke-width="1.5" marker-end="url(#a)"/>'


def _text(x: int, y: int, text: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{LINE}">{text}</text>'


def stream() -> str:
    """Rows and a punctuation, in time."""
    elements = (
        ("17: 5", ROW),
        ("18: 9", ROW),
        ("17: 2", ROW),
        ("no more 17", PUNCT),
        ("18: 1", ROW),
        ("no more 18", PUNCT),
    )
    boxes = [_box(20 + 104 * n, 40, text, colour) for n, (text, colour) in enumerate(elements)]
    told = [
        _text(20, 24, "bid (itemid: increase), the first on the left"),
        _arrow(20, 96, 620, 96),
        _text(620, 116, "time", "end"),
    ]
    return _svg(660, 130, "a stream of rows and punctuations", *boxes, *told)


def group() -> str:
    """What a group-by keeps, gives and passes on."""
    boxes = [
        _text(20, 24, "comes"),
        *(_box(20, 40 + 42 * n, text, ROW) for n, text in enumerate(("17: 5", "18: 9", "17: 2"))),
        _box(20, 166, "no more 17", PUNCT),
        _text(250, 24, "is kept"),
        _box(250, 70, "17: sum 7", OLD),
        _box(250, 124, "18: sum 9", ROW),
        _text(480, 24, "goes out"),
        _box(480, 70, "17: sum 7", ROW),
        _box(480, 124, "no more 17", PUNCT),
        _arrow(112, 98, 244, 98),
        _arrow(342, 87, 474, 87),
        _text(293, 64, "deleted", "middle"),
    ]
    return _svg(600, 215, "a group-by takes a punctuation", *boxes)


def graph() -> str:
    """Three streams of which each can be purged by chains of the others."""
    boxes = [
        _box(40, 40, "shop", ROW),
        _box(260, 40, "provider", ROW),
        _box(480, 40, "bank", ROW),
        _arrow(130, 50, 254, 50),
        _arrow(256, 66, 132, 66),
        _arrow(350, 50, 474, 50),
        _arrow(476, 66, 352, 66),
        _text(193, 40, "order_id", "middle"),
        _text(413, 40, "order_id", "middle"),
        _text(303, 104, "a row of shop is purged by provider, then by bank", "middle"),
    ]
    return _svg(606, 120, "a punctuation graph", *boxes)


PICTURES = {"concepts-stream": stream, "concepts-group": group, "concepts-graph": graph}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (DOCS / f"{name}.svg").write_text(draw(), encoding="utf-8")
        print(DOCS / f"{name}.svg")
