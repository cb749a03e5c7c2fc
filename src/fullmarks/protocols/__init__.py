"""Protocols, one file per benchmark. `PROTOCOLS` names them all without importing any."""

from __future__ import annotations

from fullmarks.registry import Registry

PROTOCOLS = Registry(
    "protocol",
    "fullmarks.protocols",
    {
        "squad2": "fullmarks.protocols.squad2:Squad2",
        "squad1": "fullmarks.protocols.squad1:Squad1",
        "vqa": "fullmarks.protocols.vqa:Vqa",
        "qa": "fullmarks.protocols.qa:Qa",
        "webqa": "fullmarks.protocols.webqa:Webqa",
        "fusionbrain": "fullmarks.protocols.fusionbrain:Fusionbrain",
    },
)
