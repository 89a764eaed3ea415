"""Settings: how a workbench is served, decided once when it starts."""

from dataclasses import dataclass

from bidui.words import Language

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Settings:
    """For whom (one person at the machine, or a team), under which names, in which language, and how much is taken.

    A body is what a request carries: a text of a project, or for an import (`upload`) a whole one.
    """

    team: bool = False
    hosts: frozenset[str] = frozenset()  # the names in the Host header that are this server's, with their ports
    secure: bool = False  # reached by https
    cookie: str = "bidui_session"  # browsers do not keep the cookies of two ports apart, so each server has its own
    secret: str = ""  # signs the cookies of sessions; another secret ends them all
    lang: Language | None = None  # for those who have not chosen; None leaves it to their browsers
    body: int = 24_000_000  # bytes; the largest file of a project has 20 million
    upload: int = 110_000_000
    form: int = 20_000  # a name and a password


def host_names(names: tuple[str, ...], *, port: int, secure: bool = False) -> frozenset[str]:
    """The Host headers that browsers send for these names; one with a port, as of a proxy, stays as it is."""
    usual = 443 if secure else 80
    plain = {name.lower() for name in names}
    bare = {name for name in plain if not name.rpartition(":")[2].isdigit() or name.endswith("]")}
    with_port = {f"{name}:{port}" for name in bare}
    return frozenset(plain - bare | with_port | (bare if port == usual or secure else set()))
