"""The library: what people drop, read into chapters, blocks and sentences, or refused with a reason."""
