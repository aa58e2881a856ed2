"""A Superset that keeps its own things in a file of the folder that it is started in."""

SECRET_KEY = "of no worth: nobody logs in"
SQLALCHEMY_DATABASE_URI = "sqlite:///superset.db"
FILTER_STATE_CACHE_CONFIG = EXPLORE_FORM_DATA_CACHE_CONFIG = {"CACHE_TYPE": "NullCache"}
