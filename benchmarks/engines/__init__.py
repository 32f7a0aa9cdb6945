"""This port beside the other engines that run Kokoro-82M: the same weights, phonemes and machine, in one run."""
