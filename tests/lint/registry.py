"""The table of rules: each looks at sources and yields (path, line, sentence) for what is wrong."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from typing import Callable

from source import TOP


class Skip(Exception):
    """A rule cannot run here; the reason is the text."""


@dataclass(frozen=True)
class Rule:
    name: str
    about: str
    applies: Callable
    check: Callable

    def findings(self, sources):
        """What is wrong in the sources that the rule is about."""
        return list(self.check([source for source in sources if self.applies(source)]))


RULES = {}


def register(function, applies, check):
    """The function's name is the rule's; its first line of documentation says what is held."""
    name = function.__name__
    RULES[name] = Rule(name, function.__doc__.splitlines()[0], applies, check)
    return function


def rule(applies):
    """A function of one source that yields (line, sentence)."""

    def decorate(function):
        def check(sources):
            for source in sources:
                for line, text in function(source):
                    yield source.path, line, text

        return register(function, applies, check)

    return decorate


def tree_rule(applies):
    """A function that runs a program once, in a folder that has copies of its sources."""

    def decorate(function):
        def check(sources):
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(os.path.join(TOP, ".clang-format"), folder)
                for source in sources:
                    path = os.path.join(folder, source.path)
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(source.text)
                paths = [source.path for source in sources]
                yield from function(folder, paths) if paths else ()

        return register(function, applies, check)

    return decorate
