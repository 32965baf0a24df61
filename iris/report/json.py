"""One JSON document for all runs."""

from __future__ import annotations

from iris.report.jsonl import record_of
from iris.report.jsontext import to_json
from iris.report.judged import Judged
from iris.report.tally import Tally


class Json:
    """Writes `{results, summary}`, the results as they come."""

    def __init__(self) -> None:
        self.tally = Tally()

    def start(self) -> str:
        """Open the document."""
        return '{"results": ['

    def item(self, judged: Judged) -> str:
        """Return the object of one run."""
        comma = "," if self.tally.runs else ""
        self.tally.add(judged)
        return f"{comma}\n{to_json(record_of(judged))}"

    def end(self) -> str:
        """Close the document with the totals."""
        return f'\n], "summary": {to_json(self.tally.as_json())}}}\n'
