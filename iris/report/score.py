"""Rules and verdict against labels: who fired on bad runs, who on good ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from iris.problems import Problem, ProblemsFound
from iris.report.judged import Judged, state_of
from iris.stats import clustered, wilson

VERDICTS = ("verdict: fail", "verdict: not passed")
NO_LABEL = object()


@dataclass(frozen=True, slots=True)
class Label:
    """Where the truth of a run stands: a dotted path, and the values that mean bad (none: whatever is true)."""

    path: str
    bad: tuple[str, ...] = ()

    def of(self, run: Mapping[str, Any]) -> bool | None:
        """Whether a run is bad; None when it carries no such label."""
        value = at(run, self.path)
        if value is NO_LABEL or value is None:
            return None
        return plain(value) in self.bad if self.bad else value not in (False, 0, "", [], {}, "false", "none", "no")


def at(run: Mapping[str, Any], path: str) -> Any:
    """The value under a dotted path, or NO_LABEL."""
    value: Any = run
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return NO_LABEL
        value = value[part]
    return value


def plain(value: Any) -> str:
    """A label as it is written on the command line."""
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def parse_label(text: str) -> Label:
    """Read `PATH` or `PATH=VALUE,VALUE`; raises ProblemsFound (E902)."""
    path, _, values = text.partition("=")
    if not path or "" in path.split("."):
        help_line = "such as label.complied, or label.class=silent,partial"
        raise ProblemsFound([Problem("E902", f"`{text}` names no label", None, "", help_line)])
    return Label(path, tuple(v for v in values.split(",") if v))


@dataclass(slots=True)
class Counts:
    """How often something fired on bad and good runs, and on how many of them it judged."""

    fired: Counter[bool] = field(default_factory=Counter)
    judged: Counter[bool] = field(default_factory=Counter)
    clusters: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0, 0]))

    def add(self, bad: bool, fired: bool | None, cluster: str | None) -> None:
        """Count one run; `fired` None: it was not judged."""
        self.judged[bad] += fired is not None
        self.fired[bad] += fired is True
        if cluster is not None:
            counts = self.clusters[cluster]
            counts[0 if bad else 2] += fired is True
            counts[1 if bad else 3] += 1


@dataclass(slots=True)
class Scoreboard:
    """Counts per slice, rule and verdict, kept while runs stream by."""

    label: Label
    cluster: str | None = None
    slice: str | None = None
    totals: dict[str, Counter[bool]] = field(default_factory=dict)
    counts: dict[str, dict[str, Counts]] = field(default_factory=dict)
    unlabelled: int = 0

    def add(self, judged: Judged) -> None:
        """Count one judged run."""
        bad = self.label.of(judged.run)
        if bad is None or judged.result is None:
            self.unlabelled += 1
            return
        group = "all" if self.slice is None else _named(at(judged.run, self.slice))
        cluster = None if self.cluster is None else _named(at(judged.run, self.cluster))
        self.totals.setdefault(group, Counter())[bad] += 1
        counts = self.counts.setdefault(group, {})
        for name, fired in self._answers(judged):
            counts.setdefault(name, Counts()).add(bad, fired, cluster)

    def _answers(self, judged: Judged) -> Iterator[tuple[str, bool | None]]:
        state = state_of(judged)
        yield VERDICTS[0], state == "fail"
        yield VERDICTS[1], state != "pass"
        assert judged.result is not None
        for result in judged.result["rule_results"]:
            yield result["ruleName"], None if result.get("skipped") else not result["passed"]

    def as_json(self) -> dict[str, Any]:
        """Every count with its shares and intervals."""
        slices = {g: self._slice(g) for g in sorted(self.totals)}
        return {"label": self.label.path, "bad": list(self.label.bad), "unlabelled": self.unlabelled, "slices": slices}

    def _slice(self, group: str) -> dict[str, Any]:
        total = self.totals[group]
        rows = {name: _row(counts, total) for name, counts in self.counts[group].items()}
        return {"bad": total[True], "good": total[False], "rows": rows}

    def text(self) -> str:
        """A table a slice: caught of bad, fired on good, precision; rules that never fired are left out."""
        out = []
        for group, part in self.as_json()["slices"].items():
            out.append(f"{group}: {part['bad']} bad, {part['good']} good (label {self.label.path})")
            head = f"  {'':32} {'caught of bad':>30} {'fired on good':>30} {'precision':>10}"
            out.append(head)
            rows = sorted(
                part["rows"].items(), key=lambda r: (r[0] not in VERDICTS, -r[1]["caught"], -r[1]["false_alarms"], r[0])
            )
            out += [_line(name, row, part) for name, row in rows if row["caught"] or row["false_alarms"] or name in VERDICTS]
            out.append("")
        if self.unlabelled:
            out.append(f"{self.unlabelled} runs carry no {self.label.path} or could not be judged")
        return "\n".join(out).rstrip("\n") + "\n"


def _named(value: Any) -> str:
    return "(none)" if value is NO_LABEL or value is None else plain(value)


def _row(counts: Counts, total: Counter[bool]) -> dict[str, Any]:
    tp, fp = counts.fired[True], counts.fired[False]
    row: dict[str, Any] = {
        "caught": tp,
        "false_alarms": fp,
        "judged_bad": counts.judged[True],
        "judged_good": counts.judged[False],
        "recall": _share(tp, total[True]),
        "false_alarm_rate": _share(fp, total[False]),
        "precision": _share(tp, tp + fp),
    }
    if counts.clusters:
        bad = {name: (c[0], c[1]) for name, c in counts.clusters.items()}
        good = {name: (c[2], c[3]) for name, c in counts.clusters.items()}
        row["recall"]["clustered"] = clustered(bad)
        row["false_alarm_rate"]["clustered"] = clustered(good)
        row["clusters"] = len(counts.clusters)
    return row


def _share(hits: int, n: int) -> dict[str, Any]:
    low, high = wilson(hits, n)
    return {"n": n, "point": hits / n if n else None, "lo": low, "hi": high}


def _line(name: str, row: dict[str, Any], part: dict[str, Any]) -> str:
    caught = _cell(row["caught"], part["bad"], row["recall"])
    alarms = _cell(row["false_alarms"], part["good"], row["false_alarm_rate"])
    precision = row["precision"]["point"]
    return f"  {name:32} {caught:>30} {alarms:>30} {'' if precision is None else f'{precision:.1%}':>10}"


def _cell(hits: int, n: int, share: dict[str, Any]) -> str:
    if not n:
        return "-"
    low, high = share.get("clustered", (share["lo"], share["hi"]))
    return f"{hits}/{n} {hits / n:.1%} [{low * 100:.1f}-{high * 100:.1f}]"
