from pubweave.contract.findings import Finding
from pubweave.contract.vocabulary import GateName


class GateFlag(Finding, tag="gate-flag", frozen=True, omit_defaults=True):
    """Europe PMC said whether a further resource has something (F-EPMC-09)."""

    gate: GateName
    open: bool
