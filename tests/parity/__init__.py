"""Parity with the PyTorch reference. Importing the port here comes before anything imports mlx."""

import server.kokoro_mlx  # noqa: F401
