"""The HTTP layer: Litestar routes over a `Household`."""

from server.api.routes import create_app

__all__ = ["create_app"]
