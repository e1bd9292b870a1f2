"""What whoever calls the library, or types a command, can get wrong."""


class UserError(ValueError):
    """Something that was given cannot be used. The text is one sentence, fit to be shown to whoever gave it (F-LIB-02):
    no paths of the program, no stack, no secrets."""
