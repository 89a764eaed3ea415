"""`bidui serve`: start the workbench in a browser."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

import bidui

SECRET = "BIDUI_SECRET"


def serve(
    project: Annotated[Path, typer.Argument(help="Project folder, or a folder that contains projects.")] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8000,
    host: Annotated[
        str, typer.Option(help="Address to listen on; --team is required if other machines can reach it.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the workbench in a browser.")] = True,
    database: Annotated[
        str | None,
        typer.Option(help="Database URL, postgresql://user@host/name. Default: an SQLite file in the folder."),
    ] = None,
    lang: Annotated[
        Literal["en", "zh"] | None, typer.Option(help="Language of the pages. Default: the browser's language.")
    ] = None,
    team: Annotated[
        bool, typer.Option("--team", help=f"Enable accounts; requires {SECRET} in the environment.")
    ] = False,
    owner: Annotated[
        str | None, typer.Option(help="Make this person an owner of the team, and print a link to choose a password.")
    ] = None,
    public_host: Annotated[
        list[str] | None, typer.Option(help="Host name under which others reach the server; may be repeated.")
    ] = None,
    https: Annotated[bool, typer.Option("--https", help="The server is behind an https proxy.")] = False,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="Model that editors of a team may score with, besides the one shipped with bidui; may be repeated. "
            "Without --team, any model can be chosen.",
        ),
    ] = None,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Use the database of --database although it belongs to another folder.")
    ] = False,
) -> None:
    """Write paradigms in the browser and see the pairs as you type.

    The project files remain the source of truth; revisions, drafts and accounts are kept in a database next to them.
    Without --team, only this machine can open the workbench, and only through the printed address. A team sets
    BIDUI_SECRET, names its first owner with --owner, and invites the others from the Team page.
    """
    service = bidui.Service(
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
        adopt=adopt,
        models=tuple(model or ()),
    )
    bidui.serve(service, say=typer.echo, browser=browser)
