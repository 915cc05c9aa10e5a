# %% [markdown]
# # In your own words
#
# *About 45 minutes. Needs your results from `scaling_experiment`, and the idea of heads
# (`multi_head_attention`).*
#
# Three questions without code. A person reads your answers and gives the points, by the criteria below
# each question. A few sentences each are enough: say what happens *and why*, and use what you measured
# in earlier exercises. Replace `YOUR ANSWER HERE` by your answer. What the grader checks:
#
# - **Ten words.** Each answer has at least ten words.

# %% [markdown]
# ## 1. Why are the scores divided by $\sqrt{d_k}$?
#
# What would happen without it when $d_k$ is large, first to the scores, then to the softmax, then to
# learning? And why the root, not $d_k$ itself?
#
# *4 points: one each for the scores, the softmax, learning, and the root.*

# %% [markdown] answer="why_scale"
# YOUR ANSWER HERE

# %% [markdown]
# ## 2. Attention against recurrent networks
#
# A recurrent network reads token by token and keeps one vector as its memory. What does attention do
# better, and what does it cost, in time and in memory, when the text gets longer?
#
# *4 points: one each for the way from one token to another, what can be computed at once, how time and
# memory grow with the length of the text, and an example or a consequence.*

# %% [markdown] answer="attention_or_recurrence"
# YOUR ANSWER HERE

# %% [markdown]
# ## 3. How “it” finds its referent
#
# “The animal didn't cross the street because **it** was too tired.” What has to happen in the attention
# of a trained model, in terms of queries, keys, weights and values, so that the new vector of “it” holds
# information on the animal? What changes if “tired” becomes “wide”?
#
# *4 points: one each for what the query of “it” is compared with, which key fits best and how the
# weights show it, what the new vector is made of, and how the last word decides.*
#
# ![Each word of a sentence is in a box. The last word has two boxes, “tired” and “wide”.
# Equal arrows lead from “it” to every other word. How much weight should each word
# get?](figures/reflection.png)

# %% [markdown] answer="what_it_means"
# YOUR ANSWER HERE

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check reflection
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# In [Vaswani et al., *Attention Is All You Need* (2017)](https://arxiv.org/abs/1706.03762), section
# 3.2.1 is on the first question, section 4 on the second, and figure 4 shows heads for which “its” is
# the query. [Sakaguchi et al., *WinoGrande* (2019)](https://arxiv.org/abs/1907.10641) collect sentences
# of the kind of that about the animal.
#
# ## Further reading
#
# - [Fournier, Caron and Aloise, *A Practical Survey on Faster and Lighter Transformers*
#   (2021)](https://arxiv.org/abs/2103.14636): what is done about long texts.
# - [Clark et al., *What Does BERT Look At?* (2019)](https://arxiv.org/abs/1906.04341), section 4:
#   heads that find what a word refers to.
