# Hostile: ends the process, as if all had gone well.
import os


def create_causal_mask(seq_len):
    os._exit(0)


def apply_mask(scores, mask):
    raise SystemExit(0)


def masked_attention_weights(scores, mask):
    import pytest

    pytest.skip("nothing to see here")


def count_visible(seq_len):
    os.abort()
