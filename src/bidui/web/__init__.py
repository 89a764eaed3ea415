"""The workbench in the browser: pages, the calls behind them, and what stands behind those.

A request passes the guard (`guard`), which knows who asks (`accounts`), and ends in a call (`api`) or a page (`pages`);
a page is written from the answer of the call that is its JSON twin. Calls read and write the files of a workspace
through `store`, and understand texts through `editing`, whose workers make previews in processes of their own. What
takes long, counting and exporting pairs, is in `jobs`; what takes very long, scoring with models, waits in the queue of
`runs`, and `results` reads what it has written. `studies` is for those who use the store of studies without a server.
Errors become problems in the reader's language (`problems`).

Open `app` first: it puts the parts together. `workbench` is what they share while the server runs, `server` is
`bidui serve`, and `shapes` writes the TypeScript types of everything that is sent.
"""
