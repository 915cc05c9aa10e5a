# %% [markdown]
# # In your own words
#
# *About 45 minutes. Needs what you measured in `scaling_experiment`, and what heads are
# (`multi_head_attention`).*
#
# Three questions without code. A person reads your answers; the grader only sees whether there are
# any. A few sentences each are enough: say what happens *and why*, and use what you measured in the
# exercises before. Write in the cells that say so, in place of `YOUR ANSWER HERE`.

# %% [markdown]
# ## 1. Why are the scores divided by $\sqrt{d_k}$?
#
# What would happen without it when $d_k$ is large, first to the scores, then to the softmax, then to
# learning? And why the root, not $d_k$ itself? (4 points)

# %% [markdown] answer="why_scale"
# ### BEGIN SOLUTION
# A score is a sum of d_k products. If the entries of query and key are independent with variance 1,
# the sum has variance d_k, so the scores spread like √d_k. Large scores make the softmax all or
# nothing: one key gets nearly all the weight, the entropy goes to 0. There the softmax is flat in the
# sense that its gradient is nearly 0, so the model learns slowly. Divided by √d_k the scores have
# variance 1 whatever d_k is; divided by d_k they would shrink, and the weights would be nearly equal.
# ### END SOLUTION

# %% [markdown]
# ## 2. Attention against recurrent networks
#
# A recurrent network reads word by word and keeps one vector as its memory. What does attention do
# better, and what does it cost, in time and in memory, when the text gets longer? (4 points)

# %% [markdown] answer="attention_or_recurrence"
# ### BEGIN SOLUTION
# With attention every word reaches every other in one step, while a recurrent network has to carry it
# through all words in between, where it fades. All positions can be computed at once; a recurrent
# network has to wait for the word before. The price: each of L words meets L words, so time and memory
# for the weights grow with L². Twice the text costs four times as much, where a recurrent network pays
# twice. And attention does not know the order of the words; it has to be told by positions.
# ### END SOLUTION

# %% [markdown]
# ## 3. How “it” finds its referent
#
# “The animal didn't cross the street because **it** was too tired.” What has to happen in the attention
# of a trained model, in terms of queries, keys, weights and values, so that the vector of “it” comes to
# speak of the animal? What changes if “tired” becomes “wide”? (4 points)
#
# ![The sentence as boxes, ending in “tired” or in “wide”. From “it”, arrows of equal strength
# lead to every other word: how much weight each of them gets is the
# question.](figures/reflection.png)

# %% [markdown] answer="what_it_means"
# ### BEGIN SOLUTION
# The query of “it” looks for a noun that it may stand for, and meets the keys of all words. The key of
# “animal” fits it better than that of “street”, so the score is higher and, after the softmax, so is the
# weight. The new vector of “it” is the weighted mean of the values, mostly that of “animal”. What “it”
# means depends on “tired”: animals are tired, streets are wide. So the query has to hold something of
# that word, which an earlier layer or another head has brought there. With “wide” the weight goes to
# “street”.
# ### END SOLUTION

# %% [markdown] after="check"
# ## Where this comes from
#
# The questions are those of section 4 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762), and of its figures 3 to 5. The sentence about the
# animal is of the kind that [Sakaguchi et al., *WinoGrande*
# (2019)](https://arxiv.org/abs/1907.10641) collect.
#
# ## Go on reading
#
# - [Fournier, Caron and Aloise, *A Practical Survey on Faster and Lighter Transformers*
#   (2021)](https://arxiv.org/abs/2103.14636): what is done about long texts.
# - [Clark et al., *What Does BERT Look At?* (2019)](https://arxiv.org/abs/1906.04341), section 4:
#   heads that find what a word refers to.
