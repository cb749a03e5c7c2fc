"""Gold and predictions that are joined by id without being held in memory: in parts that are scored by themselves.

Both sides are read piece by piece and dealt out by a hash of the id (`sides`). Each part is then a small join of its
own, which the protocol reads and scores as it would a whole (`parts`). The rows go back to the order of the gold
(`pieces`), so that sums, slices and findings are those of one join in memory, to the last digit and id.
"""
