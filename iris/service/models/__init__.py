"""The arguments of every operation as strict models; MCP input schemas and the OpenAPI document are made of them."""
