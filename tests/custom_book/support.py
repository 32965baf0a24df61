"""A rule to deploy, and its book."""

from __future__ import annotations

from typing import Any

from iris.custom.book import RuleBook

HOSTS = {"type": "regex_no_match", "config": {"pattern": r"db-[a-z]+\.internal"}}


def deploy(book: RuleBook, name: str = "no_hosts", number: int = 1, **more: Any) -> Any:
    """Deploy a rule: it, what it replaced, a warning."""
    given: dict[str, Any] = {"description": "", "eval_type": "safety", "severity": "high", "definition": HOSTS}
    return book.deploy(**{**given, "rule_id": f"rule-{number:08x}", "name": name, **more})
