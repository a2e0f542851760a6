"""The version: pyproject.toml, the command line and signatures have it from here."""

VERSION = "0.2.0"
