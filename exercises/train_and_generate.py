# %% [markdown]
# # Training, and writing with the model
#
# *About 75 minutes. Needs to know what logits are (`language_model`); its model is given here.*
#
# The model of the last exercise knows nothing yet: its weights are random. Here it learns from
# sentences, and then writes some.
#
# **The loss.** At each position the model gives logits $z$ for the *next* word $w$. The loss is how
# surprised it is by the word that did come, on average over all positions that have a next word:
#
# $$\text{loss} = -\frac{1}{B (L - 1)} \sum_{b} \sum_{t=0}^{L-2}
#   \ln \text{softmax}(z_{b,t})_{w_{b,t+1}}$$
#
# | | shape | |
# |---|---|---|
# | logits | `(B, L, V)` | those of the last position speak of a word that is not there: left out |
# | tokens | `(B, L)` | the first word is nobody's next word: left out |
# | what meets | `logits[:, :-1]` and `tokens[:, 1:]` | the target is **shifted by one** |
#
# ![What training sees of “the cats near it sleep”: at position 0 the model sees “the” and should
# predict “cats”, at position 1 it sees “the cats” and should predict “near”, and so on. The last
# position has no word to predict and is not part of the loss. All rows are computed at
# once.](figures/train_and_generate.png)
#
# **By hand.** Two words `[0, 1]`, a vocabulary of 2. The logits at the first position are `[0, 1]`: the
# softmax gives word 1 the probability $e / (1 + e) = 0.731$, so the loss is $-\ln 0.731 = 0.313$. A
# model that knows nothing has $\ln V$: $0.693$ here.
#
# **A step of training:** compute the loss, clear the old gradients, compute new ones
# (`loss.backward()`), let the optimizer change the weights. PyTorch *adds* to gradients: without
# clearing them, every step would drag all steps before it along.
#
# **Writing:** give the model some words, look at the logits of the **last** position, choose a word,
# append it, and again. Choose the likeliest (*greedy*), or draw one from
# $\text{softmax}(z / T)$: a small temperature $T$ makes the likely words likelier still, a large one
# makes all alike.
#
# ![The same logits at three temperatures, as bars of probability. T = 0.5: 0.86, 0.12, 0.02,
# 0.00. T = 1: 0.64, 0.24, 0.09, 0.03. T = 2: 0.46, 0.28, 0.17, 0.10.](figures/temperature.png)

# %%
import random

import torch
from torch import nn

# %% [markdown]
# ## Your task
#
# The loss first.


# %%
def next_token_loss(logits, tokens):
    """logits: (B, L, V). tokens: (B, L), whole numbers.

    Returns one number, a tensor.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# Now the training. The optimizer is `torch.optim.AdamW` with the learning rate `lr`. Batches are used
# in turn, and again from the first when they have all been used. Some models behave differently while
# they are trained (dropout!): leave the model as you found it, `model.training` true or false.


# %%
def train(model, batches, steps, lr):
    """Changes the model's weights, `steps` times.

    batches: a list of tokens (B, L).
    Returns a list of floats: each step's loss before its change.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# And the writing. The model takes at most `model.max_seq_length` tokens: give it the **last** ones. At
# temperature 0 take the likeliest word; above it, draw from softmax(logits / temperature) with
# `torch.multinomial(..., generator=generator)`, so that the same generator gives the same words.


# %%
def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    """prompt: (L,), whole numbers.

    Returns the prompt with max_new_tokens more, (L + n,).
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## The experiment
#
# In “the **cats** near the old house **sleep**”, the verb agrees with a word far back. The sentences
# below have 0 to 6 words between subject and verb, other nouns among them. Two models learn from the
# same sentences: one may attend to every word before, the other only to itself and *one word back*.
# Which of them gets the verb right?
#
# Nothing is to be written here; read it, and run it.

# %%
SUBJECTS = [("cat", "cats"), ("dog", "dogs"), ("bird", "birds"), ("child", "children")]
VERBS = [("sleeps", "sleep"), ("sings", "sing"), ("waits", "wait"), ("hides", "hide")]
PLACES = ["house", "houses", "river", "tree", "trees", "garden"]


def words_between(count, rng):
    """So many words that say nothing about the number of the subject."""
    place, other = rng.choice(PLACES), rng.choice(PLACES)
    return {
        0: [],
        1: [rng.choice(["here", "outside"])],
        2: [rng.choice(["over", "out"]), "there"],
        3: [rng.choice(["near", "behind"]), "the", place],
        4: [rng.choice(["near", "behind"]), "the", rng.choice(["old", "small"]), place],
        5: ["that", "I", "saw", "near", place],
        6: ["near", "the", place, "behind", "the", other],
    }[count]


def make_sentence(count, rng):
    """A list of words: a sentence with `count` words between subject and verb."""
    number = rng.randrange(2)
    subject, verb = rng.choice(SUBJECTS)[number], rng.choice(VERBS)[number]
    return ["the", subject, *words_between(count, rng), verb, "."]


def make_vocabulary():
    """Every word that can occur, in alphabetical order."""
    rng = random.Random(0)
    return sorted(
        {word for count in range(7) for _ in range(500) for word in make_sentence(count, rng)}
    )


# %%
class Model(nn.Module):
    """The last exercise's model in PyTorch's parts; `reach` cuts its mask."""

    def __init__(self, vocab_size, max_seq_length=12, d_model=32, reach=None):
        super().__init__()
        self.max_seq_length = max_seq_length
        self.reach = reach
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = nn.TransformerEncoderLayer(d_model, 2, 64, dropout=0.0, batch_first=True)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, tokens):
        length = tokens.size(1)
        allowed = torch.ones(length, length, dtype=torch.bool).tril()
        if self.reach is not None:
            allowed = allowed.triu(-self.reach)
        x = self.token_embedding(tokens) + self.position_embedding(torch.arange(length))
        # PyTorch's own layer has the opposite convention: there, True means “blocked”
        return self.output_projection(self.block(x, src_mask=~allowed))


# %%
def run_experiment(reach, steps=300, seed=0):
    """Trains a model; its share of right verbs for 0 to 6 words in between."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    vocabulary = make_vocabulary()
    numbers = {word: index for index, word in enumerate(vocabulary)}

    def make_batch(count, size):
        sentences = [make_sentence(count, rng) for _ in range(size)]
        return torch.tensor([[numbers[word] for word in sentence] for sentence in sentences])

    model = Model(len(vocabulary), reach=reach)
    train(model, [make_batch(step % 7, 32) for step in range(steps)], steps, lr=3e-3)
    shares = []
    for count in range(7):
        tokens = make_batch(count, 200)
        with torch.no_grad():
            logits = model(tokens[:, :-2])[:, -1]
        singular, plural = (
            torch.tensor([numbers[verb] for verb in verbs]) for verbs in zip(*VERBS, strict=True)
        )
        says_plural = logits[:, plural].amax(1) > logits[:, singular].amax(1)
        is_plural = torch.isin(tokens[:, -2], plural)
        shares.append((says_plural == is_plural).float().mean().item())
    return model, vocabulary, shares


# %% [markdown]
# Run the next cell; it takes some seconds. After a sentence of each kind and the loss of the example
# (0.313) you should see two curves: the model that attends to all words is right at every distance,
# and the other one as long as the subject is within its reach, at 0 and 1 words in between. From 2 on it can only guess, and is right half of the time. With a right
# `train`, the shares of right verbs are these:
#
# | words between subject and verb | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
# |---|---|---|---|---|---|---|---|
# | attends to every word before | 100 % | 100 % | 100 % | 100 % | 100 % | 100 % | 100 % |
# | attends to one word back | 100 % | 100 % | 51 % | 54 % | 52 % | 46 % | 47 % |

# %%
if __name__ == "__main__":
    import matplotlib.pyplot as plt

    for count in range(7):
        print(f"{count} between:", *make_sentence(count, random.Random(count)))
    try:
        print(
            "loss:",
            next_token_loss(torch.tensor([[[0.0, 1.0], [0.0, 0.0]]]), torch.tensor([[0, 1]])),
        )
        for reach, label in ((None, "every word before"), (1, "one word back")):
            model, vocabulary, shares = run_experiment(reach)
            print(f"{label:18}", *(f"{share:.0%}" for share in shares))
            plt.plot(range(7), shares, marker="o", label=f"attends to {label}")
            if reach is None:
                prompt = torch.tensor([vocabulary.index(word) for word in ("the", "cats", "near")])
                written = generate(model, prompt, 6, 0.8, torch.Generator().manual_seed(1))
                print(*(vocabulary[index] for index in written))
        plt.xlabel("words between subject and verb")
        plt.ylabel("share of verbs with the right number")
        plt.ylim(0, 1.05)
        plt.legend()
        plt.show()
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check train_and_generate
#
# It shows your points and, if something is not right yet, what it is and a hint; `--hint` shows one
# more. With `watch` in place of `check` it does so whenever you save.

# %% [markdown]
# ## Where this comes from
#
# Section 5 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762) for the training, and [Linzen, Dupoux and Goldberg
# (2016)](https://arxiv.org/abs/1611.01368) for the experiment with verbs. PyTorch's own:
# `torch.nn.functional.cross_entropy`,
# [torch.optim.AdamW](https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html) and
# `torch.multinomial`.
#
# ## Go on reading
#
# - [Loshchilov and Hutter (2017)](https://arxiv.org/abs/1711.05101): the optimizer, AdamW.
# - [Holtzman et al., *The Curious Case of Neural Text Degeneration*
#   (2019)](https://arxiv.org/abs/1904.09751): greedy, temperature, and what is used in their
#   place.
# - [Goldberg, *Assessing BERT's Syntactic Abilities* (2019)](https://arxiv.org/abs/1901.05287):
#   the same question to a large model.
