"""The JSON calls of the workbench, one module per subject, each with the shapes of what it takes and sends.

Bodies come in as Pydantic models, which check them. Answers go out as frozen dataclasses, where possible the values of
the store or of the editing room themselves. FastAPI describes them in OpenAPI, and from that description come the types
of the front end (`bidui.web.shapes`). What is wrong is raised as an `InputError`, and `bidui.web.guard` answers it.

Open `files` first. What most calls take, the project with the caller's role in it, comes from `bidui.web.accounts`.
"""
