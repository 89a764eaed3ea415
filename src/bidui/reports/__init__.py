"""Reports: tables, figures and published results."""
