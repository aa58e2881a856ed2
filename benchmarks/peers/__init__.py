"""Other rewriters, measured over the same tables, views and queries."""
