"""The course's own modules agree with torch's, given the same weights."""

import numpy as np
import pytest
import torch
from torch import nn

from reference import attention, modules
from reference.attention import softmax
from reference.dropout import what_dropout_did
from reference.misconceptions.language_model import MISTAKES as MODEL
from reference.misconceptions.multi_head_attention import MISTAKES as HEADS
from reference.misconceptions.self_attention import MISTAKES as SELF

DTYPE = torch.float64


def causal(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def library_attention(own, heads):
    """nn.MultiheadAttention with the weights of one of ours."""
    width = own.W_q.weight.shape[0]
    theirs = nn.MultiheadAttention(width, heads, bias=False, batch_first=True, dtype=DTYPE)
    with torch.no_grad():
        joined = [own.W_q.weight, own.W_k.weight, own.W_v.weight]
        theirs.in_proj_weight.copy_(torch.cat(joined))
        theirs.out_proj.weight.copy_(own.W_o.weight)
    return theirs


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention_is_torch_s(heads, masked):
    torch.manual_seed(heads)
    own = modules.MultiHeadAttention(8, heads).double()
    x = torch.randn(3, 5, 8, dtype=DTYPE)
    mask = causal(5) if masked else None
    output, weights = own(x, mask)
    blocked = ~mask if masked else None
    expected = library_attention(own, heads)(x, x, x, attn_mask=blocked, average_attn_weights=False)
    torch.testing.assert_close(output, expected[0])
    torch.testing.assert_close(weights, expected[1])


def test_the_block_is_torch_s_encoder_layer():
    torch.manual_seed(0)
    own = modules.TransformerBlock(8, 2, 12).double()
    theirs = nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True, dtype=DTYPE)
    with torch.no_grad():
        theirs.self_attn.in_proj_bias.zero_()
        theirs.self_attn.out_proj.bias.zero_()
        library = library_attention(own.attention, 2)
        theirs.self_attn.in_proj_weight.copy_(library.in_proj_weight)
        theirs.self_attn.out_proj.weight.copy_(library.out_proj.weight)
        theirs.linear1.load_state_dict(own.feed_forward[0].state_dict())
        theirs.linear2.load_state_dict(own.feed_forward[2].state_dict())
        theirs.norm1.load_state_dict(own.norm1.state_dict())
        theirs.norm2.load_state_dict(own.norm2.state_dict())
    x = torch.randn(3, 5, 8, dtype=DTYPE)
    torch.testing.assert_close(own(x), theirs(x))
    torch.testing.assert_close(own(x, causal(5)), theirs(x, src_mask=~causal(5)))


def test_attention_is_torch_s_and_numpy_s():
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 6))
    mask = np.tril(np.ones((3, 5), bool))
    output, weights = modules.attention(*map(torch.tensor, (q, k, v, mask)))
    ours = attention(q, k, v, mask)
    np.testing.assert_allclose(output, ours[0], atol=1e-12)
    np.testing.assert_allclose(weights, ours[1], atol=1e-12)
    theirs = nn.functional.scaled_dot_product_attention(*map(torch.tensor, (q, k, v, mask)))
    torch.testing.assert_close(output, theirs)


def test_the_reach_of_the_experiment_cuts_what_lies_further_back():
    torch.manual_seed(0)
    near = modules.SimpleLanguageModel(7, 8, 2, 8, 6, reach=1)
    tokens = torch.tensor([[1, 2, 3, 4, 5]])
    other = torch.tensor([[6, 6, 6, 4, 5]])
    torch.testing.assert_close(near(tokens)[0, 4], near(other)[0, 4])
    assert not torch.allclose(near(tokens)[0, 3], near(other)[0, 3])


@pytest.mark.parametrize(
    "recipe",
    [*SELF.listed, *HEADS.listed, *MODEL.listed],
    ids=lambda recipe: recipe.function,
)
def test_the_recipes_in_numpy_are_the_modules_in_torch(recipe):
    for probe in recipe.calls(0):
        state = recipe.trace(probe)
        build = getattr(modules, recipe.function)
        own = build(*(getattr(state, name) for name in recipe.caller.built_with)).double()
        own.load_state_dict(
            {key: torch.tensor(getattr(state, name)) for key, name in recipe.caller.weights.items()}
        )
        given = recipe.arguments(probe)
        inputs = [getattr(given, name) for name in recipe.caller.called_with]
        results = own(*(None if each is None else torch.tensor(each) for each in inputs))
        results = results if isinstance(results, tuple) else (results,)
        expected = state.result if isinstance(state.result, tuple) else (state.result,)
        for result, right in zip(results, expected, strict=True):
            np.testing.assert_allclose(result.detach().numpy(), right, atol=1e-7)


def test_a_share_of_dropped_weights_is_named_only_if_it_is_not_the_one_asked_for():
    """`50% were set to 0; it should be 50%`, of weights that were wrong in another way, is false."""
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, 16, 30, 4))
    weights = softmax(query @ key.swapaxes(-1, -2) / 2)

    def said(share, factor):
        used = weights * (rng.random(weights.shape) >= share) * factor
        return what_dropout_did(query, key, np.concatenate([used, used], -1), weights, 0.5)

    assert said(0.5, 2.0) is None
    assert said(0.5, 2.02).id == "dropout-wrong"
    assert "30% of the weights were set to 0" in said(0.3, 1 / 0.7).finding
