"""The commands. Only this package prints and exits; nothing imports it."""
