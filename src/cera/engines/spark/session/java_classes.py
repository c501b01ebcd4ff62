"""Fewer calls of Java while pyspark builds a query: classes that it asks for by name are remembered, and short lists
are made at once.

To make a column, pyspark asks Java for the class of the functions, then for the function, and then calls it. A program
has thousands of columns, so all but the last question are asked once. The arguments of a function are a list, which
py4j would make empty, to add one element with each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from py4j.java_gateway import JavaClass, JavaMember, JavaObject
from pyspark import SparkContext

#: The names by which pyspark asks while a query is built.
_NAMES = ("functions", "org.apache.spark.sql.functions", "PythonUtils", "PythonSQLUtils")

#: `java.util.List.of` has a form for each number of elements up to this one.
_MOST = 10


class RememberingClass(JavaClass):  # type: ignore[misc]  # py4j has no types
    """A class of Java that asks for each of its static methods once."""

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if isinstance(found, JavaMember):
            self.__dict__[name] = found
        return found


class ShortLists:
    """Converter of short lists of Java's objects, such as columns, with one call for each list."""

    def __init__(self, client: Any) -> None:
        self._lists = RememberingClass("java.util.List", client)

    def can_convert(self, found: object) -> bool:
        if not isinstance(found, list | tuple):
            return False
        return 0 < len(found) <= _MOST and all(isinstance(each, JavaObject) for each in found)

    def convert(self, found: Sequence[Any], client: Any) -> Any:
        return self._lists.of(*found)


def remember_classes(context: SparkContext) -> None:
    """Lets pyspark find in Python the classes that it asks this Java process for again and again."""
    jvm: Any = context._jvm
    for name in _NAMES:
        if name not in vars(jvm):
            plain = getattr(jvm, name)
            vars(jvm)[name] = RememberingClass(plain._fqn, plain._gateway_client)
    client = jvm._gateway_client
    if not any(isinstance(each, ShortLists) for each in client.converters):
        client.converters = [ShortLists(client), *client.converters]
