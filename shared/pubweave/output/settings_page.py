"""docs/settings.md, made from the list of settings.

python -m pubweave.cli.settings_page [--check] [FILE]
"""

from typing import Final

from pubweave.settings import GROUPS, OBSOLETE, SETTINGS, Setting, shown

_HEAD: Final = """<!-- Made by `make generate`; edit shared/pubweave/settings.py instead. -->
# Settings

Every setting has one name in three spellings: `timeout` is the option `--timeout` of `pubweave fetch`, the
environment variable `PUBWEAVE_TIMEOUT`, and the key `timeout` in a file `pubweave.toml`. The first of these
that says something wins:

1. the option,
2. the environment variable,
3. `pubweave.toml` in the working folder,
4. `pubweave.toml` in `~/.config/pubweave/` (or in `$XDG_CONFIG_HOME/pubweave/`),
5. the default.

`pubweave settings` lists what is in effect and where it comes from. A key that does not exist is refused, and
so is a value below its minimum. Switches are `true` or `false` in the environment and in the file.

```toml
# pubweave.toml
email = "you@example.org"
timeout = 30000
no_batch = true
```

Beyond these, `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY` and `SSL_CERT_FILE` are honoured.
"""


def _row(setting: Setting) -> str:
    default = f"`{shown(setting, setting.default)}`" if setting.default != "" else "empty"
    unit = f" {setting.unit}" if setting.unit else ""
    notes = [f"At least {setting.minimum}."] if setting.minimum is not None else []
    if setting.legacy and setting.legacy != setting.name:
        notes.append(f"Also `{setting.legacy}`.")
    if setting.secret:
        notes.append("Never shown.")
    return f"| `{setting.name}` | {default}{unit} | {' '.join([setting.sentence, *notes])} |"


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for group, heading in GROUPS.items():
        rows = "\n".join(_row(setting) for setting in SETTINGS if setting.group == group)
        parts.append(f"## {heading}\n\n| name | default | what it does |\n|---|---|---|\n{rows}\n")
    gone = "\n".join(f"| `{name}` | {reason} |" for name, reason in OBSOLETE.items())
    parts.append(f"## Settings of PubFetcher that do not exist\n\n| name | why |\n|---|---|\n{gone}\n")
    return "\n".join(parts)
