"""Which host answers what. Each module maps hosts to a function from a request to what it asks."""

from collections.abc import Callable

from simnet.hosts import doi_org, ebi, ncbi, publishers, unpaywall
from simnet.messages import Ask, Request
from simnet.universe import Universe

Router = Callable[[Universe, Request], Ask]

ROUTERS: dict[str, Router] = {
    **ebi.HOSTS,
    **ncbi.HOSTS,
    **doi_org.HOSTS,
    **unpaywall.HOSTS,
    **publishers.HOSTS,
}
"""Every host of the simulated internet, in lower case; all others are unknown (502)."""
