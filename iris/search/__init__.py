"""The search language: short `key:value` terms and conditions of the rule language over stored runs."""

from iris.search.query import Query, parse

__all__ = ["Query", "parse"]
