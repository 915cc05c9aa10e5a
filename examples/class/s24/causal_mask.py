import sys

import numpy as np


def create_causal_mask(seq_len):
    seq_len = seq_len or int(input("How long? "))
    return np.tril(np.ones((seq_len, seq_len)))


def apply_mask(scores, mask):
    fill = float(input("Fill value? "))
    return np.where(mask, scores, fill)


def masked_attention_weights(scores, mask):
    sys.exit("not done yet")


def count_visible(seq_len):
    return count_visible(seq_len - 1) + [seq_len]
