"""NEXMark's queries as the other engines are asked them: Spark SQL where Spark can run a query, and Flink SQL.

Spark runs the SELECT of Punctum's script where it can. Where it has another form, it is here, with the output mode;
where that form is a part of the query, the part is named. In the last bid of q18, ties are left open, for these engines
are faster so.
"""

from typing import NamedTuple


class Different(NamedTuple):
    """A query that Spark runs in a form of its own."""

    mode: str
    part: str
    """Which part of the query it is, if it is not all."""
    sql: str


_BANDS = """COUNT(*) {bids}, COUNT(*) FILTER (WHERE price < 10000) {bids}1,
    COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000) {bids}2,
    COUNT(*) FILTER (WHERE price >= 1000000) {bids}3"""
_DISTINCT = """COUNT(DISTINCT {what}) {what}s, COUNT(DISTINCT {what}) FILTER (WHERE price < 10000) {what}1,
    COUNT(DISTINCT {what}) FILTER (WHERE price >= 10000 AND price < 1000000) {what}2,
    COUNT(DISTINCT {what}) FILTER (WHERE price >= 1000000) {what}3"""
BANDS = _BANDS.format(bids="bids")
COUNTS = ", ".join([BANDS, _DISTINCT.format(what="bidder"), _DISTINCT.format(what="auction")])

SAME = ("q0", "q1", "q2", "q3", "q10", "q13", "q14", "q20", "q21", "q22")
"""The queries that Spark runs as they are; of those that join, it keeps all rows."""
_WINNING = """FROM auction a JOIN bid b ON a.id = b.auction AND b.dateTime >= a.dateTime
    AND b.dateTime <= a.dateTime + INTERVAL 1 SECOND AND b.dateTime <= a.expires"""
_APART = """COUNT(*) bids, COUNT(*) FILTER (WHERE price < 10000) bids1,
    COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000) bids2, COUNT(*) FILTER (WHERE price >= 1000000) bids3,
    APPROX_COUNT_DISTINCT(bidder) bidders, APPROX_COUNT_DISTINCT(bidder) FILTER (WHERE price < 10000) bidders1,
    APPROX_COUNT_DISTINCT(bidder) FILTER (WHERE price >= 10000 AND price < 1000000) bidders2,
    APPROX_COUNT_DISTINCT(bidder) FILTER (WHERE price >= 1000000) bidders3,
    APPROX_COUNT_DISTINCT(auction) auctions, APPROX_COUNT_DISTINCT(auction) FILTER (WHERE price < 10000) auctions1,
    APPROX_COUNT_DISTINCT(auction) FILTER (WHERE price >= 10000 AND price < 1000000) auctions2,
    APPROX_COUNT_DISTINCT(auction) FILTER (WHERE price >= 1000000) auctions3"""
"""Spark counts no distinct values of a stream exactly."""
_SLIDING = "SELECT auction, window(dateTime, '10 seconds', '2 seconds') AS w, COUNT(*) AS bids FROM bid GROUP BY 1, 2"
SPARK = {
    "q4": Different(
        "append",
        "the winning price of each auction",
        f"SELECT a.id, a.category, MAX(b.price) AS final {_WINNING} GROUP BY a.id, a.category, a.dateTime",
    ),
    "q5": Different(
        "append",
        "",
        f"""SELECT c.auction, c.w.start, c.w.end, c.bids FROM ({_SLIDING}) c
        JOIN (SELECT w, MAX(bids) AS bids FROM ({_SLIDING}) GROUP BY w) m ON c.w = m.w AND c.bids = m.bids""",
    ),
    "q7": Different(  # a stream has one time: that of the window; the other is a number
        "append",
        "",
        """SELECT b.auction, b.price, b.bidder, b.at, b.extra FROM (SELECT auction, price, bidder, extra,
        UNIX_MICROS(dateTime) AS at, window(dateTime, '10 seconds') AS w FROM bid) b
        JOIN (SELECT window(dateTime, '10 seconds') AS w, MAX(price) AS price FROM bid GROUP BY 1) h
        ON b.w = h.w AND b.price = h.price""",
    ),
    "q8": Different(
        "append",
        "",
        """SELECT p.id, p.name, p.w.start FROM
        (SELECT id, name, window(dateTime, '10 seconds') AS w FROM person) p
        JOIN (SELECT seller, window(dateTime, '10 seconds') AS w FROM auction GROUP BY 1, 2) a
        ON p.id = a.seller AND p.w = a.w""",
    ),
    "q9": Different(
        "append",
        "",
        f"""SELECT a.id, MAX_BY(STRUCT(b.bidder, b.price, b.dateTime, a.itemName, a.initialBid, a.reserve, a.expires,
        a.seller, a.category), STRUCT(b.price, -UNIX_MILLIS(b.dateTime))) {_WINNING} GROUP BY a.id, a.dateTime""",
    ),
    "q11": Different(
        "append",
        "",
        "SELECT bidder, session_window, COUNT(*) FROM bid GROUP BY bidder, session_window(dateTime, '10 seconds')",
    ),
    "q6": Different(
        "append",
        "the winning price of each auction",
        f"SELECT a.id, a.seller, MAX(b.price) AS final {_WINNING} GROUP BY a.id, a.seller, a.dateTime",
    ),
    "q12": Different(
        "update",
        "",
        """SELECT bidder, window(at, '10 seconds'), COUNT(*) AS bids
        FROM (SELECT bidder, current_timestamp() AS at FROM bid) GROUP BY bidder, window(at, '10 seconds')""",
    ),
    "q15": Different(
        "update",
        "the same with approximate numbers of bidders and auctions",
        f"SELECT window(dateTime, '1 day'), {_APART} FROM bid GROUP BY window(dateTime, '1 day')",
    ),
    "q16": Different(
        "update",
        "the same with approximate numbers of bidders and auctions",
        f"""SELECT channel, window(dateTime, '1 day'), MAX(dateTime), {_APART}
        FROM bid GROUP BY channel, window(dateTime, '1 day')""",
    ),
    "q19": Different(
        "update",
        "",
        """SELECT auction, MAX_BY(STRUCT(bidder, price, channel, url, dateTime, extra), price, 10)
        FROM bid GROUP BY auction""",
    ),
    "q17": Different(
        "update",
        "",
        f"""SELECT auction, window(dateTime, '1 day'), {BANDS}, MIN(price), MAX(price), AVG(price), SUM(price)
        FROM bid GROUP BY auction, window(dateTime, '1 day')""",
    ),
    "q18": Different(
        "update",
        "",
        """SELECT auction, bidder, MAX_BY(STRUCT(price, channel, url, dateTime, extra), dateTime)
        FROM bid GROUP BY auction, bidder""",
    ),
}

REFUSED = {
    "q4": "the average of these by category: [STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION] Invalid streaming output "
    "mode: append. This output mode is not supported for streaming aggregations without watermark. With updates: "
    "Detected pattern of possible 'correctness' issue due to global watermark",
    "q6": "the average over ten rows: [NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING] Window function is not supported in "
    "AVG(PRICE) on streaming DataFrames/Datasets",
    "q15": "exact numbers: Distinct aggregations are not supported on streaming DataFrames/Datasets. Consider using "
    "approx_count_distinct() instead",
    "q16": "the same as of q15",
    "q18": "the script's ROW_NUMBER: [NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING]; it runs as MAX_BY, which gives "
    "updates",
    "q19": "the script's ROW_NUMBER: [NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING]; it runs as MAX_BY of ten rows, "
    "which gives updates",
}
"""What Spark 4.3 refuses of a query, in its words."""

_CSV = "WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
_TIME = "WATERMARK FOR dateTime AS dateTime"
FLINK_DDL = {
    "person": f"""CREATE TABLE person (id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING,
        state STRING, dateTime TIMESTAMP(3), extra STRING, {_TIME}) {_CSV}""",
    "auction": f"""CREATE TABLE auction (id BIGINT, itemName STRING, description STRING, initialBid BIGINT,
        reserve BIGINT, dateTime TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING,
        {_TIME}) {_CSV}""",
    "bid": f"""CREATE TABLE bid (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
        dateTime TIMESTAMP(3), extra STRING, arrived AS PROCTIME(), {_TIME}) {_CSV}""",
    "side": f"CREATE TABLE side (key BIGINT, `value` STRING) {_CSV}",
}
"""Where Flink reads its tables, in order."""
_HOPPING = """SELECT auction, window_start, window_end, COUNT(*) AS bids
    FROM TABLE(HOP(TABLE bid, DESCRIPTOR(dateTime), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
    GROUP BY auction, window_start, window_end"""
_TUMBLING = "TABLE(TUMBLE(TABLE {0}, DESCRIPTOR(dateTime), INTERVAL '10' SECOND))"
_DAY = "DATE_FORMAT(dateTime, 'yyyy-MM-dd')"
FLINK = {
    "q0": "SELECT auction, bidder, price, dateTime, extra FROM bid",
    "q1": "SELECT auction, bidder, 0.908 * price AS price, dateTime, extra FROM bid",
    "q2": "SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0",
    "q3": """SELECT p.name, p.city, p.state, a.id FROM auction a JOIN person p ON a.seller = p.id
        WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA')""",
    "q4": """SELECT category, AVG(final) AS price FROM (
            SELECT a.id, a.category, MAX(b.price) AS final FROM auction a JOIN bid b ON a.id = b.auction
            WHERE b.dateTime BETWEEN a.dateTime AND a.expires GROUP BY a.id, a.category
        ) GROUP BY category""",
    "q5": f"""SELECT c.auction, c.window_start, c.window_end, c.bids FROM ({_HOPPING}) c JOIN (
            SELECT window_start, window_end, MAX(bids) AS bids FROM ({_HOPPING}) GROUP BY window_start, window_end
        ) m ON c.window_start = m.window_start AND c.window_end = m.window_end AND c.bids = m.bids""",
    "q7": f"""SELECT b.auction, b.price, b.bidder, b.dateTime, b.extra FROM (
            SELECT auction, price, bidder, dateTime, extra, window_start, window_end FROM {_TUMBLING.format("bid")}
        ) b JOIN (
            SELECT window_start, window_end, MAX(price) AS price FROM {_TUMBLING.format("bid")}
            GROUP BY window_start, window_end
        ) h ON b.window_start = h.window_start AND b.window_end = h.window_end AND b.price = h.price""",
    "q8": f"""SELECT p.id, p.name, p.window_start FROM (
            SELECT id, name, window_start, window_end FROM {_TUMBLING.format("person")}
        ) p JOIN (
            SELECT seller, window_start, window_end FROM {_TUMBLING.format("auction")}
            GROUP BY seller, window_start, window_end
        ) a ON p.window_start = a.window_start AND p.window_end = a.window_end AND p.id = a.seller""",
    "q9": """SELECT id, itemName, initialBid, reserve, expires, seller, category, bidder, price, bidTime FROM (
            SELECT a.id, a.itemName, a.initialBid, a.reserve, a.expires, a.seller, a.category, b.bidder, b.price,
                b.dateTime AS bidTime,
                ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.dateTime) AS place
            FROM auction a JOIN bid b ON a.id = b.auction WHERE b.dateTime BETWEEN a.dateTime AND a.expires
        ) WHERE place <= 1""",
    "q10": f"""SELECT auction, bidder, price, dateTime, extra, {_DAY} AS `day`,
        DATE_FORMAT(dateTime, 'HH:mm') AS `minute` FROM bid""",
    "q11": """SELECT bidder, window_start, window_end, COUNT(*) AS bids FROM TABLE(
            SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(dateTime), INTERVAL '10' SECOND)
        ) GROUP BY bidder, window_start, window_end""",
    "q12": """SELECT bidder, window_start, window_end, COUNT(*) AS bids
        FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(arrived), INTERVAL '10' SECOND))
        GROUP BY bidder, window_start, window_end""",
    "q13": """SELECT b.auction, b.bidder, b.price, b.dateTime, s.`value`
        FROM bid b JOIN side s ON MOD(b.auction, 10000) = s.key""",
    "q14": """SELECT auction, bidder, 0.908 * price AS price,
            CASE WHEN HOUR(dateTime) BETWEEN 8 AND 18 THEN 'day'
                WHEN HOUR(dateTime) <= 6 OR HOUR(dateTime) >= 20 THEN 'night' ELSE 'other' END AS timeOfDay,
            dateTime, CHAR_LENGTH(extra) - CHAR_LENGTH(REPLACE(extra, 'c', '')) AS cs
        FROM bid WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000""",
    "q15": f"SELECT {_DAY} AS `day`, {COUNTS} FROM bid GROUP BY {_DAY}",
    "q16": f"""SELECT channel, {_DAY} AS `day`, MAX(DATE_FORMAT(dateTime, 'HH:mm')) AS `minute`, {COUNTS}
        FROM bid GROUP BY channel, {_DAY}""",
    "q17": f"""SELECT auction, {_DAY} AS `day`, {BANDS}, MIN(price) AS least, MAX(price) AS most, AVG(price) AS average,
        SUM(price) AS total FROM bid GROUP BY auction, {_DAY}""",
    "q18": """SELECT auction, bidder, price, channel, url, dateTime, extra FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY dateTime DESC) AS place FROM bid
        ) WHERE place <= 1""",
    "q19": """SELECT auction, bidder, price, channel, url, dateTime, extra, place FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS place FROM bid
        ) WHERE place <= 10""",
    "q20": """SELECT auction, bidder, price, channel, url, b.dateTime, b.extra, itemName, description, initialBid,
            reserve, a.dateTime AS opened, expires, seller, category
        FROM auction a JOIN bid b ON a.id = b.auction WHERE category = 10""",
    "q21": r"""SELECT auction, bidder, price, channel, id FROM (
            SELECT auction, bidder, price, channel, CASE channel WHEN 'Apple' THEN '0' WHEN 'Google' THEN '1'
                WHEN 'Facebook' THEN '2' WHEN 'Baidu' THEN '3'
                ELSE REGEXP_EXTRACT(url, 'channel_id=(\d+)', 1) END AS id FROM bid
        ) WHERE id IS NOT NULL""",
    "q22": """SELECT auction, bidder, price, channel, SPLIT_INDEX(url, '/', 3) AS a, SPLIT_INDEX(url, '/', 4) AS b,
        SPLIT_INDEX(url, '/', 5) AS c FROM bid""",
}
"""The queries in Flink SQL, but for q6, which it cannot run (FLINK-19059)."""
