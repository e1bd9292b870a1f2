"""One pass over the text of an article: flattened sections with all that stands in them, and a ledger of every word.

`running_text` gathers, `booking` writes down what was gathered, `contents`, `figures` and `citations` make elements of it,
and `walker` leads through sections and the parts of an article.
"""
