"""The HTTP layer: Litestar routes over a `Household`."""
