"""Reading and scoring piece by piece: what is done with a shard, and how the pieces are put together again."""
