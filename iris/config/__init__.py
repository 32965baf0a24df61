"""What an operator set: defaults, config.json, the environment, flags, in that order; strict at every level."""
