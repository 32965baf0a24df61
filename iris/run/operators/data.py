"""JSON values, checksums, addresses, and a call's canonical form."""

from __future__ import annotations

import ipaddress
import json
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from iris.run.values import Args, Call, Fact, Text, Unknown, as_text, as_texts, fresh, plain_text, unknown

MAX_JSON = 1_000_000


def parsed(_c: Any, x: Any) -> Any:
    """A JSON text as its value, null when it is none; values stay themselves."""
    if not isinstance(x, Text | str):
        return x
    text = as_text(x)
    key = ("parsed", text.start, text.end)
    derived = text.view.derived
    if key not in derived:
        derived[key] = _load(text.s)
    return derived[key]


def _load(s: str) -> Any:
    stripped = s.strip()
    if not stripped or stripped[0] not in '{["-0123456789tfn' or len(stripped) > MAX_JSON:
        return None
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        return None


def field(_c: Any, x: Any, name: Any) -> Any:
    """A field of a JSON object; null when it has none."""
    return x.get(as_text(name).s) if isinstance(x, dict) else None


def leaves(_c: Any, x: Any) -> list[Fact]:
    """The scalars of a JSON value in order; null is left out."""
    out: list[Fact] = []
    if isinstance(x, Text):
        x = _load(x.s)
    _leaves(x, fresh(""), out, 0)
    return out


def _leaves(x: Any, key: Text, out: list[Fact], depth: int) -> None:
    if depth > 40 or len(out) >= 2000:
        return
    if isinstance(x, dict):
        for k, v in x.items():
            _leaves(v, fresh(str(k)), out, depth + 1)
    elif isinstance(x, list):
        for v in x:
            _leaves(v, key, out, depth + 1)
    elif x is not None:
        text = fresh(plain_text(x))
        fact = Fact(text.view, 0, text.end, "leaf")
        fact.key, fact.value = key, text if isinstance(x, str) else x
        out.append(fact)


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise ValueError(f"remote reference {uri}")

    return jsonschema_rs.validator_for(
        json.loads(schema), retriever=refuse, pattern_options=jsonschema_rs.RegexOptions(), validate_formats=True
    )


def schema_problems(_c: Any, x: Any, schema: Any) -> Any:
    """What a schema finds wrong; unknown when the schema itself can not be used."""
    if schema is None or schema == {} or schema is True:
        return []
    if isinstance(x, Text):
        x = _load(x.s)
    try:
        validator = _validator(json.dumps(dict(schema) if isinstance(schema, Args) else schema, sort_keys=True))
        errors = list(validator.iter_errors(dict(x) if isinstance(x, Args) else x))
    except (ValueError, TypeError, RecursionError):
        return unknown("the schema can not be used")
    return [fresh("/".join(map(str, e.instance_path)) or "(root)") for e in errors[:25]]


def json_problems(_c: Any, x: Any) -> list[Text]:
    """Why a text is not strict JSON: a syntax error, a key twice, NaN or infinity."""
    found: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in items:
            if key in seen:
                found.append("a key stands twice")
            seen.add(key)
        return dict(items)

    def constant(name: str) -> float:
        found.append(f"{name} is no JSON number")
        return math.nan

    try:
        json.loads(as_text(x).s, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        found.append(f"not JSON at character {error.pos}")
    except (ValueError, RecursionError):
        found.append("not JSON that can be read")
    return [fresh(problem) for problem in found]


def luhn(_c: Any, x: Any) -> bool:
    """Luhn check over the digits (ISO/IEC 7812-1 annex B)."""
    ds = [int(ch) for ch in as_text(x).s if ch in "0123456789"]
    if len(ds) < 2:
        return False
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in ds[-2::-2]]
    return (sum(doubled) + sum(ds[-1::-2])) % 10 == 0


def mod97(_c: Any, x: Any) -> bool:
    """Mod 97-10 over the first four characters moved to the end (ISO 7064, ISO 13616)."""
    s = "".join(ch for ch in as_text(x).s.upper() if ch.isascii() and ch.isalnum())
    if len(s) < 5:
        return False
    return int("".join(str(int(ch, 36)) for ch in s[4:] + s[:4])) % 97 == 1


@lru_cache(maxsize=512)
def _network(text: str) -> Any:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _address(x: Any) -> Any:
    try:
        return ipaddress.ip_address(as_text(x).s.strip())
    except ValueError:
        return None


def in_networks(_c: Any, x: Any, networks: Any) -> bool:
    """Whether an address lies in one of the networks; a text that is no address lies in none."""
    address = _address(x)
    if address is None:
        return False
    known = [_network(t.s) for t in as_texts(networks)]
    return any(address in n for n in known if n is not None and n.version == address.version)


def is_address(_c: Any, x: Any) -> bool:
    """Whether a text is an IPv4 or IPv6 address."""
    return _address(x) is not None


def key(_c: Any, x: Any) -> Any:
    """A call's tool and canonical arguments; a fact's key."""
    if isinstance(x, Fact):
        return x.key
    if not isinstance(x, Call):
        return unknown("not a call")
    if x.key is None:
        if type(x.args) is Unknown:
            return x.args
        args = x.args.s if isinstance(x.args, Text) else json.dumps(x.args, sort_keys=True, ensure_ascii=False)
        x.key = f"{x.tool.s}\0{' '.join(args.split())}"
    return x.key


def operators() -> dict[str, Callable[..., Any]]:
    """The operators of this file."""
    return {
        "parsed": parsed,
        "field": field,
        "leaves": leaves,
        "schema_problems": schema_problems,
        "json_problems": json_problems,
        "luhn": luhn,
        "mod97": mod97,
        "in_networks": in_networks,
        "is_address": is_address,
        "key": key,
    }
