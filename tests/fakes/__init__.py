"""Stand-ins with documented behaviour, for tests of what lies around the real thing."""
