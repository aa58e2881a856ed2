"""Random views and queries; each rewriting is executed with and without views."""
