"""Settings of the whole suite."""

from hypothesis import settings

# Tests never assert times, and a slow machine is not a fault of the code.
settings.register_profile("bidui", deadline=None)
settings.load_profile("bidui")
