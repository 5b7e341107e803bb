"""The pictures of the examples: after each slice, how many rows have come so far, and how many each query keeps.

``make pictures`` writes ``picture.svg`` into the directory of each example; no Spark is needed.
"""

import sys
from itertools import accumulate
from pathlib import Path

from punctum.testing import from_files, run_all

EXAMPLES = ("payments", "dedup", "sessions", "sensors", "changes", "fraud", "replicas")
HERE = Path(__file__).parent
COLOURS = ("#888888", "#1f77b4", "#d62728")
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 560, 260, 48, 36, 40, 150


def picture(name: str, here: Path = HERE) -> str:
    """The picture of an example, as SVG."""
    script = here / name / f"{name}.sql"
    files = from_files(script)
    slices = max(map(len, files.values()))
    came = [sum(_rows(paths[n]) for paths in files.values() if n < len(paths)) for n in range(slices)]
    lines = {"rows so far": list(accumulate(came))}
    lines |= {f"kept for {query}": outcome.kept for query, outcome in run_all(script, files).items()}
    return _drawn(name, lines)


def _rows(path: Path) -> int:
    return sum("$" not in line for line in path.read_text("utf-8").splitlines())


def _drawn(title: str, lines: dict[str, list[int]]) -> str:
    """Lines over the slices, each with its name beside its end."""
    slices, most = max(map(len, lines.values())), max(map(max, lines.values()))
    x = [LEFT + n * (WIDTH - LEFT - RIGHT) / max(1, slices - 1) for n in range(slices)]
    bottom = HEIGHT - BOTTOM

    def y(value: float) -> float:
        return bottom - value * (bottom - TOP) / max(1, most)

    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
        ' font-size="12">',
        f"<title>{title}: rows that have come, and rows that are kept</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-weight="bold">{title}</text>',
    ]
    for value in sorted({0, most // 2, most}):
        drawn.append(f'<line x1="{LEFT}" y1="{y(value):.0f}" x2="{x[-1]:.0f}" y2="{y(value):.0f}" stroke="#dddddd"/>')
        drawn.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.0f}" text-anchor="end">{value}</text>')
    for n, at in enumerate(x, 1):
        drawn.append(f'<text x="{at:.0f}" y="{bottom + 18}" text-anchor="middle">slice {n}</text>')
    taken = set[int]()
    for (name, values), colour in zip(lines.items(), COLOURS, strict=False):
        points = " ".join(f"{at:.0f},{y(value):.0f}" for at, value in zip(x, values, strict=False))
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        at = round(y(values[-1])) + 4
        while any(abs(at - other) < 14 for other in taken):
            at -= 14
        taken.add(at)
        drawn.append(f'<text x="{x[len(values) - 1] + 8:.0f}" y="{at}" fill="{colour}">{name}</text>')
    return "\n".join([*drawn, "</svg>"]) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:] or EXAMPLES:
        (HERE / name / "picture.svg").write_text(picture(name), encoding="utf-8")
        print(HERE / name / "picture.svg")
