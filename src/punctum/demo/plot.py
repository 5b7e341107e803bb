"""The plot of an example: rows kept after each step, with punctuations and without."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from punctum.demo.directory import Done
from punctum.errors import MissingError


def check_plots() -> None:
    """An error before anything runs, when the end of a run could not draw its plot."""
    if find_spec("matplotlib") is None:
        raise MissingError("matplotlib is not installed", "the demo draws plots", "pip install 'punctum[plots]'")


def draw(path: Path, title: str, done: Sequence[Done]) -> None:
    """Draw to a PNG file, which is there when it is complete."""
    import matplotlib as mpl  # here because it takes a second, and only the end of a run needs it

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    steps = [step.step for step in done]
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(steps, [step.without for step in done], "--", marker=".", label="without punctuations")
    kept = [float("nan") if step.kept is None else step.kept for step in done]
    axes.plot(steps, kept, marker=".", label="with punctuations")
    axes.set(title=title, xlabel="step", ylabel="rows kept", ylim=(0, None))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.3)
    axes.legend()
    part = path.with_name(f".{path.name}")
    figure.savefig(part, dpi=150, format="png")
    plt.close(figure)
    part.replace(path)
