"""`iris eval`: judge runs from files, report them, and trip a gate."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, TextIO

from iris.cli import PASSED, TRIPPED, WRONG, colour
from iris.cli.runs import Record, read_runs, readable
from iris.evaluate import Evaluator, utc_now
from iris.problems import Problem, ProblemsFound
from iris.report import Options, Reporter, reporters
from iris.report.gate import parse_fail_on, terms_tripped
from iris.report.judged import Judged
from iris.report.tally import Tally

BATCH = 32
DOCUMENTS = ("json", "junit", "sarif")
"""Formats of which a part is of no use; the others are read as they come."""


def run(args: argparse.Namespace) -> int:
    """Judge every run of every file."""
    from iris.cli.settings import check_values, load_settings
    from iris.flow import load_plan

    folders = [Path(f) for f in args.packs]
    plan = load_plan(folders)
    settings = load_settings(args.config)
    evaluator = Evaluator(plan, settings)
    check_values(settings, plan)
    names = [r.info.name for r in evaluator.engine.rules]
    fail_on = parse_fail_on("not-passed" if args.fail_on is None else args.fail_on, names)
    judged_at = _moment(args.judged_at)
    job = partial(judge_record, eval_type=args.eval_type, judged_at=judged_at, why=args.why)
    for file in args.files:
        readable(file)
    records = chain.from_iterable(read_runs(f, strict=args.strict) for f in args.files)
    jobs = os.cpu_count() or 1 if args.jobs == 0 else max(args.jobs, 1)
    items = _parallel(records, folders, args.config, jobs, job) if jobs > 1 else (job(evaluator, r) for r in records)
    if args.score_against is not None:
        return _score(args, items)
    tally = _report(args, items, plan)
    if tally.runs == 0:
        print("no runs were read", file=sys.stderr)
        return WRONG
    if tally.states["error"]:
        return WRONG
    return TRIPPED if terms_tripped(tally, fail_on) else PASSED


def _moment(text: str | None) -> str | None:
    """The time to record: as asked, else SOURCE_DATE_EPOCH, else each evaluation's own."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or None
    given = epoch if text is None else text
    if given is None:
        return None
    try:
        moment = datetime.fromtimestamp(int(given), UTC) if text is None else datetime.fromisoformat(given.replace("Z", "+00:00"))
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        what, hint = ("SOURCE_DATE_EPOCH: ", "seconds since 1970") if text is None else ("", "such as 2026-01-31T12:00:00Z")
        raise ProblemsFound([Problem("E902", f"{what}`{given}` is no time", None, "", hint)]) from None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def judge_record(evaluator: Evaluator, record: Record, *, eval_type: str | None, judged_at: str | None, why: bool) -> Judged:
    """Judge one record; a record that could not be read stays an error of its own."""
    if record.problem is not None:
        return Judged(record.id, record.run, None, record.problem, record.line, record.file)
    result = evaluator.evaluate(record.run, eval_type, evaluation_id=record.id, judged_at=judged_at or utc_now())
    if why:
        _add_why(evaluator, record.run, eval_type, result)
    return Judged(record.id, record.run, result, None, record.line, record.file)


def _add_why(evaluator: Evaluator, run: dict[str, Any], eval_type: str | None, result: dict[str, Any]) -> None:
    trees = {f.rule.name: f.why() for f in evaluator.findings(run, eval_type or "all") if f.why is not None}
    for item in result["rule_results"]:
        if item["ruleName"] in trees:
            item["why"] = trees[item["ruleName"]]


_worker: list[Evaluator] = []


def _start_worker(folders: list[Path], config: str | None) -> None:
    from iris.cli.settings import load_settings
    from iris.flow import load_plan

    _worker[:] = [Evaluator(load_plan(folders), load_settings(config))]


def _work(records: list[Record], job: Any) -> list[Judged]:
    return [job(_worker[0], record) for record in records]


def _parallel(records: Iterator[Record], folders: list[Path], config: str | None, jobs: int, job: Any) -> Iterator[Judged]:
    """Judge in processes; results come in input order, a bounded number of batches is under way."""
    batches = iter(lambda: list(islice(records, BATCH)), [])
    with ProcessPoolExecutor(jobs, initializer=_start_worker, initargs=(folders, config)) as pool:
        waiting = [pool.submit(_work, batch, job) for batch in islice(batches, jobs * 3)]
        while waiting:
            done = waiting.pop(0).result()
            waiting += [pool.submit(_work, batch, job) for batch in islice(batches, 1)]
            yield from done


def _report(args: argparse.Namespace, items: Iterator[Judged], plan: dict[str, Any]) -> Tally:
    rules = {r["name"]: {"title": r["title"], "about": r["about"], "remedy": r["remedy"]} for r in plan["rules"]}
    from iris import __version__

    stream = _opened(args.output) if args.output else sys.stdout
    try:
        width = os.get_terminal_size().columns if stream.isatty() else 100
    except OSError:
        width = 100
    options = Options(colour=colour(stream), width=width, verbose=args.verbose, version=__version__, rules=rules)
    reporter = reporters()[args.format](options)
    try:
        if args.format in DOCUMENTS:
            with _held() as whole:
                tally = _told(whole, reporter, items, _Progress(stream))
                whole.seek(0)
                for piece in iter(partial(whole.read, 1 << 16), ""):
                    _write(stream, piece)
        else:
            tally = _told(stream, reporter, items, _Progress(stream))
    finally:
        stream.flush()
        if args.output:
            stream.close()
    return tally


def _score(args: argparse.Namespace, items: Iterator[Judged]) -> int:
    """Count rules and verdict against labels; the gate is not asked."""
    from iris.report.score import Scoreboard, parse_label

    board = Scoreboard(parse_label(args.score_against), args.cluster_by, args.slice_by)
    stream = _opened(args.output) if args.output else sys.stdout
    progress = _Progress(stream)
    for judged in items:
        board.add(judged)
        progress.step()
    progress.clear()
    _write(stream, json.dumps(board.as_json(), indent=2) + "\n" if args.format == "json" else board.text())
    if args.output:
        stream.close()
    if not board.totals:
        print(f"no run carries {board.label.path}", file=sys.stderr)
        return WRONG
    return PASSED


def _held() -> Any:
    """A place for a document until it is whole: a file that can not be read to its end must leave no part of one."""
    return SpooledTemporaryFile(8 << 20, "w+", encoding="utf-8", errors="surrogatepass", newline="")


def _told(stream: TextIO, reporter: Reporter, items: Iterator[Judged], progress: _Progress) -> Tally:
    tally = Tally()
    _write(stream, reporter.start())
    for judged in items:
        tally.add(judged)
        _write(stream, reporter.item(judged))
        progress.step()
    progress.clear()
    _write(stream, reporter.end())
    return tally


def _opened(path: str) -> TextIO:
    try:
        return open(path, "w", encoding="utf-8")
    except OSError as error:
        problem = Problem(
            "E706", f"{path} can not be written: {error.strerror}", None, "", "name a file in a folder that is there"
        )
        raise ProblemsFound([problem]) from None


def _write(stream: TextIO, text: str) -> None:
    if not text:
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:
        stream.write(
            text.encode("utf-8", "backslashreplace")
            .decode("utf-8")
            .encode(stream.encoding or "utf-8", "backslashreplace")
            .decode(stream.encoding or "utf-8")
        )


class _Progress:
    """A counter on standard error while the report goes elsewhere."""

    def __init__(self, report: TextIO) -> None:
        self.on = sys.stderr.isatty() and not report.isatty()
        self.count, self.last = 0, 0.0

    def step(self) -> None:
        """Count one run; draw at most ten times a second."""
        self.count += 1
        now = time.monotonic()
        if self.on and now - self.last > 0.1:
            self.last = now
            sys.stderr.write(f"\r{self.count} runs judged")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the counter away."""
        if self.on:
            sys.stderr.write("\r\x1b[K")
