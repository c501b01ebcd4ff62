"""Classes of Java that pyspark asks for by name, remembered.

To make a column, pyspark asks Java for the class of the functions, then for the function, and then calls it. A program
has thousands of columns, so all but the last question are asked once.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember
from pyspark import SparkContext

#: The names by which pyspark asks while a query is built.
_NAMES = ("functions", "org.apache.spark.sql.functions", "PythonUtils", "PythonSQLUtils")


class RememberingClass(JavaClass):  # type: ignore[misc]  # py4j has no types
    """A class of Java that asks for each of its static methods once."""

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if isinstance(found, JavaMember):
            self.__dict__[name] = found
        return found


def remember_classes(context: SparkContext) -> None:
    """Lets pyspark find in Python the classes that it asks this Java process for again and again."""
    jvm: Any = context._jvm
    for name in _NAMES:
        if name not in vars(jvm):
            plain = getattr(jvm, name)
            vars(jvm)[name] = RememberingClass(plain._fqn, plain._gateway_client)
