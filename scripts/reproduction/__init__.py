"""The experiments of the papers that Scree's methods come from, made anew: see docs/reproduction/index.md."""
