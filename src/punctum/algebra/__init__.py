"""Values only: patterns, punctuations, sets of them, schemes, and their text, JSON and XML forms."""

from punctum.algebra.functions import (
    Element,
    combine,
    match,
    nomatch,
    puncts,
    set_combine,
    set_match,
    set_match_ts,
    set_nomatch,
    set_nomatch_ps,
    set_nomatch_ts,
    tups,
)
from punctum.algebra.json import from_json, to_json
from punctum.algebra.pattern import EMPTY, NULL, WILDCARD, Pattern, between, constant, one_of
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.text import pattern_from_text, punctuation_from_text
from punctum.algebra.values import NAN, Row, Type, Value
from punctum.algebra.xml import from_xml, to_xml

__all__ = [
    "EMPTY",
    "NAN",
    "NOT_NULL",
    "NULL",
    "WILDCARD",
    "Attribute",
    "Element",
    "Order",
    "Pattern",
    "Punctuation",
    "PunctuationSet",
    "Row",
    "Schema",
    "Scheme",
    "Type",
    "Value",
    "between",
    "combine",
    "constant",
    "end_of_stream",
    "from_json",
    "from_xml",
    "match",
    "nomatch",
    "one_of",
    "pattern_from_text",
    "puncts",
    "punctuation_from_text",
    "set_combine",
    "set_match",
    "set_match_ts",
    "set_nomatch",
    "set_nomatch_ps",
    "set_nomatch_ts",
    "to_json",
    "to_xml",
    "tups",
]
