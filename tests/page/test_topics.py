"""What waits in topics: the ends that brokers tell, less what the last batch has read up to."""

import json
from collections.abc import Mapping
from pathlib import Path

from punctum.errors import QueryError
from punctum.page.topics import WaitingMessages

ENDS = {0: (0, 15), 1: (4, 9), 2: (2, 5)}


class Told:
    """Brokers that know one topic's ends, and no other topic."""

    def __init__(self, stream: str, options: Mapping[str, str], _: float) -> None:
        self._options = options

    def ends(self) -> dict[int, tuple[int, int]]:
        if self._options["topic"] != "bids":
            raise QueryError("the topic is unknown")
        return ENDS


def test_what_waits_is_what_no_batch_has_begun_to_read(tmp_path: Path) -> None:
    offsets = tmp_path / "offsets"
    offsets.mkdir()
    topics = {"bid": {"topic": "bids"}, "item": {"topic": "items"}}
    assert WaitingMessages(tmp_path, topics, Told).by_stream() == {"bid": None, "item": None}, "no batch has begun"
    for batch, upto in ((9, {"0": 3}), (10, {"0": 10, "1": 9})):
        told = {"files": {}, "topics": {"bid-1-0": {"next": upto}, "item-1-1": {"next": {"0": 7}}}}
        (offsets / str(batch)).write_text(f"v1\n{{}}\n{json.dumps(told)}\n")
    waiting = WaitingMessages(tmp_path, topics, Told).by_stream()
    assert waiting == {"bid": (15 - 10) + (9 - 9) + (5 - 2), "item": None}, "of a partition that is new, all of it"
    assert WaitingMessages(tmp_path, {}, Told).by_stream() == {}
