"""Kokoro-82M in MLX."""
