"""InfographicVQA: ANLS of answers about infographics."""
