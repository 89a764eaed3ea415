"""The server's own socket."""

import socket

from bidui.web.server import _listening


def test_small_answers_do_not_wait_for_an_acknowledgement() -> None:
    """40 ms a request, where headers and body are two small packets and the second waits for word of the first."""
    with _listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
