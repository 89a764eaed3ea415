"""The `bidui` command: its subcommands, and what it prints when something goes wrong."""

import io
import signal
import sys
from importlib.metadata import version as installed_version
from types import FrameType
from typing import Annotated

import typer
from rich.markup import escape

import bidui
from bidui.cli import corpus, messages, pairs, project, report, scores, serve, study, suite, train, trees

TERMINATED = 128 + signal.SIGTERM  # the exit code that shells show for a process that SIGTERM ended

app = typer.Typer(
    help="bidui 比对: write linguistic contrasts, generate minimal pairs, and test language models on them.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (project.new, project.check, pairs.generate, pairs.diversity, scores.score, scores.compare, scores.show):
    app.command()(command)
app.command(cls=corpus.PruneCommand)(corpus.ngram)
app.command()(report.report)
app.command()(train.train)
app.command()(train.push)
app.command()(suite.suite)
app.command()(serve.serve)
app.command("import-classic")(project.import_classic)
app.command("export-classic")(project.export_classic)
app.command("export-scores")(scores.export_scores)
app.command("export-lm-eval")(pairs.export_lm_eval)
app.add_typer(corpus.tokenizer_app, name="tokenizer")
app.add_typer(corpus.app, name="corpus")
app.add_typer(study.app, name="study")
app.add_typer(trees.app, name="trees")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bidui {installed_version('bidui')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """bidui 比对: write linguistic contrasts, generate minimal pairs, and test language models on them."""


def run() -> None:
    """Run the command line: a user's mistake gives a message and exit code 2, never a traceback.

    A signal that stops long work gives 128 and its number, as in shells: 130 for Ctrl-C, 143 for SIGTERM.
    """
    for stream in (sys.stdout, sys.stderr):  # a code page of Windows lacks most characters: nothing is lost
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        app(prog_name="bidui", standalone_mode=True)
    except bidui.Interruption as error:
        messages().print(escape(str(error)), highlight=False)
        sys.exit(128 + error.signal)
    except bidui.BiduiError as error:
        messages().print(escape(str(error)), style="red", highlight=False)
        sys.exit(2)
    except SystemExit as ended:
        if ended.code in (130, TERMINATED):  # the first is what typer makes of Ctrl-C
            typer.echo("interrupted; run the same command again to resume", err=True)
        raise
    except BrokenPipeError:
        sys.exit(141)
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave(number: int, frame: FrameType | None) -> None:
    """End as an exception does, so that temporary files are removed; long work handles SIGTERM itself meanwhile."""
    sys.exit(TERMINATED)
