"""What Iris does for a caller, whatever the transport: models of arguments, errors, operations."""
