"""Where the work runs: in this process, on all cores, on a cluster. Same digits everywhere.

`ENGINES` names the engines without importing any.
"""

from __future__ import annotations

from fullmarks.registry import Registry

ENGINES = Registry(
    "engine",
    "fullmarks.engines",
    {
        "here": "fullmarks.engines.here:Here",
        "cores": "fullmarks.engines.cores:Cores",
        "ray": "fullmarks.engines.ray_cluster:RayCluster",
    },
    advice="Engines are here, cores and ray, and those of other packages",
)
