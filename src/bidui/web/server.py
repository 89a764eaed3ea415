"""The server: `bidui serve` opens a workbench at an address of this machine and serves it until it is stopped."""

import gc
import ipaddress
import logging
import os
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from errno import EADDRINUSE
from pathlib import Path

import uvicorn

from bidui.benchmarks import entries, is_project_zip
from bidui.errors import Place, fail
from bidui.files import hold_lock
from bidui.models.specs import parse_spec
from bidui.web.app import make_app
from bidui.web.connections import BACKLOG, PunctualProtocol, SparingLog
from bidui.web.store import accounts
from bidui.web.store.accounts import User
from bidui.web.store.workspace import Store
from bidui.web.workbench import LOOPBACK, Settings, host_names, open_workbench
from bidui.words import Language

SHORTEST_SECRET = 16
# Collect garbage rarely: by default, saving a lexicon of 20,000 words collects everything twice while all people wait.
COLLECTING = (100_000, 20, 20)
GRACE = 5  # seconds that open requests get when the server ends


@dataclass(frozen=True, slots=True)
class Service:
    """What is served: a folder, at which address, for whom; the options of `bidui serve`."""

    root: Path
    host: str = "127.0.0.1"
    port: int = 8000
    database: str | None = None
    team: bool = False
    owner: str | None = None
    secret: str = ""
    public_hosts: tuple[str, ...] = ()
    secure: bool = False
    lang: Language | None = None
    adopt: bool = False
    models: tuple[str, ...] = ()


def serve(service: str | Path | Service, *, say: Callable[[str], None] = print, browser: bool = False) -> None:
    """Serve until a key or a signal ends it; `say` prints the addresses, whose tokens are shown only once.

    `service` may also be the folder of a project or of several, which is served on this machine only.
    """
    service = service if isinstance(service, Service) else Service(Path(service))
    check_service(service)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both ways to stop are one
    gc.set_threshold(*COLLECTING)
    with suppress(KeyboardInterrupt), _listening(service.host, service.port) as listener:
        port = listener.getsockname()[1]
        home = _home(service, port)
        settings = _settings(service, port)
        with (
            open_workbench(service.root, settings=settings, database=service.database, adopt=service.adopt) as bench,
            _alone(bench.store, home),
        ):
            bench.runs.resume()  # not before we are alone: another server may be at work on the same runs
            address = _first_address(service, bench.store, home)
            say(f"bidui is at {home}" if not address else f"open {address} (it works once)")
            for line in _accounts(service, bench.store):
                say(line)
            say("Ctrl-C ends it; everything written is kept")
            config = uvicorn.Config(
                make_app(bench),
                http=PunctualProtocol,
                backlog=BACKLOG,
                lifespan="off",
                ws="none",
                log_level="warning",
                access_log=False,  # addresses hold tokens
                server_header=False,
                proxy_headers=service.secure,
                timeout_graceful_shutdown=GRACE,
            )
            for name in ("uvicorn.error", "asyncio"):
                logging.getLogger(name).addFilter(SparingLog())
            with _browser(address, folder=bench.store.hidden, wanted=browser and not service.team):
                _Server(config).run(sockets=[listener])
    say("ended")


@contextmanager
def _alone(store: Store, home: str) -> Iterator[None]:
    """Refuse to serve a folder that another process serves: each start ends the sessions of the one before."""
    file = store.hidden / "serving"
    with ExitStack() as stack:
        try:
            stack.enter_context(hold_lock(file))
        except BlockingIOError:
            values = {"address": file.read_text("utf-8", "replace").strip() or "?"}
            raise fail("already-served", Place(str(store.root)), values) from None
        with suppress(OSError):
            file.write_text(home, "utf-8")
        yield


class _Server(uvicorn.Server):
    """A server that ends soon after its grace period, whatever its threads are still doing; files are never half
    written, and the next start finishes what is pending."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for open requests, up to the grace period."""
        end = threading.Timer(GRACE + 5, os._exit, args=(0,))
        end.daemon = True
        end.start()
        await super().shutdown(sockets)


@contextmanager
def _browser(address: str, *, folder: Path, wanted: bool) -> Iterator[None]:
    """Open a browser at an address through a file that leads there, which is removed in the end.

    Every user of the machine can read the command line of a browser, and whoever opens the address owns the session.
    Where the file cannot be written or opened, the address that was printed remains.
    """
    file = folder / "open.html"
    file.unlink(missing_ok=True)  # of a server that was killed
    if wanted and address:
        page = (
            f'<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>bidui</title>'
            f'<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">bidui</a>\n'
        )
        with suppress(OSError):
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
                output.write(page)
            threading.Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def check_service(service: Service) -> None:
    """Refuse a benchmark, to be reached from other machines without accounts and a secret, and what is no model."""
    if not service.root.is_dir() and (str(service.root) in entries() or is_project_zip(service.root)):
        values = {"name": str(service.root), "copy": f"my-{service.root.stem}"}
        raise fail("serve-benchmark", Place(), values)
    if not service.team and not (is_loopback(service.host) and not service.public_hosts):
        raise fail("team-needed", Place(), {"host": ", ".join((service.host, *service.public_hosts))})
    if service.host in {"0.0.0.0", "::"} and not service.public_hosts:
        raise fail("public-host-needed", Place(), {"host": service.host})
    if service.team and len(service.secret) < SHORTEST_SECRET:
        raise fail("secret-needed", Place(), {"least": SHORTEST_SECRET})
    for model in service.models:
        parse_spec(model)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that takes connections; they wait until the server is ready."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        # Connections take it over; without it small answers wait 40 ms for the browser to acknowledge their headers.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        if error.errno == EADDRINUSE:
            raise fail("port-taken", Place(), {"port": port}) from None
        raise fail("address-unusable", Place(), {"host": host, "reason": error.strerror or str(error)}) from None


def _settings(service: Service, port: int) -> Settings:
    names = (_bracketed(service.host), *(LOOPBACK if is_loopback(service.host) else ()), *service.public_hosts)
    return Settings(
        team=service.team,
        hosts=host_names(names, port=port, secure=service.secure),
        secure=service.secure,
        cookie=f"__Host-bidui_session_{port}" if service.secure else f"bidui_session_{port}",  # no neighbour sets it
        secret=service.secret if service.team else "",
        lang=service.lang,
        models=service.models,
    )


def _home(service: Service, port: int) -> str:
    """Return the address that people type: the public name where there is one."""
    scheme = "https" if service.secure else "http"
    if service.public_hosts:
        name = service.public_hosts[0]
        return f"{scheme}://{name}" if service.secure or ":" in name else f"{scheme}://{name}:{port}"
    return f"{scheme}://{_bracketed(service.host)}:{port}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _first_address(service: Service, store: Store, home: str) -> str:
    """Return the address that lets the first person in; empty where a team has its owners."""
    if not service.team:
        return f"{home}/start/{accounts.start_token(store)}"
    if service.owner is not None:
        return f"{home}/password/{accounts.password_link(store, make_owner(store, service.owner))}"
    if not any(member.role == "owner" for member in accounts.members(store)):
        raise fail("owner-needed", Place())
    return ""


def _accounts(service: Service, store: Store) -> Iterator[str]:
    """Say who can sign in: a database that was copied with its folder brings accounts that somebody else has made."""
    roles = {member.id: f"{member.role} of all projects" for member in accounts.members(store)}
    people = [
        f"{user.name} ({roles.get(user.id, 'some projects')})" for user in accounts.users(store) if not user.closed
    ]
    offers = len(accounts.invitations(store))
    if people and service.team:
        yield f"accounts that can sign in: {', '.join(people)}"
    elif people:
        yield f"accounts in the database, which cannot sign in without --team: {', '.join(people)}"
    if offers and service.team:
        yield f"invitations that nobody has used yet: {offers}"


def make_owner(store: Store, name: str) -> User:
    """Make somebody an owner of the workspace, with an account if she has none; she chooses the password by a link."""
    known = {accounts.user_key(user.name): user for user in accounts.users(store)}
    who = known.get(accounts.user_key(name)) or accounts.add_user(store, name, secrets.token_urlsafe(32))
    if who.closed:
        accounts.open_account(store, who)
    accounts.set_role(store, who, "owner")
    return who
