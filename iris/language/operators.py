"""The table of operators: what each takes and gives. Feeds the checker, the runner's completeness test and the docs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator.

    `takes` lists parameters as `name:kind`, `name:kind?` when optional; `…` lets the last repeat.
    Kinds: text, texts (a text or a list), list, number, json, detector, by, any, date, table, path, call.
    `gives` is a type name, `view` (text for a text, list for a list), `same` (the first argument's type),
    `other` (the second's),
    `item` (the element of the first list) or `number:<unit>`.
    """

    name: str
    takes: tuple[str, ...]
    gives: str
    group: str
    about: str
    example: str


def _op(group: str, name: str, takes: str, gives: str, about: str, example: str) -> Operator:
    return Operator(name, tuple(takes.split()), gives, group, about, example)


def _presence() -> list[Operator]:
    g = "presence"
    return [
        _op(g, "given", "path:path", "flag", "Whether the run supplied this; makes the path optional.", "given(input)"),
        _op(g, "gather", "text:texts …", "list[text]", "Those of several texts that were supplied; unknown when none was.", "gather(input, calls.result)"),
    ]


def _detectors() -> list[Operator]:
    g = "detectors"
    return [
        _op(g, "found", "detector:detector text:texts", "flag", "Whether a detector hits the text.", "found(talk.hedge, output)"),
        _op(g, "hits", "detector:detector text:texts", "list[fact]", "The hits of a detector or of a group, in text order, at most 100 a detector.", "hits(personal, output)"),
    ]


def _views() -> list[Operator]:
    g = "views"
    t = "text:texts"
    return [
        _op(g, "folded", t, "view", "The text as it is read: NFKC, look-alike letters, invisible characters dropped, Latin accents off, white space runs as one.", "folded(output)"),
        _op(g, "unbroken", t, "view", "The folded text with a lone tab or line break inside a token removed.", "unbroken(output)"),
        _op(g, "unleet", t, "view", "Digits and signs inside words read as the letters they imitate.", "unleet(output)"),
        _op(g, "unspaced", t, "view", "Letter-spaced words joined.", "unspaced(output)"),
        _op(g, "decoded", t, "list[text]", "The texts inside base64 runs.", "decoded(output)"),
        _op(g, "json_values", t, "view", "The values of a text that is one JSON document, each on its own; any other text as it is.", "json_values(output)"),
        _op(g, "json_labelled", t, "view", "A JSON document as `\"key\": value` lines; any other text as it is.", "json_labelled(output)"),
    ]


def _parts() -> list[Operator]:
    g = "parts"
    t = "text:texts"
    return [
        _op(g, "sentences", t, "list[text]", "The sentences.", "sentences(output)"),
        _op(g, "lines", t, "list[text]", "The lines that are not blank.", "lines(output)"),
        _op(g, "blocks", t, "list[text]", "The paragraphs.", "blocks(output)"),
        _op(g, "quoted", t, "list[text]", "What stands in quotation marks.", "quoted(output)"),
        _op(g, "fenced", t, "list[text]", "What stands in code fences.", "fenced(output)"),
        _op(g, "removed", t, "list[text]", "The removed lines of diffs.", "removed(output)"),
        _op(g, "cells", t, "list[fact]", "The cells of Markdown tables and CSV blocks: key is the row's label, value the cell.", "cells(input)"),
        _op(g, "words", "text:texts shortest:number?", "list[fact]", "Every word, lower-case, in order; a script without spaces gives pairs of characters.", "words(output, shortest=4)"),
        _op(g, "terms", "text:texts drop:list?", "list[fact]", "The distinct stems of the content words.", "terms(input, drop=lists.stop_words)"),
        _op(g, "text_before", "part:text length:number", "text", "The characters just before a part of a text.", "text_before(match, 20)"),
        _op(g, "text_after", "part:text length:number", "text", "The characters just after a part of a text.", "text_after(match, 20)"),
        _op(g, "around", "part:text length:number", "text", "A part of a text with characters on both sides.", "around(match, 40)"),
        _op(g, "first", "text:text length:number", "text", "The first characters.", "first(output, 200)"),
        _op(g, "last", "text:text length:number", "text", "The last characters.", "last(output, 200)"),
        _op(g, "line_of", "part:text", "text", "The line a part begins in.", "line_of(match)"),
        _op(g, "sentence_of", "part:text", "text", "The sentence a part begins in.", "sentence_of(match)"),
    ]


def _tests() -> list[Operator]:
    g = "tests on text"
    return [
        _op(g, "contains", "text:texts wanted:texts", "flag", "Whether any wanted text occurs, in any case.", "contains(output, \"refund\")"),
        _op(g, "mentions", "text:texts wanted:texts", "flag", "Whether any wanted phrase occurs as whole words, in any case.", "mentions(output, config.blocklist)"),
        _op(g, "starts", "text:text wanted:texts", "flag", "Whether the text begins with one of the wanted texts.", "starts(match.area, \"9\")"),
        _op(g, "ends", "text:text wanted:texts", "flag", "Whether the text ends with one of the wanted texts.", "ends(match.host, lists.example_domains)"),
        _op(g, "blank", "value:any", "flag", "Whether nothing visible is there: absent, null, or only white space.", "blank(c.error)"),
        _op(g, "inside", "part:text regions:list", "flag", "Whether the part lies in one of the regions, compared in the raw text.", "inside(h, quoted(output))"),
        _op(g, "within", "part:text others:list length:number", "flag", "Whether the part is at most so many characters from one of the others.", "within(h, hits(talk.total, output), 40)"),
        _op(g, "lower", "text:text", "text", "The text in lower case.", "lower(match.host)"),
        _op(g, "digits", "text:text", "text", "The digits of a text.", "digits(match)"),
        _op(g, "stem", "text:text", "text", "The stem of a word.", "stem(match.noun)"),
        _op(g, "size", "value:any", "number:count", "How many elements a list has, or characters a text.", "size(calls)"),
        _op(g, "entropy", "text:text", "number", "Shannon entropy, in bits a character.", "entropy(match.secret)"),
    ]


def _numbers() -> list[Operator]:
    g = "numbers"
    return [
        _op(g, "number", "text:any", "number", "The first number of a text, separators removed.", "number(match.n)"),
        _op(g, "abs", "of:number", "same", "The absolute value.", "abs(a - b)"),
        _op(g, "min", "a:number b:number", "same", "The smaller of two.", "min(ratio, 1)"),
        _op(g, "max", "a:number b:number", "same", "The larger of two.", "max(excess, 0)"),
        _op(g, "sum", "of:list", "number", "The sum of the numbers (or values) of a list.", "sum(hits(facts.dollars, s))"),
        _op(g, "median", "of:list", "number", "The median; unknown for an empty list.", "median(gaps(times))"),
        _op(g, "round", "of:number places:number", "same", "Rounded to so many places, half to even.", "round(ratio, 2)"),
    ]


def _sets() -> list[Operator]:
    g = "lists and facts"
    return [
        _op(g, "distinct", "of:list", "same", "One element a value.", "distinct(words(expected))"),
        _op(g, "any", "of:list", "flag", "Whether the list has an element.", "any(hits(talk.total, output))"),
        _op(g, "covers", "all:list some:list", "flag", "Whether every value of the second list is in the first.", "covers(words(output), words(h))"),
        _op(g, "conflicting", "said:list known:list", "same", "The facts of the first list whose key the second knows, but never with that value.", "conflicting(said, known)"),
        _op(g, "partners", "of:list among:list", "other", "The facts of the second list that share a key with one of the first.", "partners(said, known)"),
        _op(g, "bind", "keys:list facts:list length:number", "list[fact]", "Give each fact the nearest key that ends at most so many characters before it.", "bind(labels, numbers, 40)"),
        _op(g, "number_values", "of:list", "list[fact]", "The facts whose value holds a number, with that number as value.", "number_values(cells(input))"),
        _op(g, "first_of", "of:list", "same", "The first element, as a list.", "first_of(sentences(output))"),
        _op(g, "last_of", "of:list", "same", "The last element, as a list.", "last_of(sentences(output))"),
        _op(g, "largest", "of:list", "item", "The longest of several lists; an empty list when there is none.", "largest(groups(calls, by=key))"),
        _op(g, "groups", "of:list by:by", "groups", "Lists of the elements that agree in a value.", "groups(calls, by=key)"),
        _op(g, "repeats", "of:list by:by period:number", "same", "The longest stretch in which one block of that many elements repeats.", "repeats(calls, by=key, period=2)"),
        _op(g, "chained", "of:list by:by from:list", "same", "The elements that share a value with the seed or with an earlier chained element.", "chained(parts, by=terms, from=terms(input))"),
        _op(g, "gaps", "of:list", "list[number]", "The differences of neighbours.", "gaps(calls.started)"),
        _op(g, "lookup", "table:table key:any", "list[text]", "The row of a table; empty when the table has none.", "lookup(tables.actions, f.value)"),
    ]


def _similarity() -> list[Operator]:
    g = "similarity"
    return [
        _op(g, "similar", "a:text b:text", "number:ratio", "How alike two texts are, 0 to 1 (normalised indel similarity, rapidfuzz).", "similar(output, expected) > 0.8"),
        _op(g, "nearest", "text:text among:list", "number:ratio", "The best similarity with any of the texts; 0 for none.", "nearest(match.name, lists.products)"),
    ]


def _dates() -> list[Operator]:
    g = "dates"
    return [
        _op(g, "date", "text:text", "date", "A day written as ISO or with an English month name; the year may be missing.", "date(match)"),
        _op(g, "weekday", "of:date", "text", "The English day name; unknown without a year.", "weekday(date(match))"),
        _op(g, "month_day", "of:date", "text", "Month and day as one value.", "month_day(date(match))"),
    ]


def _validators() -> list[Operator]:
    g = "validators"
    return [
        _op(g, "luhn", "text:text", "flag", "Whether the digits pass the Luhn check (ISO/IEC 7812-1).", "luhn(match)"),
        _op(g, "mod97", "text:text", "flag", "Whether the text passes mod 97-10 (ISO 7064, used by IBAN, ISO 13616).", "mod97(match)"),
        _op(g, "in_networks", "text:text networks:list", "flag", "Whether an IPv4 or IPv6 address lies in one of the networks (CIDR).", "in_networks(match, lists.private_networks)"),
        _op(g, "is_address", "text:text", "flag", "Whether the text is an IPv4 or IPv6 address.", "is_address(match)"),
    ]


def _json() -> list[Operator]:
    g = "json"
    return [
        _op(g, "parsed", "of:any", "json", "A JSON text as its value; null when it is none. A value stays itself.", "parsed(c.result)"),
        _op(g, "field", "of:json name:text", "json", "A field whose name is no word.", "field(j, \"exit-code\")"),
        _op(g, "leaves", "of:json", "list[fact]", "The scalars of a JSON value: key is the field, value the scalar.", "leaves(c.args)"),
        _op(g, "schema_problems", "of:any schema:json", "list[text]", "What a JSON Schema finds wrong; no remote references, linear patterns.", "schema_problems(c.args, c.schema)"),
        _op(g, "json_problems", "text:text", "list[text]", "Why a text is not strict JSON: not parsable, a key twice, or no finite number.", "json_problems(output)"),
    ]


def _trajectory() -> list[Operator]:
    g = "trajectory"
    return [
        _op(g, "key", "call:call", "text", "The tool and its arguments in canonical form.", "groups(calls, by=key)"),
    ]


@lru_cache(maxsize=1)
def operators() -> dict[str, Operator]:
    """Every operator by name."""
    parts = (_presence, _detectors, _views, _parts, _tests, _numbers, _sets, _similarity, _dates, _validators, _json, _trajectory)
    return {operator.name: operator for part in parts for operator in part()}
