"""Tailscale as this machine knows it: its own state, who a peer is, what `tailscale serve` puts in front."""
