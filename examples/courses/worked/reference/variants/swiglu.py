"""`swiglu` with the numbers of one student."""


def own_numbers(variant):
    number = int(variant or "6", 16)
    return {"x": 1.0 + number % 4, "W1": 1.0, "W2": 1.0, "W3": 2.0 + number // 4 % 3}


def personalised(text, variant):
    stated = f'VARIANT = "{variant}"  # whose numbers these are: leave this line as it is\n\nOWN ='
    before, after = (str(own_numbers(each)).replace("'", '"') for each in ("", variant))
    return text.replace(f"OWN = {before}", f"{stated} {after}")
