"""Scores: the token-score table, runs that resume, linking functions, and the choices they make."""
