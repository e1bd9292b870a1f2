"""The simulated internet: a seeded universe of publications behind one HTTP proxy. See README.md.

It imports nothing of Pubweave: it is the independent judge of what Pubweave asks and finds.
"""
