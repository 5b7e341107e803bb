"""The queries once more, for a database that has all events: what a run must have given when its streams have ended."""

from datetime import datetime, timedelta
from pathlib import Path

import duckdb

from punctum.algebra.values import Row

_PRICES = ("price < 10000", "price >= 10000 AND price < 1000000", "price >= 1000000")


def _banded(*counted: str) -> str:
    """How many of something there are, in total and in each band of prices."""
    bands = ["true", *_PRICES]
    return ", ".join(f"count({what}) FILTER ({band})" for what in counted for band in bands)


_WON = """
    SELECT a.*, b.bidder, b.price, b.dateTime AS bidTime,
        row_number() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.dateTime) AS place
    FROM auction a, bid b
    WHERE a.id = b.auction AND b.dateTime >= a.dateTime AND b.dateTime <= a.expires
"""
_DAY = "dateTime::DATE"
_CLOCK = "time_bucket(INTERVAL 10 SECONDS, moment)"
_TEN = "time_bucket(INTERVAL 10 SECONDS, dateTime)"

BATCH = {
    "q0": "SELECT * EXCLUDE (_punct) FROM bid",
    "q1": "SELECT auction, bidder, price * 0.908, dateTime, extra FROM bid",
    "q2": "SELECT auction, price FROM bid WHERE auction // 123 * 123 = auction",
    "q3": """SELECT name, city, state, auction.id FROM person, auction
        WHERE person.id = seller AND category = 10 AND (state = 'OR' OR state = 'ID' OR state = 'CA')""",
    "q4": f"SELECT category, avg(price) FROM ({_WON}) WHERE place = 1 GROUP BY category",
    "q5": """WITH starts AS (
            SELECT unnest(generate_series(
                time_bucket(INTERVAL 2 SECONDS, min(dateTime)) - INTERVAL 8 SECONDS, max(dateTime), INTERVAL 2 SECONDS
            )) AS start FROM bid
        ), counted AS (
            SELECT auction, start, count(*) AS bids
            FROM starts, bid WHERE dateTime >= start AND dateTime < start + INTERVAL 10 SECONDS GROUP BY ALL
        )
        SELECT auction, start, start + INTERVAL 10 SECONDS, bids FROM counted
        WHERE (start, bids) IN (SELECT (start, max(bids)) FROM counted GROUP BY start)""",
    "q6": f"""SELECT seller, id, (
            SELECT avg(price) FROM (
                SELECT price FROM ({_WON}) p
                WHERE p.place = 1 AND p.seller = w.seller AND (p.expires, p.id) <= (w.expires, w.id)
                ORDER BY p.expires DESC, p.id DESC LIMIT 10
            )
        ) FROM ({_WON}) w WHERE place = 1""",
    "q7": f"""SELECT auction, price, bidder, dateTime, extra FROM bid
        WHERE ({_TEN}, price) IN (SELECT ({_TEN}, max(price)) FROM bid GROUP BY {_TEN})""",
    "q8": f"""SELECT id, name, {_TEN} FROM person p WHERE EXISTS (
            SELECT 1 FROM auction a WHERE a.seller = p.id
            AND time_bucket(INTERVAL 10 SECONDS, a.dateTime) = time_bucket(INTERVAL 10 SECONDS, p.dateTime)
        )""",
    "q9": f"""SELECT id, itemName, initialBid, reserve, expires, seller, category, bidder, price, bidTime
        FROM ({_WON}) WHERE place = 1""",
    "q10": f"SELECT auction, bidder, price, dateTime, extra, {_DAY}, date_trunc('minute', dateTime) FROM bid",
    "q11": """WITH marked AS (
            SELECT bidder, dateTime, coalesce(
                dateTime - lag(dateTime) OVER (PARTITION BY bidder ORDER BY dateTime) > INTERVAL 10 SECONDS, true
            ) AS begins FROM bid
        ), numbered AS (
            SELECT *, sum(begins::INT) OVER (PARTITION BY bidder ORDER BY dateTime) AS session FROM marked
        )
        SELECT bidder, min(dateTime), max(dateTime) + INTERVAL 10 SECONDS, count(*) FROM numbered
        GROUP BY bidder, session""",
    "q12": f"""SELECT bidder, {_CLOCK}, {_CLOCK} + INTERVAL 10 SECONDS, count(*) FROM arrived GROUP BY ALL""",
    "q13": "SELECT auction, bidder, price, dateTime, 'value ' || mod(auction, 10000) FROM bid",
    "q14": """SELECT auction, bidder, price * 0.908, CASE
            WHEN hour(dateTime) IN (8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18) THEN 'day'
            WHEN hour(dateTime) IN (7, 19) THEN 'other' ELSE 'night'
        END, dateTime, len(regexp_extract_all(extra, 'c'))
        FROM bid WHERE price > 1000000 / 0.908 AND price < 50000000 / 0.908""",
    "q15": f"SELECT {_DAY}, {_banded('*', 'DISTINCT bidder', 'DISTINCT auction')} FROM bid GROUP BY ALL",
    "q16": f"""SELECT channel, {_DAY}, date_trunc('minute', max(dateTime)),
        {_banded("*", "DISTINCT bidder", "DISTINCT auction")} FROM bid GROUP BY ALL""",
    "q17": f"""SELECT auction, {_DAY}, {_banded("*")}, min(price), max(price), avg(price), sum(price)::BIGINT
        FROM bid GROUP BY ALL""",
    "q18": """SELECT auction, bidder, price, channel, url, dateTime, extra FROM bid
        QUALIFY row_number() OVER (PARTITION BY auction, bidder ORDER BY dateTime DESC, price DESC) = 1""",
    "q19": """SELECT auction, bidder, price, channel, url, dateTime, extra,
            row_number() OVER (PARTITION BY auction ORDER BY price DESC, dateTime) AS place
        FROM bid QUALIFY place <= 10""",
    "q20": """SELECT auction, bidder, price, channel, url, bid.dateTime, bid.extra, itemName, description, initialBid,
            reserve, auction.dateTime, expires, seller, category
        FROM auction, bid WHERE category = 10 AND id = auction""",
    "q21": r"""SELECT auction, bidder, price, channel, coalesce(
            map {'Apple': '0', 'Google': '1', 'Facebook': '2', 'Baidu': '3'}[channel],
            nullif(regexp_extract(url, 'channel_id=(\d+)', 1), '')
        ) AS id FROM bid WHERE id IS NOT NULL""",
    "q22": """SELECT auction, bidder, price, channel, split_part(url, '/', 4), split_part(url, '/', 5),
            split_part(url, '/', 6) FROM bid""",
}
"""All queries. One goes by the clock of who reads it: ``arrived`` has bids with the time of their slice."""


def time_of(number: int) -> datetime:
    """The time of the clock, in UTC, when a slice comes."""
    return datetime(2026, 11, 18, 12) + number * timedelta(seconds=7)


def answer(query: str, directory: Path) -> list[Row]:
    """The rows of a query over all files of a directory."""
    with duckdb.connect(config={"threads": 1}) as database:
        database.execute("SET TimeZone = 'UTC'")
        for table in ("person", "auction", "bid"):
            files = f"read_parquet('{directory / table}/*.parquet')"
            database.execute(f"CREATE VIEW {table} AS SELECT * FROM {files} WHERE _punct IS NULL")
        slices = enumerate(sorted((directory / "bid").iterdir()))
        timed = (f"SELECT *, TIMESTAMP '{time_of(n)}' AS moment FROM read_parquet('{file}')" for n, file in slices)
        arrived = " UNION ALL ".join(timed)
        database.execute(f"CREATE VIEW arrived AS SELECT * FROM ({arrived}) WHERE _punct IS NULL")
        return database.execute(BATCH[query]).fetchall()
