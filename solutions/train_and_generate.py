# %% [markdown]
# # Training and generation
#
# *About 75 minutes. Needs the meaning of logits (`language_model`). The model is given.*
#
# The model of the last exercise knows nothing yet: its weights are random. Here it learns from
# sentences, and then generates some. Each token is a word.
#
# **The loss.** At each position the model gives logits $z$ for the *next* token $w$. The loss says how
# surprised it is by the token that did come, on average over all positions that have a next token:
#
# $$\text{loss} = -\frac{1}{B (L - 1)} \sum_{b} \sum_{t=0}^{L-2}
#   \ln \text{softmax}(z_{b,t})_{w_{b,t+1}}$$
#
# | | shape | |
# |---|---|---|
# | logits | `(B, L, V)` | those of the last position have no target: left out |
# | tokens | `(B, L)` | the first token is no target: left out |
# | pairs | `logits[:, :-1]` and `tokens[:, 1:]` | the target is **shifted by one** |
#
# ![Training on “the cats near it sleep”. At position 0 the model reads “the” and should predict
# “cats”. At position 1 it reads “the cats” and should predict “near”. The last position has no next
# token, and is not part of the loss. All positions are computed at
# once.](figures/train_and_generate.png)
#
# **By hand.** Two tokens `[0, 1]`, a vocabulary of 2. The logits at the first position are `[0, 1]`: the
# softmax gives token 1 the probability $e / (1 + e) = 0.731$, so the loss is $-\ln 0.731 = 0.313$. A
# model that gives every token the same probability has the loss $\ln V$: $0.693$ here.
#
# **A step of training:** compute the loss, clear the old gradients, compute new ones
# (`loss.backward()`), let the optimizer change the weights. Why clear them? PyTorch *adds* to gradients.
# If they were not cleared, each step would use the sum of the gradients of all steps so far.
#
# **Generation:** give the model some tokens, look at the logits of the **last** position, choose a token,
# append it, and repeat.
#
# Which token? The likeliest (*greedy*), or one sampled from $\text{softmax}(z / T)$. A small temperature
# $T$ makes the likely tokens even likelier. A large one makes the probabilities more alike.
#
# ![Probabilities of the same logits at three temperatures, as bars. T = 0.5: 0.86, 0.12, 0.02, 0.00. T
# = 1: 0.64, 0.24, 0.09, 0.03. T = 2: 0.46, 0.28, 0.17, 0.10.](figures/temperature.png)

# %%
import random

import torch
from torch import nn

# %% [markdown]
# ## Your task
#
# Write three functions, the loss first. What is graded:
#
# - **Loss.** The loss is the mean over all predictions, in one tensor, for logits as large as ±20
#   too.
# - **Gradient.** The gradient of the loss reaches the logits.
# - **No side effects.** None of the three functions changes its arguments (but for the weights in
#   `train`), and no result depends on earlier calls.


# %%
def next_token_loss(logits, tokens):
    """logits: (B, L, V). tokens: (B, L), whole numbers; L is at least 2.

    Returns one number, a tensor: the mean over all B · (L - 1) predictions.
    """
    ### BEGIN SOLUTION
    predictions = logits[:, :-1].flatten(0, 1)
    targets = tokens[:, 1:].flatten()
    return nn.functional.cross_entropy(predictions, targets)
    ### END SOLUTION


# %% [markdown]
# Now the training. What is graded:
#
# - **Steps.** Each step uses one batch. Batches are used in turn, and again from the first when all
#   have been used. No step uses gradients of another batch, or from before the call. The losses are
#   those before each step's change.
# - **Optimizer.** The optimizer is `torch.optim.AdamW` with the learning rate `lr` and no other
#   settings: one for all steps. There is no gradient clipping, no warm-up and no other change of the
#   learning rate.
# - **Same model.** The weights of the given model change, not those of a copy.
# - **Mode.** A model in training mode is trained in it, so that its dropout acts; `model.train()` sets
#   this mode. When `train` returns, `model.training` is what it was before.


# %%
def train(model, batches, steps, lr):
    """Changes the model's weights, `steps` times.

    batches: a list of tensors of tokens, (B, L); L may differ.
    Returns a list of floats: the loss of each step, before its change.
    """
    ### BEGIN SOLUTION
    was_training = model.training
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    losses = []
    for step in range(steps):
        tokens = batches[step % len(batches)]
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.train(was_training)
    return losses
    ### END SOLUTION


# %% [markdown]
# And the generation. The mode of the model does not matter: the models here have no dropout. What is
# graded:
#
# - **Greedy.** At temperature 0 the likeliest token is appended each time.
# - **Context.** The model takes at most `model.max_seq_length` tokens. Give it the last ones, as many
#   as it takes.
# - **Sampling.** Above temperature 0, sample from softmax(logits / temperature) in any way, for
#   example with `torch.multinomial(..., generator=generator)`.
# - **Random numbers.** All random numbers come from `generator`: the same seed gives the same tokens.
#   Without a generator, they come from PyTorch's own.


# %%
def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    """prompt: (L,), whole numbers. max_new_tokens: how many to append, 0 or more.

    temperature: 0 for the likeliest token each time, else to sample.
    generator: a torch.Generator to sample with, or None for PyTorch's own.
    Returns the prompt and the new tokens, (L + max_new_tokens,).
    """
    ### BEGIN SOLUTION
    tokens = prompt
    with torch.no_grad():
        for _ in range(max_new_tokens):
            context = tokens[-model.max_seq_length :]
            logits = model(context.unsqueeze(0))[0, -1]
            if temperature == 0:
                chosen = logits.argmax().unsqueeze(0)
            else:
                probabilities = torch.softmax(logits / temperature, dim=-1)
                chosen = torch.multinomial(probabilities, 1, generator=generator)
            tokens = torch.cat([tokens, chosen])
    return tokens
    ### END SOLUTION


# %% [markdown]
# ## The experiment
#
# In “the **cats** near the old house **sleep**”, the verb agrees with a word far back. The sentences
# below have 0 to 6 words between subject and verb, other nouns among them. Two models learn from the
# same sentences. In one, each token may attend to itself and to every token before it; in the other, to
# itself and to *one token back*. Which of them gets the verb right?
#
# You need not write anything here: read it, and run it.

# %%
SUBJECTS = [("cat", "cats"), ("dog", "dogs"), ("bird", "birds"), ("child", "children")]
VERBS = [("sleeps", "sleep"), ("sings", "sing"), ("waits", "wait"), ("hides", "hide")]
PLACES = ["house", "houses", "river", "tree", "trees", "garden"]


def words_between(count, rng):
    """`count` words that do not tell if the subject is singular or plural."""
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
# (0.313) you should see two curves. The model that attends to every token before is right at every
# distance. The other is right while the subject is within its reach, with 0 or 1 words in between; from
# 2 on it can only guess, and is right about half of the time. With a right `train`, the shares of right
# verbs are about these:
#
# | words between subject and verb | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
# |---|---|---|---|---|---|---|---|
# | attends to every token before | 100 % | 100 % | 100 % | 100 % | 100 % | 100 % | 100 % |
# | attends to one token back | 100 % | 100 % | 51 % | 54 % | 52 % | 46 % | 47 % |

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
        for reach, label in ((None, "every token before"), (1, "one token back")):
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

# %% [markdown] after="check"
# ## Where this comes from
#
# Section 5 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762) for the training, and [Linzen, Dupoux and Goldberg
# (2016)](https://arxiv.org/abs/1611.01368) for the experiment with verbs. PyTorch's own:
# `torch.nn.functional.cross_entropy`,
# [torch.optim.AdamW](https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html) and
# `torch.multinomial`.
#
# ## Further reading
#
# - [Loshchilov and Hutter (2017)](https://arxiv.org/abs/1711.05101): the optimizer, AdamW.
# - [Holtzman et al., *The Curious Case of Neural Text Degeneration*
#   (2019)](https://arxiv.org/abs/1904.09751): greedy generation, temperature, and what is used
#   instead.
# - [Goldberg, *Assessing BERT's Syntactic Abilities* (2019)](https://arxiv.org/abs/1901.05287):
#   the same question to a large model.
