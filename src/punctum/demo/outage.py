"""What an electric company's monitors and phone bank send: zones without power in each hour, and calls about them."""

from collections.abc import Iterator
from random import Random
from typing import Any

from punctum.demo.example import STEPS, Elements, Example, punct

_ZONES = 400
_WATCHED = {"monitor1": range(1, 251), "monitor2": range(151, _ZONES + 1)}


def _steps() -> Iterator[dict[str, Elements]]:
    chance = Random(3)
    late: Elements = []  # calls about the hour before
    for hour in range(STEPS):
        last = hour == STEPS - 1
        out = [zone for zone in range(1, _ZONES + 1) if chance.random() < 0.2]
        sends = {
            name: _reports(chance, [zone for zone in out if zone in seen], hour) for name, seen in _WATCHED.items()
        }
        calls = _reports(chance, [zone for zone in out if chance.random() < 0.7], hour)
        half = len(calls) if last else len(calls) // 2
        over = {"monitor1": hour, "monitor2": hour, "phone": {"lt": hour}}  # the phone bank takes an hour longer
        sends["phone"] = [*late, *calls[:half]]
        late = calls[half:]
        yield {name: [*rows, punct() if last else punct(hour=over[name])] for name, rows in sends.items()}


def _reports(chance: Random, zones: list[int], hour: int) -> list[dict[str, Any]]:
    """One to four reports or calls for each zone."""
    return [{"zoneid": zone, "hour": hour} for zone in zones for _ in range(1 + int(4 * chance.random()))]


OUTAGE = Example(
    "outage",
    "a zone without power is emitted when the hour is over at the phone bank and nobody has called about it",
    _steps,
    "zone {zoneid} in hour {hour}",
)
