"""The search language: short `key:value` terms and conditions of the rule language over stored runs."""
