"""What the columns of each table are called, and their types in SQL."""

from collections.abc import Mapping

_TIME = "TIMESTAMP"

TYPES: Mapping[str, Mapping[str, str]] = {
    "person": {
        "id": "BIGINT",
        "name": "STRING",
        "emailAddress": "STRING",
        "creditCard": "STRING",
        "city": "STRING",
        "state": "STRING",
        "dateTime": _TIME,
        "extra": "STRING",
    },
    "auction": {
        "id": "BIGINT",
        "itemName": "STRING",
        "description": "STRING",
        "initialBid": "BIGINT",
        "reserve": "BIGINT",
        "dateTime": _TIME,
        "expires": _TIME,
        "seller": "BIGINT",
        "category": "BIGINT",
        "extra": "STRING",
    },
    "bid": {
        "auction": "BIGINT",
        "bidder": "BIGINT",
        "price": "BIGINT",
        "channel": "STRING",
        "url": "STRING",
        "dateTime": _TIME,
        "extra": "STRING",
    },
}
