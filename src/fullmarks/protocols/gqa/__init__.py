"""GQA: accuracy of short answers with consistency, validity, plausibility and distribution."""
