"""The servers: MCP on stdio and Streamable HTTP, and the HTTP interface with ingest, lists and live events."""
