"""The command line: one file a command, each a typed function over the public API."""
