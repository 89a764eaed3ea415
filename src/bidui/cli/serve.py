"""`bidui serve`: the workbench in a browser."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

SECRET = "BIDUI_SECRET"


def serve(
    project: Annotated[Path, typer.Argument(help="A project folder, or a folder that holds projects.")] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen on; other machines need --team.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    database: Annotated[
        str | None, typer.Option(help="postgresql://user@host/name; without it, SQLite in the folder.")
    ] = None,
    lang: Annotated[
        Literal["en", "zh"] | None, typer.Option(help="Language of the pages; without it, as browsers ask.")
    ] = None,
    team: Annotated[bool, typer.Option("--team", help=f"With accounts; needs {SECRET} in the environment.")] = False,
    owner: Annotated[
        str | None, typer.Option(help="Make NAME an owner of the team, and print a link to choose a password.")
    ] = None,
    public_host: Annotated[
        list[str] | None, typer.Option(help="A name that others reach the server by; may be repeated.")
    ] = None,
    https: Annotated[bool, typer.Option("--https", help="A proxy before the server speaks https.")] = False,
) -> None:
    """Write paradigms in the browser, and see the pairs as you type.

    The project files stay the truth; revisions, drafts and accounts are in a database beside them. Without --team,
    only this machine can reach it, and only with the address that is printed. A team sets BIDUI_SECRET, names its first
    owner with --owner, and invites the others from the page.
    """
    from bidui.web.server import Service, serve

    service = Service(
        root=project,
        host=host,
        port=port,
        database=database,
        team=team or owner is not None,
        owner=owner,
        secret=os.environ.get(SECRET, ""),
        public_hosts=tuple(public_host or ()),
        secure=https,
        lang=lang,
    )
    serve(service, say=typer.echo, browser=browser)
