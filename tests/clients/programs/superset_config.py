"""A Superset that keeps its own things in a file of the folder that it is started in."""

from pathlib import Path

SECRET_KEY = "of no worth: nobody logs in"
SQLALCHEMY_DATABASE_URI = f"sqlite:///{Path.cwd()}/superset.db"  # a relative one lies in its package
FILTER_STATE_CACHE_CONFIG = EXPLORE_FORM_DATA_CACHE_CONFIG = {"CACHE_TYPE": "NullCache"}
