"""The table of rules. A rule yields (line, sentence) for everything wrong in one Source."""

from dataclasses import dataclass
from typing import Callable


class Skip(Exception):
    """A rule cannot run here; the reason is the text."""


@dataclass(frozen=True)
class Rule:
    name: str
    about: str
    applies: Callable
    check: Callable


RULES = {}


def rule(applies):
    """Registers a function as a rule; its first line of documentation says what it holds."""

    def register(check):
        name = check.__name__
        RULES[name] = Rule(name, check.__doc__.splitlines()[0], applies, check)
        return check

    return register
