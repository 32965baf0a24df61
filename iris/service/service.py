"""The operations of Iris. MCP, HTTP and the command line call these and nothing below them.

Arguments are the models of `iris.service.models`; results are plain dictionaries in wire form; every failure is a
ServiceError. Each operation names its tenant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iris.evaluate import Evaluator, utc_now
from iris.service import capabilities, failures, health, judge, lists, preferences, preview, record, roster, rules, stats
from iris.service.core import Clock, Core, Publish, nobody
from iris.service.guard import guarded
from iris.service.models import evaluate as ev
from iris.service.models import lists as ls
from iris.service.models import rules as rl
from iris.service.models.trace import IngestTrace, LogTrace
from iris.store.interface import LOCAL, Store

if TYPE_CHECKING:
    from iris.config.config import Config
    from iris.custom.book import RuleBook

Result = dict[str, Any]
TraceContext = Mapping[str, Any]


class Service:
    """One running Iris. Build it once its store is open; it is used from one event loop."""

    def __init__(
        self,
        store: Store,
        rules: RuleBook,
        evaluator: Evaluator,
        config: Config,
        *,
        clock: Clock = utc_now,
        publish: Publish | None = None,
    ) -> None:
        self.core = Core(store, rules, evaluator, config, clock, publish or nobody)

    def announce(self, **parts: Any) -> None:
        """Add what a door of this process offers (toolGuide, tools, resources, prompts …) to the capabilities."""
        self.core.offers.update(parts)

    def close(self) -> None:
        """Judge nothing any more; the store is closed by who opened it."""
        self.core.worker.shutdown(wait=False, cancel_futures=True)

    # Writing.

    @guarded
    async def log_trace(
        self, args: LogTrace, *, source: str, tenant: str = LOCAL, trace_context: TraceContext | None = None
    ) -> Result:
        """Store a trace, judged too when asked; both in one transaction. `source` is tool, http, cli, hook or otlp."""
        return (await record.ingest(self.core, [args], source, tenant, trace_context))[0]

    @guarded
    async def ingest(
        self,
        items: Sequence[IngestTrace],
        *,
        source: str,
        tenant: str = LOCAL,
        trace_context: TraceContext | None = None,
        partial: bool = False,
    ) -> list[Result]:
        """Store many traces in one transaction: all of them or none.

        With `partial` the refused ones are left out, and the answer has {status: "refused", error} in their places.
        """
        return await record.ingest(self.core, items, source, tenant, trace_context, partial=partial)

    @guarded
    async def evaluate_output(
        self, args: ev.EvaluateOutput, *, tenant: str = LOCAL, trace_context: TraceContext | None = None
    ) -> Result:
        """Judge an output and keep the result, as the verdict of the trace it names or beside it."""
        return await judge.evaluate_output(self.core, args, tenant, trace_context)

    @guarded
    async def reevaluate(self, evaluation_id: str, *, tenant: str = LOCAL) -> Result | None:
        """Judge the trace of an evaluation again with the rules of now; the older row stays. None when there is none."""
        return await judge.reevaluate(self.core, evaluation_id, tenant)

    @guarded
    async def delete_trace(self, args: rl.DeleteTrace, *, tenant: str = LOCAL) -> Result:
        """Delete a trace, erase the texts of its evaluations and log it; an unknown id is no error."""
        return await record.delete_trace(self.core, args, tenant)

    # Reading traces and evaluations.

    @guarded
    async def get_traces(self, args: ls.GetTraces, *, tenant: str = LOCAL) -> Result:
        """A page of traces, texts cut unless asked for."""
        return await lists.get_traces(self.core, args, tenant)

    @guarded
    async def list_traces(self, args: ls.ListTraces, *, tenant: str = LOCAL) -> Result:
        """A page of traces with whole texts."""
        return await lists.list_traces(self.core, args, tenant)

    @guarded
    async def trace_detail(self, trace_id: str, *, tenant: str = LOCAL) -> Result | None:
        """Give {trace, spans, evals} of a trace, evaluations newest first; None when there is none."""
        return await lists.trace_detail(self.core, trace_id, tenant)

    @guarded
    async def evaluations(self, args: ls.ListEvaluations, *, tenant: str = LOCAL) -> Result:
        """A page of evaluations, newest first."""
        return await lists.evaluations(self.core, args, tenant)

    @guarded
    async def evaluation(self, evaluation_id: str, *, tenant: str = LOCAL) -> Result | None:
        """One stored evaluation; None when there is none."""
        return await self.core.store.evaluation(tenant, evaluation_id)

    # Rules.

    @guarded
    async def list_rules(self, args: rl.ListRules, *, tenant: str = LOCAL) -> Result:
        """The deployed rules, the built-in roster and what is quarantined."""
        return rules.list_rules(self.core, args)

    @guarded
    async def deploy_rule(self, args: rl.DeployRule, *, tenant: str = LOCAL) -> Result:
        """Deploy a rule: logged first, judging from the next call on."""
        return await rules.deploy(self.core, args, tenant)

    @guarded
    async def delete_rule(self, args: rl.DeleteRule, *, tenant: str = LOCAL) -> Result:
        """Delete a deployed rule, or switch it when `enabled` is given; both can be repeated."""
        return await rules.delete(self.core, args, tenant)

    @guarded
    async def patch_rule(self, rule_id: str, enabled: bool, *, tenant: str = LOCAL) -> Result | None:
        """Switch a deployed rule and give it; None when there is none."""
        return await rules.toggle(self.core, rule_id, enabled, tenant)

    @guarded
    async def remove_rule(self, rule_id: str, *, tenant: str = LOCAL) -> bool:
        """Delete a deployed rule; False when there is none."""
        return await rules.remove(self.core, rule_id, tenant)

    @guarded
    async def builtin_rules(self) -> Result:
        """The built-in roster with what is critical here."""
        return {"rules": roster.roster(self.core)}

    @guarded
    async def custom_rules(self) -> Result:
        """The deployed rules and what is quarantined."""
        return {"rules": self.core.rules.rules(), "quarantined": self.core.rules.quarantined()}

    @guarded
    async def preview(self, args: rl.PreviewRule, *, tenant: str = LOCAL) -> Result:
        """Try a rule on stored traces and on a sample; nothing is stored."""
        return await preview.preview(self.core, args, tenant)

    # Numbers.

    @guarded
    async def summary(self, args: ls.Hours, *, tenant: str = LOCAL) -> Result:
        """Totals of the last hours."""
        return await self.core.store.summary(tenant, args.hours)

    @guarded
    async def filters(self, *, tenant: str = LOCAL) -> Result:
        """The names of agents and frameworks that have traces."""
        return await self.core.store.filters(tenant)

    @guarded
    async def statistics(self, args: ls.PeriodQuery, *, tenant: str = LOCAL) -> Result:
        """Pass rate, violations and cost of a period."""
        return await stats.statistics(self.core, args.period, tenant)

    @guarded
    async def trend(self, args: ls.PeriodQuery, *, tenant: str = LOCAL) -> list[Result]:
        """Score and pass rate by bucket of a period."""
        return await self.core.store.trend(tenant, args.period)

    @guarded
    async def rule_statistics(self, args: ls.PeriodQuery, *, tenant: str = LOCAL) -> list[Result]:
        """Pass rate of each rule, worst first."""
        return await self.core.store.rule_statistics(tenant, args.period)

    @guarded
    async def recent_failures(self, args: ls.RecentFailures, *, tenant: str = LOCAL) -> list[Result]:
        """The newest failed evaluations."""
        return await self.core.store.recent_failures(tenant, args.period, args.limit)

    @guarded
    async def drift(self, args: ls.DriftQuery, *, tenant: str = LOCAL) -> Result:
        """Whether the pass rate of a period differs from that of the one before."""
        return await stats.drift(self.core, args, tenant)

    # What deserves a look.

    @guarded
    async def failures(self, args: ls.ListFailures, *, tenant: str = LOCAL) -> Result:
        """Failures, the most worth looking at first."""
        return await failures.failures(self.core, args, tenant)

    @guarded
    async def moments(self, args: ls.ListMoments, *, tenant: str = LOCAL) -> Result:
        """Decision moments by time or by significance."""
        return await failures.moments(self.core, args, tenant)

    @guarded
    async def moment(self, moment_id: str, *, tenant: str = LOCAL) -> Result | None:
        """One decision moment with its evaluations, calls and spans; None when there is none."""
        return await self.core.store.moment(tenant, moment_id)

    # The installation.

    @guarded
    async def audit(self, args: ls.ListAudit, *, tenant: str = LOCAL) -> Result:
        """A page of the audit log, newest first."""
        return await lists.audit(self.core, args, tenant)

    @guarded
    async def preferences(self, *, tenant: str = LOCAL) -> Result:
        """All preferences and where they are kept, without a path of this machine."""
        return await preferences.read(self.core, tenant)

    @guarded
    async def set_preferences(self, patch: Mapping[str, Any], *, tenant: str = LOCAL) -> Result:
        """Set some preferences and give all."""
        return await preferences.write(self.core, patch, tenant)

    @guarded
    async def capabilities(self) -> Result:
        """What this Iris can do and how it is set; never a key."""
        return await capabilities.capabilities(self.core)

    @guarded
    async def health(self) -> Result:
        """Whether everything works; status ok or degraded."""
        return await health.health(self.core)

    @guarded
    async def proof(self) -> Result:
        """The published accuracy of each rule; unmeasured where nothing has been published."""
        return capabilities.proof(self.core)

    # What needs a model.

    @guarded
    async def judge(self, args: ev.Judge, *, tenant: str = LOCAL, trace_context: TraceContext | None = None) -> Result:
        """Have a model judge an output. Raises IRIS_JUDGE_NOT_ENABLED."""
        raise capabilities.judge_not_enabled("evaluate_with_llm_judge")

    @guarded
    async def verify_citations(
        self, args: ev.VerifyCitations, *, tenant: str = LOCAL, trace_context: TraceContext | None = None
    ) -> Result:
        """Check citations against their sources. Raises IRIS_JUDGE_NOT_ENABLED."""
        raise capabilities.judge_not_enabled("verify_citations")
