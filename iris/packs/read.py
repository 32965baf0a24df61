"""Read YAML strictly: no anchors, aliases, tags or duplicate keys, and nothing too large. The only user of PyYAML."""

from __future__ import annotations

from typing import Any

import yaml

from iris.packs.source import Mapping, Scalar, Sequence, Source, YamlNode
from iris.problems import Place, Problem

MAX_BYTES = 1_000_000
MAX_DEPTH = 24
MAX_NODES = 50_000

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C loader where it is present (ten times faster, same positions)."""

STYLES = {"'": "single", '"': "double", "|": "literal", ">": "folded", "": "plain", None: "plain"}


def read_text(file: str, data: bytes) -> tuple[Source | None, list[Problem]]:
    """Decode a file's bytes; UTF-8 only, at most 1 MB, no stray byte-order mark."""
    if len(data) > MAX_BYTES:
        return None, [Problem("E105", f"{file} has {len(data)} bytes", None, "", f"at most {MAX_BYTES}; split the file")]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return None, [
            Problem("E107", "the file is not UTF-8", _byte(file, data, error.start), "this byte", "save the file as UTF-8")
        ]
    text = text.removeprefix("\ufeff")
    source = Source.of(file, text)
    mark = text.find("\ufeff")
    if mark >= 0:
        place = source.place(mark)
        return source, [Problem("E107", "a byte-order mark stands inside the file", place, "here", "remove the mark")]
    return source, []


def _byte(file: str, data: bytes, index: int) -> Place:
    """The place of a byte that is no UTF-8."""
    start = data.rfind(b"\n", 0, index) + 1
    end = data.find(b"\n", index)
    line = data[start : end if end >= 0 else len(data)].decode("utf-8", "replace").rstrip("\r")
    column = len(data[start:index].decode("utf-8", "replace")) + 1
    return Place(file, data.count(b"\n", 0, index) + 1, column, 1, line)


def read_yaml(source: Source) -> tuple[YamlNode | None, list[Problem]]:
    """Turn a source into nodes, or say everything that is not allowed in it."""
    problems = _scan(source)
    if problems:
        return None, problems
    try:
        root = yaml.compose(source.text, Loader=LOADER)
    except yaml.YAMLError as error:
        return None, [_yaml_problem(source, error)]
    if root is None:
        return None, [Problem("E101", "the file is empty", source.place(0), "", "write the keys the file needs")]
    return _node(source, root, problems), problems


def _scan(source: Source) -> list[Problem]:
    problems: list[Problem] = []
    depth = nodes = 0
    try:
        for event in yaml.parse(source.text, Loader=LOADER):
            nodes += 1
            if isinstance(event, yaml.events.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.events.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH or nodes > MAX_NODES:
                what = f"is deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else f"has more than {MAX_NODES} nodes"
                at = source.place(_index(event))
                return [*problems, Problem("E105", f"the file {what}", at, "here", "split or flatten it")]
            problems += _forbidden(source, event)
    except yaml.YAMLError as error:
        problems.append(_yaml_problem(source, error))
    return problems


def _forbidden(source: Source, event: Any) -> list[Problem]:
    at = source.place(_index(event))
    if isinstance(event, yaml.events.AliasEvent):
        return [Problem("E103", f"alias `*{event.anchor}`", at, "aliases are refused", "write the value out")]
    if getattr(event, "anchor", None):
        return [Problem("E103", f"anchor `&{event.anchor}`", at, "anchors are refused", "write the value out where it is used")]
    if getattr(event, "tag", None):
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        return [Problem("E104", f"tag `{tag}`", at, "tags are refused", "remove the tag")]
    if isinstance(event, yaml.events.DocumentStartEvent) and event.explicit and not _only_comments(source.text[: _index(event)]):
        return [Problem("E101", "a second document begins", at, "here", "one document a file")]
    return []


def _index(event: Any) -> int:
    return int(event.start_mark.index) if event.start_mark else 0


def _only_comments(text: str) -> bool:
    return all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines())


def _yaml_problem(source: Source, error: yaml.YAMLError) -> Problem:
    mark, begun = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    what, context = str(getattr(error, "problem", None) or str(error).splitlines()[0]), getattr(error, "context", None) or ""
    if "unexpected end of stream" in what and begun is not None:
        what, mark = "a quote is not closed", begun
    place = source.place(mark.index if mark else 0)
    line = place.source_line
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return Problem("E107", "a tab indents the line", place, "a tab", "indent with spaces")
    since = source.place(begun.index).line if begun and "flow" in context else place.line
    return Problem("E101", f"not valid YAML: {what}", place, "here", _yaml_help(what, place.line - since, since))


def _yaml_help(what: str, lines: int, since: int) -> str:
    if lines:
        return f"the bracket of line {since} is not closed"
    if "mapping values" in what or "expected <block end>" in what:
        return "put the text in quotes or in a block (`|`)"
    if "escape" in what:
        return "write patterns in single quotes"
    if "cannot start any token" in what or "did not find expected" in what:
        return "put the text in single quotes or in a block (`|`)"
    return "close it, or put the text in a block (`|`)" if "quote" in what else "the line before may be unfinished"


def _node(source: Source, node: Any, problems: list[Problem]) -> YamlNode:
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.ScalarNode):
        return Scalar(source, start, end, node.value, STYLES[node.style])
    if isinstance(node, yaml.SequenceNode):
        return Sequence(source, start, end, tuple(_node(source, item, problems) for item in node.value))
    return Mapping(source, start, end, tuple(_items(source, node, problems)))


def _items(source: Source, node: Any, problems: list[Problem]) -> list[tuple[Scalar, YamlNode]]:
    out: list[tuple[Scalar, YamlNode]] = []
    seen: dict[str, Scalar] = {}
    for key_node, value_node in node.value:
        value = _node(source, value_node, problems)
        if not isinstance(key_node, yaml.ScalarNode):
            problems.append(
                Problem("E106", "a key is not a text", source.place(key_node.start_mark.index), "here", "write a plain name")
            )
            continue
        key = _node(source, key_node, problems)
        assert isinstance(key, Scalar)
        if key.style == "plain" and key.text.lower() in ("on", "off", "yes", "no", "true", "false", "null", "~", ""):
            where = key.place()
            problems.append(
                Problem("E106", f"the key `{key.text}` is no text in YAML", where, "ambiguous", f'write "{key.text}" in quotes')
            )
        if key.text in seen:
            first = seen[key.text].place().line
            where = key.place()
            problems.append(Problem("E102", f"`{key.text}` stands twice", where, "again", f"first on line {first}; keep one"))
            continue
        seen[key.text] = key
        out.append((key, value))
    return out
