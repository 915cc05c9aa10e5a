class Tokens:
    def __init__(self, tokens):
        self.tokens = list(tokens)

    def pair(self):
        pairs = [(self.tokens[i - 1], self.tokens[i]) for i in range(1, len(self.tokens))]
        return max(dict.fromkeys(pairs), key=pairs.count)

    def merged(self, pair):
        done = Tokens([])
        rest = iter(self.tokens + [None])
        token = next(rest)
        while token is not None:
            following = next(rest)
            if (token, following) == (pair[0], pair[1]):
                token, following = token + following, next(rest)
            done.tokens.append(token)
            token = following
        return done


def most_frequent_pair(tokens):
    return Tokens(tokens).pair()


def merge(tokens, pair):
    return Tokens(tokens).merged(pair).tokens


def learn_merges(text, count):
    state, learnt = Tokens(text), ()
    while len(learnt) != count and len(state.tokens) != 1 and state.tokens:
        learnt += (state.pair(),)
        state = state.merged(learnt[-1])
    return learnt
