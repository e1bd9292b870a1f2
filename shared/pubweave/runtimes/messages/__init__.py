"""The services as hearers of messages: what the simulated runtime and the bus drive alike.

Each hears one message of one partition at a time and gives `Effects`. It keeps nothing that it could not load
again from the Store, does the same again when it hears the same again, and never looks into a publication that
another partition owns: it asks there.
"""
