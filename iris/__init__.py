"""Iris judges what AI agents did: their answers, their tool calls, their cost."""

__version__ = "0.1.0"
