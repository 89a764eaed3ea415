"""The sections of a report, each from results and what was asked for."""
