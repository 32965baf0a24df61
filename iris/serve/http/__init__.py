"""HTTP: guards, sessions, limits, routes, live events and the OpenAPI document."""
