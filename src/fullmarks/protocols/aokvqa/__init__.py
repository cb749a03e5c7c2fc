"""A-OKVQA: questions that need world knowledge, with choices and with direct answers."""
