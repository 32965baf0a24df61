"""Where traces, their spans, evaluations and the audit log are kept; one interface, SQLite behind it."""
