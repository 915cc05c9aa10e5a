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
# ### BEGIN SOLUTION
# A score is a sum of d_k products. If the entries of query and key are independent with mean 0 and
# variance 1, the sum has variance d_k, so the scores differ by about √d_k. Large differences make the
# softmax all or nothing: one key gets nearly all the weight, the entropy goes to 0. There the gradient
# of the softmax is nearly 0, so the model learns slowly. Divided by √d_k the scores have variance 1
# whatever d_k is; divided by d_k they would shrink, and the weights would be nearly equal.
# ### END SOLUTION

# %% [markdown]
# ## 2. Attention against recurrent networks
#
# A recurrent network reads token by token and keeps one vector as its memory. What does attention do
# better, and what does it cost, in time and in memory, when the text gets longer?
#
# *4 points: one each for the way from one token to another, what can be computed at once, how time and
# memory grow with the length of the text, and an example or a consequence.*

# %% [markdown] answer="attention_or_recurrence"
# ### BEGIN SOLUTION
# With attention every token reaches every other in one step, while a recurrent network has to carry it
# through all tokens in between, where it fades. All positions can be computed at once; a recurrent
# network has to wait for the token before. The price: each of L tokens meets L tokens, so time and memory
# for the weights grow with L². Twice the text costs four times as much, where a recurrent network pays
# twice. And attention alone does not know the order of the tokens; it has to be told by positions.
# ### END SOLUTION

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
# ### BEGIN SOLUTION
# The query of “it” looks for a noun that it may stand for, and meets the keys of all words. The key of
# “animal” fits it better than that of “street”, so the score is higher and, after the softmax, so is the
# weight. The new vector of “it” is the weighted sum of the values, mostly that of “animal”. What “it”
# means depends on “tired”: animals are tired, streets are wide. So the query has to hold something of
# that word, which an earlier layer has brought there. With “wide” the weight goes to “street”.
# ### END SOLUTION

# %% [markdown] after="check"
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
