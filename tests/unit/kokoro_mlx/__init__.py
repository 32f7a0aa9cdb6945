"""Unit tests of the port. Importing it here comes before any test module imports mlx, whose BLAS it replaces."""

import server.kokoro_mlx  # noqa: F401
