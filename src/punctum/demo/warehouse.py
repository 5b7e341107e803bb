"""What two temperature sensors in a warehouse send: a report a minute for sixty hours.

The first sends up to the minute, the second one or two hours late and an hour at a time.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from punctum.demo.example import STEPS, Elements, Example, punct

_MINUTES = 60 * 60


def _steps() -> Iterator[dict[str, Elements]]:
    chance = Random(1)
    sent = {"sensor1": 0, "sensor2": 0}
    for step in range(1, STEPS + 1):
        late = {"sensor1": int(60 * chance.random()), "sensor2": 60 + 60 * int(2 * chance.random())}
        sends: dict[str, Elements] = {}
        for name, start in sent.items():
            end = _MINUTES * step // STEPS - (late[name] if step < STEPS else 0)
            over = [punct(hour=hour) for hour in range(start // 60, end // 60)]
            sends[name] = [*(_report(chance, name, minute) for minute in range(start, end)), *over]
            sends[name] += [punct()] if step == STEPS else []
            sent[name] = end
        yield sends


def _report(chance: Random, name: str, minute: int) -> dict[str, Any]:
    """A temperature in tenths: warmest at noon, warmer at the second sensor, with some noise."""
    hour = minute // 60
    usual = 750 - 10 * abs(hour % 24 - 12) + (15 if name == "sensor2" else 0)
    tenths = usual + int(60 * chance.random())
    return {"sid": name, "hour": hour, "minute": minute % 60, "currtmp": tenths / 10}


WAREHOUSE = Example(
    "warehouse",
    "the highest temperature of an hour is emitted when both sensors have finished the hour",
    _steps,
    "hour {hour}: {maxtemp:.1f}",
)
