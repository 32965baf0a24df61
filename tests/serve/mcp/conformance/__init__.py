"""The official conformance suite and the Inspector, run against this server: independent clients, in TypeScript."""
