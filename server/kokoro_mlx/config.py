"""The numbers of Kokoro-82M v1.0. Everything else in this package is derived from them.

Time runs on four clocks, each a whole multiple of the one before:

    frame     25 ms       what the duration predictor counts in; 40 a second
    half      12.5 ms     F0 and energy, and the decoder's output: 2 a frame
    bin       5 samples   one step of the inverse STFT: 60 a half
    sample    1/24000 s   5 a bin, 300 a half, 600 a frame
"""

SAMPLE_RATE_HZ = 24_000
HOP_SAMPLES = 5  # step of the generator's STFT
N_FFT = 20  # its window: four hops
N_BINS = N_FFT // 2 + 1
UPSAMPLE = (10, 6)  # the generator's two transposed convolutions
HALF_SAMPLES = UPSAMPLE[0] * UPSAMPLE[1] * HOP_SAMPLES  # 300
FRAME_SAMPLES = 2 * HALF_SAMPLES  # 600

N_TOKENS = 178  # rows of the symbol embeddings; 114 of them have a symbol
MAX_PHONEMES = 510  # PL-BERT has 512 positions, two of them taken by the pads
PAD_ID = 0

# PL-BERT: one ALBERT layer, applied twelve times
BERT_EMBEDDING = 128
BERT_HIDDEN = 768
BERT_HEADS = 12
BERT_FFN = 2048
BERT_REPEATS = 12

HIDDEN = 512  # text encoder, prosody
LSTM_HIDDEN = HIDDEN // 2  # per direction
TEXT_CONVS = 3
TEXT_KERNEL = 5
STYLE = 128  # half a style vector: [:128] decoder, [128:] prosody
STYLES_PER_VOICE = MAX_PHONEMES  # a voice is a table of style vectors, one for each phoneme count
DURATION_LAYERS = 3
MAX_UNITS = 50  # sigmoids summed to one duration

DECODER = 1024
ASR_RESIDUAL = 64
GENERATOR_CHANNELS = (512, 256, 128)  # before, between and after the two upsamplings
RESBLOCK_KERNELS = (3, 7, 11)
RESBLOCK_DILATIONS = (1, 3, 5)
NOISE_KERNELS = (7, 11)  # the residual blocks on the source's way in
POST_KERNEL = 7

HARMONICS = 9  # the fundamental and eight overtones
SINE_AMPLITUDE = 0.1
NOISE_STD = 0.003  # beside a voiced sine
VOICED_ABOVE_HZ = 10.0
