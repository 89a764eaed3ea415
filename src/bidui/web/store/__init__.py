"""The bottom of the workbench: a workspace of project files, and beside it a database that remembers.

The files on disk are the truth. The database holds every state that a file was ever in (revisions), what people are
typing (drafts), and who they are (accounts and roles). A file that another program changes becomes a revision, too.

Open `workspace` first: a `Store` is one workspace, an `Entry` one of its projects. `files` saves, renames, restores and
deletes files; `disk` keeps files and revisions together whatever dies in between; `overview` says what a project holds;
`projects` brings whole projects in and takes them out. `database` has the tables; `migrations` makes them.
"""
