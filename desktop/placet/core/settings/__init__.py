"""Declared options, config.toml and the files of PLACET_HOME."""
