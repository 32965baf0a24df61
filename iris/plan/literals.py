"""What a text must contain for a pattern to match: words, beginnings of words, signs, a digit.

A match of the pattern always holds every token of at least one of its alternatives, so a text without them needs no
search. Read off the pattern once, at compile time. Words are runs of ASCII letters and digits in small letters.
Tokens: `w:word`, `p:` the first three characters of a word, `s:` letters anywhere, `c:sign`, `d:` a digit. An empty alternative: always look.
"""

from __future__ import annotations

from itertools import product

from iris.plan.pattern import Alternation, Item, Sequence_, read_pattern

MOST = 96
"""Alternatives kept; beyond, the least telling factor is left out."""
MOST_CUT = 400
PREFIX = 3
COMMON_SIGNS = " \n\t.,'-"
"""Signs that nearly every text holds; they tell nothing."""

Tokens = frozenset[str]
Needs = list[Tokens]


def required(pattern: str) -> list[list[str]]:
    """The alternatives of a pattern, each a sorted list of tokens; `[[]]` when nothing can be told."""
    tree = read_pattern(pattern)
    if tree is None:
        return [[]]
    found = _alternation(tree, before=False, after=False)
    if not all(found):
        return [[]]
    return sorted(sorted(_telling_ones(tokens)) for tokens in set(found))


def _telling_ones(tokens: Tokens) -> Tokens:
    """The tokens worth testing: words and beginnings, else signs, else letters anywhere, else a digit."""
    for kinds in ("wp", "c", "s", "d"):
        chosen = frozenset(t for t in tokens if t[0] in kinds)
        if chosen:
            return chosen
    return tokens


def _alternation(tree: Alternation, *, before: bool, after: bool) -> Needs:
    out: Needs = []
    for branch in tree:
        out += _sequence(branch, before, after)
    return _few(out)


def _few(needs: Needs) -> Needs:
    """The alternatives, each cut to its most telling token when they are many."""
    if len(needs) <= MOST or not all(needs):
        return needs
    cut = {frozenset({min(tokens, key=_telling)}) for tokens in needs}
    return sorted(cut, key=sorted) if len(cut) <= MOST_CUT else [frozenset.intersection(*needs)]


def _telling(token: str) -> tuple[int, int, str]:
    return "wpscd".index(token[0]), -len(token), token


class _Run:
    """Letters and digits that stand together, in every way they may be written, and whether a word begins with them."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.begins = False

    def add(self, character: str, border: bool, *, optional: bool = False) -> bool:
        """Take one more character; gives False when there are too many ways to write the run."""
        if not self.texts:
            self.texts, self.begins = [""], border
        longer = [t + character for t in self.texts]
        if optional and len(self.texts) >= MOST_FORMS:
            return False
        self.texts = self.texts + longer if optional else longer
        return True

    def close(self, ends: bool) -> Needs:
        """The tokens the run tells, one for each way to write it; empty when it tells nothing."""
        texts, begins, self.texts = self.texts, self.begins, []
        tokens = [_token(text, begins, ends) for text in texts]
        return [frozenset({t}) for t in dict.fromkeys(tokens) if t] if all(tokens) else []


MOST_FORMS = 4


def _token(text: str, begins: bool, ends: bool) -> str | None:
    if begins and ends and text:
        return f"w:{text}"
    if begins and len(text) >= PREFIX:
        return f"p:{text[:PREFIX]}"
    if len(text) >= (2 if begins else PREFIX):
        return f"s:{text}"
    return None


def _sequence(items: Sequence_, border: bool, after: bool) -> Needs:
    """Walk a sequence; `border` says whether a word may begin here for sure, `after` whether one ends behind it."""
    tokens: set[str] = set()
    factors: list[Needs] = []
    run = _Run()

    def close(ends: bool) -> None:
        found = run.close(ends)
        if len(found) == 1:
            tokens.update(found[0])
        elif found:
            factors.append(found)

    for i, item in enumerate(items):
        if item.kind == "group":
            close(_opens(item, items[i + 1 :], after))
            border = _group(item, items[i + 1 :], border, after, factors)
        elif item.kind == "word" and item.high == 1 and run.add(item.text, border, optional=item.low == 0):
            border = False
        elif item.kind == "word":
            if item.low:
                run.add(item.text, border)
            close(False)
            border = False
        else:
            sure = item.kind in ("sign", "border") and item.low > 0
            close(sure or (item.kind == "sign" and _ends(items[i + 1 :], after)))
            border = sure or (item.kind == "sign" and border)
            _note(item, tokens)
    close(after)
    return _combine(tokens, factors)


def _note(item: Item, tokens: set[str]) -> None:
    if not item.low:
        return
    if item.kind == "digit":
        tokens.add("d:")
    elif item.kind == "sign" and len(item.text) == 1 and item.text not in COMMON_SIGNS:
        tokens.add(f"c:{item.text}")


def _group(item: Item, rest: Sequence_, border: bool, after: bool, factors: list[Needs]) -> bool:
    """Take a group's alternatives as a factor; gives whether a word may begin behind it."""
    ends = _ends(rest, after)
    if item.low and item.branches is not None:
        found = _alternation(item.branches, before=border, after=ends) if not border else _bordered(item.branches, ends)
        if all(found):
            factors.append(found)
    closed = all(_closes(branch) for branch in item.branches or ())
    return closed if item.low else closed and border


def _bordered(branches: Alternation, after: bool) -> Needs:
    out: Needs = []
    for branch in branches:
        out += _sequence(branch, True, after)
    return _few(out)


def _opens(item: Item, rest: Sequence_, after: bool) -> bool:
    """Whether a word before the group ends there, whichever branch is taken."""
    inside = all(_ends(branch, False) for branch in item.branches or ((),))
    return inside and (item.low > 0 or _ends(rest, after))


def _ends(items: Sequence_, after: bool) -> bool:
    """Whether a word ends for sure before these items."""
    for item in items:
        if item.kind == "group":
            inside = all(_ends(branch, False) for branch in item.branches or ((),))
            if not inside:
                return False
            if item.low:
                return True
        elif item.kind in ("sign", "border"):
            if item.low:
                return True
        else:
            return False
    return after


def _closes(items: Sequence_) -> bool:
    """Whether a word may begin for sure behind these items."""
    if not items:
        return False
    last = items[-1]
    if last.kind == "group":
        return last.low > 0 and all(_closes(branch) for branch in last.branches or ((),))
    return last.kind in ("sign", "border") and last.low > 0


def _combine(tokens: set[str], factors: list[Needs]) -> Needs:
    """Every way to choose one alternative of each factor, the least telling factors left out when they are many."""
    own = frozenset(tokens)
    chosen: list[Needs] = []
    count = 1
    for factor in sorted(factors, key=len):
        if count * len(factor) > MOST:
            break
        count *= len(factor)
        chosen.append(factor)
    return [own.union(*choice) for choice in product(*chosen)]
