"""Neural models behind small interfaces; torch and its friends are imported inside functions only."""
