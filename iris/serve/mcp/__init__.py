"""MCP: tools, resources, the prompt, and the two transports."""
