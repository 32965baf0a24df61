"""The keys that pack files may have: one table for the reader, the JSON Schema and the docs."""

from __future__ import annotations

from dataclasses import dataclass

BUNDLES = ("completeness", "relevance", "safety", "cost", "custom")
KINDS = ("measurement", "detection", "inference", "judgment", "policy", "verification")
QUESTIONS = (
    "safe_output",
    "grounded",
    "complete",
    "relevant",
    "task_completed",
    "tool_use_correct",
    "within_budget",
)
STATUSES = ("draft", "trial", "stable", "retired")
CLASSES = (
    "pii_leak",
    "credential_leak",
    "injection",
    "injection_compliance",
    "silent_tool_failure",
    "tool_loop",
    "stub",
    "fabrication",
    "ungrounded",
    "incomplete_ask",
    "off_task",
    "over_budget",
    "format",
    "invalid_tool_call",
    "wrong_tool",
    "wrong_trajectory",
)
SETTING_TYPES = ("count", "ratio", "usd", "ms", "number", "text", "words", "pattern", "flag", "json")
EXPECTATIONS = ("pass", "fail", "skip")


@dataclass(frozen=True, slots=True)
class Field:
    """One key: what it holds, whether it must be there, and what it is for."""

    name: str
    kind: str
    about: str
    required: bool = False
    choices: tuple[str, ...] = ()


PACK = (
    Field("pack", "name", "The pack's name.", required=True),
    Field("version", "text", "The pack's version, such as 1.2.0.", required=True),
    Field("engine", "text", "The plan formats it was written for, such as >=1.", required=True),
    Field("title", "text", "One line that says what the pack is for.", required=True),
    Field("licence", "text", "The licence of the pack.", required=True),
    Field("deployed", "flag", "True for the pack of rules that were deployed one by one; they need no cases."),
)

RULE = (
    Field("rule", "name", "The rule's name; the file is named after it.", required=True),
    Field("title", "text", "What holds when the rule passes, in a few words."),
    Field("bundle", "choice", "Which group of rules it runs with.", choices=BUNDLES),
    Field("kind", "choice", "What its answer may do to the verdict.", choices=KINDS),
    Field("question", "choice", "Which question of coverage it answers.", choices=QUESTIONS),
    Field("classes", "texts", "The failure classes it can find.", choices=CLASSES),
    Field("critical", "flag", "Whether its failure alone fails the verdict."),
    Field("weight", "number", "Its share in the score; 1 when left out."),
    Field("version", "integer", "Raised when the rule's meaning changes."),
    Field("status", "choice", "How far it has come.", choices=STATUSES),
    Field("about", "text", "What it means, and when it is wrong."),
    Field("remedy", "text", "What to change when it fails."),
    Field("config", "settings", "The settings a deployment may change."),
    Field("parameters", "settings", "What an instance of this template must give."),
    Field("use", "name", "The template this rule is an instance of."),
    Field("with", "json", "The instance's parameters."),
    Field("let", "lets", "Named expressions, evaluated when they are needed."),
    Field("detectors", "detectors", "Detectors of this rule alone."),
    Field("skip_when", "skips", "When the rule does not apply, and why."),
    Field("signals", "signals", "Named conditions; any that holds makes the rule fail."),
    Field("fail_when", "expression", "The one condition that makes the rule fail."),
    Field("advise", "signals", "Named conditions that are reported but never fail the rule."),
    Field("unchecked", "choice", "What signals that could not be checked mean.", choices=("skip", "pass")),
    Field("score", "expression", "The score, 0 to 1."),
    Field("say", "text", "The message, with {expressions} in it."),
    Field("cases", "cases", "The rule's own tests."),
)

DEPLOYED = (*RULE, Field("deployment", "json", "Its id, name, severity and dates."))
"""Keys of a rule in the pack of deployed rules."""

DETECTOR = (
    Field("class", "text", "The failure class of its hits.", choices=CLASSES),
    Field("regex", "text", "A pattern in RE2 syntax."),
    Field("phrases", "texts", "Phrases, whole words, in any case."),
    Field("regex_from", "name", "The template parameter that holds the pattern."),
    Field("where", "expression", "A hit counts only when this holds."),
    Field("except", "expressions", "A hit does not count when one of these holds."),
    Field("key", "expression", "What the hit is about."),
    Field("value", "expression", "What the hit says of it; its text when left out."),
    Field("about", "text", "What it finds."),
    Field("examples", "examples", "Texts that must hit and texts that must miss."),
)

SETTING = (
    Field("type", "choice", "What the setting holds.", required=True, choices=SETTING_TYPES),
    Field("default", "json", "Its value when nobody sets it."),
    Field("about", "text", "What it does."),
)

SIGNAL = (
    Field("when", "expression", "The condition.", required=True),
    Field("class", "text", "The failure class of this signal.", choices=CLASSES),
    Field("say", "text", "What to say when it holds."),
)

SKIP = (
    Field("when", "expression", "When the rule does not apply.", required=True),
    Field("because", "text", "The reason a person reads.", required=True),
)

CASE = (
    Field("name", "text", "What the case shows.", required=True),
    Field("run", "run", "The run, in the language's words.", required=True),
    Field("config", "json", "Settings for this case."),
    Field("with", "json", "Template parameters for this case."),
    Field("expect", "choice", "What must come out.", required=True, choices=EXPECTATIONS),
    Field("signals", "texts", "Exactly the signals (of signals and advise) that must hold."),
    Field("evidence", "json", "Spans that must be among the evidence."),
    Field("because", "text", "Why, when it is not plain."),
)

EXAMPLES = (
    Field("hit", "texts", "Texts that must hit.", required=True),
    Field("miss", "texts", "Texts that must miss.", required=True),
)

SHARED = (
    Field("lists", "json", "Named word lists."),
    Field("tables", "json", "Named tables from a text to texts."),
    Field("detectors", "detectors", "Shared detectors; the group is the file's name."),
    Field("define", "json", "Named expressions: `name(parameters): expression`."),
)

RUN_KEYS = (
    "input",
    "output",
    "expected",
    "calls",
    "tools",
    "cost",
    "tokens",
    "latency",
    "metadata",
    "history",
)
CALL_KEYS = ("tool", "args", "result", "error", "started", "latency", "truncated")
TOOL_KEYS = ("name", "description", "schema", "readonly")
TOKEN_KEYS = ("prompt", "completion", "total")
