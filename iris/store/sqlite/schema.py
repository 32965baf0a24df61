"""The tables, as numbered steps; a step never changes once it has been released."""

from __future__ import annotations

STEPS: tuple[tuple[int, str], ...] = (
    (
        1,
        """
CREATE TABLE traces (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, tenant_id TEXT NOT NULL DEFAULT 'local', trace_id TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL, framework TEXT, session TEXT, run TEXT, case_key TEXT, source TEXT, model TEXT,
  ts TEXT NOT NULL, created_at TEXT NOT NULL, latency REAL, cost REAL, tokens REAL, tokens_prompt REAL, tokens_completion REAL,
  calls INTEGER, errors INTEGER, span_errors INTEGER NOT NULL DEFAULT 0,
  evaluation_id TEXT, state TEXT NOT NULL DEFAULT 'unjudged', score REAL, passed INTEGER, basis TEXT,
  failed_rules TEXT NOT NULL DEFAULT '[]', rules_skipped INTEGER NOT NULL DEFAULT 0,
  verdict TEXT NOT NULL DEFAULT 'unevaluated', kind TEXT NOT NULL DEFAULT 'unevaluated', significance REAL NOT NULL DEFAULT 0.1,
  label TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', rank REAL
);
CREATE INDEX traces_ts ON traces (tenant_id, ts DESC, seq DESC);
CREATE INDEX traces_agent ON traces (tenant_id, agent, ts DESC, seq DESC);
CREATE INDEX traces_framework ON traces (tenant_id, framework, ts DESC, seq DESC) WHERE framework IS NOT NULL;
CREATE INDEX traces_session ON traces (tenant_id, session, ts DESC, seq DESC) WHERE session IS NOT NULL;
CREATE INDEX traces_run ON traces (tenant_id, run, ts DESC, seq DESC) WHERE run IS NOT NULL;
CREATE INDEX traces_state ON traces (tenant_id, state, ts DESC, seq DESC);
CREATE INDEX traces_cost ON traces (tenant_id, cost, seq);
CREATE INDEX traces_latency ON traces (tenant_id, latency, seq);
CREATE INDEX traces_score ON traces (tenant_id, score, seq);
CREATE INDEX traces_kind ON traces (tenant_id, kind, ts DESC, seq DESC);
CREATE INDEX traces_significance ON traces (tenant_id, significance DESC, ts DESC, seq DESC);
CREATE INDEX traces_rank ON traces (tenant_id, rank DESC, seq DESC) WHERE rank IS NOT NULL;
CREATE TABLE bodies (
  seq INTEGER PRIMARY KEY REFERENCES traces (seq) ON DELETE CASCADE, input TEXT, output TEXT, rest TEXT NOT NULL
);
CREATE TABLE spans (
  seq INTEGER NOT NULL REFERENCES traces (seq) ON DELETE CASCADE, trace_id TEXT NOT NULL, place INTEGER NOT NULL,
  span_id TEXT NOT NULL, span TEXT NOT NULL, PRIMARY KEY (seq, span_id)
) WITHOUT ROWID;
CREATE TABLE evaluations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, tenant_id TEXT NOT NULL DEFAULT 'local', id TEXT NOT NULL UNIQUE,
  trace_id TEXT, reference_trace_id TEXT, eval_type TEXT NOT NULL, score REAL, passed INTEGER, state TEXT,
  created_at TEXT NOT NULL, erased_at TEXT, result TEXT NOT NULL, output_text TEXT, expected_text TEXT
);
CREATE INDEX evaluations_created ON evaluations (tenant_id, created_at DESC, seq DESC);
CREATE INDEX evaluations_type ON evaluations (tenant_id, eval_type, created_at DESC, seq DESC);
CREATE INDEX evaluations_failed ON evaluations (tenant_id, created_at DESC, seq DESC) WHERE passed = 0;
CREATE INDEX evaluations_trace ON evaluations (trace_id, seq) WHERE trace_id IS NOT NULL;
CREATE INDEX evaluations_reference ON evaluations (reference_trace_id, seq) WHERE reference_trace_id IS NOT NULL;
CREATE TABLE failed (
  tenant_id TEXT NOT NULL, rule TEXT NOT NULL, ts TEXT NOT NULL,
  seq INTEGER NOT NULL REFERENCES traces (seq) ON DELETE CASCADE, PRIMARY KEY (tenant_id, rule, ts, seq)
) WITHOUT ROWID;
CREATE INDEX failed_seq ON failed (seq);
CREATE TABLE agents (
  tenant_id TEXT NOT NULL, agent TEXT NOT NULL, traces INTEGER NOT NULL DEFAULT 0, fails INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, agent)
) WITHOUT ROWID;
CREATE TABLE patterns (
  tenant_id TEXT NOT NULL, agent TEXT NOT NULL, pattern TEXT NOT NULL, PRIMARY KEY (tenant_id, agent, pattern)
) WITHOUT ROWID;
CREATE TABLE counts (
  tenant_id TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (tenant_id, field, value)
) WITHOUT ROWID;
CREATE TABLE trace_hours (
  tenant_id TEXT NOT NULL, hour TEXT NOT NULL, agent TEXT NOT NULL, traces INTEGER NOT NULL, errors INTEGER NOT NULL,
  latency_sum REAL NOT NULL, latency_n INTEGER NOT NULL, cost REAL NOT NULL, PRIMARY KEY (tenant_id, hour, agent)
) WITHOUT ROWID;
CREATE TABLE evaluation_hours (
  tenant_id TEXT NOT NULL, hour TEXT NOT NULL, evaluations INTEGER NOT NULL, judged INTEGER NOT NULL, passed INTEGER NOT NULL,
  score_sum REAL NOT NULL, pii INTEGER NOT NULL, injection INTEGER NOT NULL, hallucination INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, hour)
) WITHOUT ROWID;
CREATE TABLE rule_hours (
  tenant_id TEXT NOT NULL, hour TEXT NOT NULL, rule TEXT NOT NULL, run INTEGER NOT NULL, failed INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, hour, rule)
) WITHOUT ROWID;
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, tenant_id TEXT NOT NULL, ts TEXT NOT NULL, action TEXT NOT NULL, user TEXT NOT NULL,
  rule_id TEXT, trace_id TEXT, rule_name TEXT, details TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_ts ON audit (tenant_id, ts DESC, seq DESC);
CREATE INDEX audit_action ON audit (tenant_id, action, ts DESC, seq DESC);
CREATE TABLE preferences (
  tenant_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;
CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
""",
    ),
)
"""Each step's number and statements."""

NEWEST = STEPS[-1][0]
LEDGER = "CREATE TABLE IF NOT EXISTS _iris_migrations (id INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, version TEXT NOT NULL)"
SEARCH = """
CREATE VIRTUAL TABLE IF NOT EXISTS trace_text USING fts5 (input, output, content='bodies', content_rowid='seq');
INSERT OR IGNORE INTO marks VALUES ('indexed', 0);
"""
