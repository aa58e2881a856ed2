"""Apache Calcite, measured beside the rewriter."""
