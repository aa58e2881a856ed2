"""Other rewriters on the same tables, views and queries."""
