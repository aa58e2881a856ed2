"""Superset's configuration: its own database is a file in the folder in which it is started."""

from pathlib import Path

SECRET_KEY = "of no worth: nobody logs in"
SQLALCHEMY_DATABASE_URI = f"sqlite:///{Path.cwd()}/superset.db"  # a relative path would be inside Superset's package
FILTER_STATE_CACHE_CONFIG = EXPLORE_FORM_DATA_CACHE_CONFIG = {"CACHE_TYPE": "NullCache"}
