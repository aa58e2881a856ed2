"""Apache Calcite as a peer of the rewriter."""
