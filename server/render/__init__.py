"""From text to kept audio: what is spoken, in what order, and how it is stored."""
