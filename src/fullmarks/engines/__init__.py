"""Where the work runs: in this process or on all cores. Same digits everywhere."""
