"""Scale: many tasks, one after another or in parallel, on one machine or on several that share a disk.

`tasks.run_all` runs commands as processes, skips those that are done, and shares the work with other machines by claims
in a folder; open `tasks.py` first. `suites.run_suite` makes one such task of every run of a suite of models. Nothing
here knows how a run trains: a task is a `bidui train` command, and a test that says whether its folder is complete.
"""
