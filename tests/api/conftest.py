"""The library is tested in the surroundings of the command line: nothing of the machine, a simulated internet."""

from services.cli.conftest import _alone, internet, net

__all__ = ["_alone", "internet", "net"]
