# Hostile: objects in place of numbers.
import numpy as np


class Yes:
    def __eq__(self, other):
        return True

    def __float__(self):
        return 1.0


def create_causal_mask(seq_len):
    return np.array([[Yes() for _ in range(seq_len)] for _ in range(seq_len)], dtype=object)


def apply_mask(scores, mask):
    return Yes()


def masked_attention_weights(scores, mask):
    return np.nan


def count_visible(seq_len):
    return "1, 2, 3"
