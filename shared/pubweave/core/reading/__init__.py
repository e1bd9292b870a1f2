"""How replies are read: JATS, pages, rules, cleaning. Pure like the rest of the core."""
