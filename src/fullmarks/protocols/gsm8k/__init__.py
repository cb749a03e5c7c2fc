"""GSM8K."""
