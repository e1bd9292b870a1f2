"""`python -m pubweave.deploy.healthy`: exit status 0 if the service in this container is alive."""

import os
import sys
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

_TIMEOUT_S = 4.0


def problem(address: str) -> str:
    """Why the service that answers at host:port is not alive; "" if it is."""
    port = address.rpartition(":")[2]
    if not port.isdigit():
        return f"nobody answers: PUBWEAVE_HEALTH names no port ({address!r})"
    # Never through a proxy: it would answer for itself.
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/healthz", timeout=_TIMEOUT_S):
            return ""
    except HTTPError as answer:
        return answer.read().decode("utf-8", "replace")
    except (URLError, OSError) as error:
        return f"nobody answers at port {port}: {error}"


if __name__ == "__main__":
    if sentence := problem(os.environ.get("PUBWEAVE_HEALTH", "")):
        sys.exit(sentence)
