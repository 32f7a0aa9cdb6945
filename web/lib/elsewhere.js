/** Pages of other servers that the dashboard links to, and never asks anything. */

export const TAILSCALE = { name: "tailscale.com/download", href: "https://tailscale.com/download" };
