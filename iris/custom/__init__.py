"""Custom rules that were deployed: a pack of one YAML file a rule under the Iris home, shared by every process."""
