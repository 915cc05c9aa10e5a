def count_words(text):
    counts, word = {}, ""
    text = text.lower() + "  "
    for here, (letter, following) in enumerate(zip(text, text[1:])):
        if "a" <= letter <= "z" or (letter == "'" and word and "a" <= following <= "z"):
            word += letter
        elif word:
            counts[word] = counts.get(word, 0) + 1
            word = ""
    return counts
