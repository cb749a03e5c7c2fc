"""HotpotQA."""
