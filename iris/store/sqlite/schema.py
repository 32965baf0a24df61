"""The tables, as numbered steps; a step never changes once it has been released.

Instants are microseconds since 1970. Each index ends in `ts, seq` or `seq`, so that a page begins anywhere by comparing the
last row's values. The `_order` columns are never null, so that a list sorted by them has all rows: no cost and no latency
count as less than any, no score as more than any (a list by score begins with the lowest).
"""

from __future__ import annotations

TRACES = """
CREATE TABLE traces (
  seq INTEGER PRIMARY KEY, tenant_id TEXT NOT NULL, trace_id TEXT NOT NULL UNIQUE, ts INTEGER NOT NULL,
  agent TEXT NOT NULL, framework TEXT, session TEXT, run TEXT, case_key TEXT, source TEXT, model TEXT,
  cost REAL, latency REAL, tokens REAL, tokens_prompt REAL, tokens_completion REAL, calls INTEGER, errors INTEGER,
  broken INTEGER NOT NULL, evaluation_id TEXT, state TEXT NOT NULL, score REAL, passed INTEGER, basis TEXT, failed TEXT,
  verdict TEXT NOT NULL, kind TEXT NOT NULL, significance REAL NOT NULL, rank REAL,
  cost_order REAL AS (ifnull(cost, -1)) VIRTUAL, latency_order REAL AS (ifnull(latency, -1)) VIRTUAL,
  score_order REAL AS (ifnull(score, 2)) VIRTUAL
);
CREATE INDEX traces_time ON traces (tenant_id, ts, seq);
CREATE INDEX traces_agent ON traces (tenant_id, agent, ts, seq, cost);
CREATE INDEX traces_framework ON traces (tenant_id, framework, ts, seq) WHERE framework IS NOT NULL;
CREATE INDEX traces_session ON traces (tenant_id, session, ts, seq) WHERE session IS NOT NULL;
CREATE INDEX traces_run ON traces (tenant_id, run, ts, seq) WHERE run IS NOT NULL;
CREATE INDEX traces_case ON traces (tenant_id, case_key, ts, seq) WHERE case_key IS NOT NULL;
CREATE INDEX traces_state ON traces (tenant_id, state, ts, seq);
CREATE INDEX traces_verdict ON traces (tenant_id, verdict, ts, seq);
CREATE INDEX traces_kind ON traces (tenant_id, kind, ts, seq);
CREATE INDEX traces_cost ON traces (tenant_id, cost_order, seq);
CREATE INDEX traces_latency ON traces (tenant_id, latency_order, seq);
CREATE INDEX traces_score ON traces (tenant_id, score_order, seq);
CREATE INDEX traces_significance ON traces (tenant_id, significance, ts, seq);
CREATE INDEX traces_rank ON traces (tenant_id, rank, seq) WHERE rank IS NOT NULL;
CREATE INDEX traces_agent_rank ON traces (tenant_id, agent, rank, seq) WHERE rank IS NOT NULL;
CREATE INDEX traces_pattern ON traces (tenant_id, agent, failed) WHERE verdict IN ('fail', 'partial');
CREATE TABLE bodies (
  seq INTEGER PRIMARY KEY REFERENCES traces (seq) ON DELETE CASCADE, tenant_id TEXT NOT NULL,
  input TEXT, output TEXT, rest TEXT NOT NULL
);
CREATE TABLE moments (
  seq INTEGER PRIMARY KEY REFERENCES traces (seq) ON DELETE CASCADE, tenant_id TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE TABLE spans (
  seq INTEGER NOT NULL REFERENCES traces (seq) ON DELETE CASCADE, span_id TEXT NOT NULL, tenant_id TEXT NOT NULL,
  trace_id TEXT NOT NULL, place INTEGER NOT NULL, span TEXT NOT NULL, PRIMARY KEY (seq, span_id)
) WITHOUT ROWID;
CREATE TABLE failures (
  tenant_id TEXT NOT NULL, rule TEXT NOT NULL, ts INTEGER NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, rule, ts, seq)
) WITHOUT ROWID;
"""
EVALUATIONS = """
CREATE TABLE evaluations (
  seq INTEGER PRIMARY KEY, tenant_id TEXT NOT NULL, evaluation_id TEXT NOT NULL UNIQUE, trace_id TEXT,
  reference_trace_id TEXT, eval_type TEXT NOT NULL, ts INTEGER NOT NULL, created_at TEXT NOT NULL, state TEXT NOT NULL,
  score REAL, passed INTEGER, erased_at TEXT, outcome TEXT NOT NULL, output TEXT, expected TEXT, result TEXT NOT NULL
);
CREATE INDEX evaluations_time ON evaluations (tenant_id, ts, seq);
CREATE INDEX evaluations_type ON evaluations (tenant_id, eval_type, ts, seq);
CREATE INDEX evaluations_passed ON evaluations (tenant_id, passed, ts, seq);
CREATE INDEX evaluations_type_passed ON evaluations (tenant_id, eval_type, passed, ts, seq);
CREATE INDEX evaluations_failed ON evaluations (tenant_id, ts, seq) WHERE state = 'fail';
CREATE INDEX evaluations_trace ON evaluations (tenant_id, trace_id, seq) WHERE trace_id IS NOT NULL;
CREATE INDEX evaluations_beside ON evaluations (tenant_id, reference_trace_id, seq) WHERE reference_trace_id IS NOT NULL;
"""
TOTALS = """
CREATE TABLE totals (
  tenant_id TEXT NOT NULL, width INTEGER NOT NULL, start INTEGER NOT NULL, agent TEXT NOT NULL,
  traces INTEGER NOT NULL, broken INTEGER NOT NULL, cost INTEGER NOT NULL, latency INTEGER NOT NULL, timed INTEGER NOT NULL,
  evaluations INTEGER NOT NULL, passed INTEGER NOT NULL, failed INTEGER NOT NULL, score INTEGER NOT NULL,
  scored INTEGER NOT NULL, pii INTEGER NOT NULL, injection INTEGER NOT NULL, hallucination INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, width, start, agent)
) WITHOUT ROWID;
CREATE TABLE rule_totals (
  tenant_id TEXT NOT NULL, width INTEGER NOT NULL, start INTEGER NOT NULL, rule TEXT NOT NULL,
  run INTEGER NOT NULL, failed INTEGER NOT NULL, PRIMARY KEY (tenant_id, width, start, rule)
) WITHOUT ROWID;
CREATE TABLE tallies (
  tenant_id TEXT NOT NULL, agent TEXT NOT NULL, framework TEXT NOT NULL, state TEXT NOT NULL, verdict TEXT NOT NULL,
  kind TEXT NOT NULL, significance REAL NOT NULL, ranked INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, agent, framework, state, verdict, kind, significance, ranked)
) WITHOUT ROWID;
CREATE TABLE evaluation_tallies (
  tenant_id TEXT NOT NULL, eval_type TEXT NOT NULL, passed INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, eval_type, passed)
) WITHOUT ROWID;
"""
REST = """
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY, tenant_id TEXT NOT NULL, ts INTEGER NOT NULL, at TEXT NOT NULL, action TEXT NOT NULL,
  user TEXT NOT NULL, rule_id TEXT, trace_id TEXT, rule_name TEXT, details TEXT NOT NULL
);
CREATE INDEX audit_time ON audit (tenant_id, ts, seq);
CREATE INDEX audit_action ON audit (tenant_id, action, ts, seq);
CREATE TABLE preferences (
  tenant_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;
CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO marks VALUES ('indexed', 0), ('unmerged', 0);
"""
STEPS: tuple[tuple[int, str], ...] = ((1, TRACES + EVALUATIONS + TOTALS + REST),)
"""Each step's number and statements."""

LEDGER = """
CREATE TABLE IF NOT EXISTS _iris_migrations (
  id INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, version TEXT NOT NULL, oldest_reader INTEGER NOT NULL
)
"""
"""`version` is the Iris that applied a step; `oldest_reader` the newest step an Iris must know to use the database."""

SEARCH = "CREATE VIRTUAL TABLE IF NOT EXISTS trace_text USING fts5 (input, output, content='bodies', content_rowid='seq')"
MERGE_TWO = "INSERT INTO trace_text (trace_text, rank) VALUES ('usermerge', 2)"
"""Let the index be merged down to one part, which is what takes deleted words out of it."""
