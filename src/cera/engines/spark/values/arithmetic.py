"""Arithmetic on cells: `evaluation.calculate` for numbers, to the last bit.

Where all operands are integers, it is arithmetic on bigint. Otherwise it is arithmetic on doubles, which is exact on
whole numbers as long as no result reaches 2^53; only where one does (a row is then *doubtful*) the calculation is made
again on integers and fractions apart. That second calculation names each operand once, by way of a lambda, so that
expressions do not grow with every operator around them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_

from pyspark.sql import Column

from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import Cell
from cera.model.expressions.expression import ArithmeticOperator
from cera.model.terms.values import MIN_INTEGER, Scalar, is_number, number

#: Doubles below it represent whole numbers exactly.
LIMIT = 2.0**53

_PAST_INTEGERS = 2.0**63


def literal(value: Scalar) -> Cell:
    """Returns the cell of a constant, in its one representation (1.0 is the integer 1)."""
    match value:
        case bool():
            return Cell(boolean=F.lit(value))
        case str():
            return Cell(string=F.lit(value))
        case _:
            canonical_value = number(value)
            if isinstance(canonical_value, int):
                return Cell(integer=F.lit(canonical_value).cast("bigint"))
            return Cell() if canonical_value is None else Cell(fraction=F.lit(canonical_value))


def whole(double: Column) -> Column:
    """Returns the double as a bigint; null where it is not a whole number of 64 bits."""
    truncated = double.try_cast("bigint")
    return F.when(is_whole(double, truncated), truncated)


def is_whole(double: Column, truncated: Column) -> Column:
    """Returns whether a double is a whole number of 64 bits: it equals its cast, except 2^63 and more."""
    return (truncated.cast("double") == double) & (double < _PAST_INTEGERS)


def canonical(cell: Cell) -> Cell:
    """Returns the same value without `double`: whole numbers of 64 bits as `integer`, other numbers as `fraction`."""
    if cell.double is None:
        return cell
    integer = whole(cell.double)
    fraction = F.when(integer.isNull(), cell.double)
    return replace(
        cell,
        double=None,
        fraction=fraction,
        integer=integer if cell.integer is None else F.coalesce(cell.integer, integer),
    )


def is_defined(cell: Cell) -> Column:
    """Returns whether there is a value; never null."""
    return reduce(or_, [column.isNotNull() for _, column in cell]) if cell.components else F.lit(False)


@dataclass(frozen=True)
class Number:
    """A number that is calculated.

    If `integer` is there, the number is that bigint in all rows. Else `double` is the number where none of `doubtful`
    is true; where one is, `exact` is it. No value is null in all of them.
    """

    double: Column
    exact: Exact
    doubtful: tuple[Column, ...] = ()
    integer: Column | None = None
    constant: int | float | None = None

    def cell(self) -> Cell:
        if self.integer is not None:
            return Cell(integer=self.integer)
        if not self.doubtful:
            return Cell(double=self.double)
        exact, doubt = self.exact.cell(), reduce(or_, self.doubtful)
        return Cell(
            integer=None if exact.integer is None else F.when(doubt, exact.integer),
            double=F.when(doubt, exact.double).otherwise(self.double),
        )


@dataclass(frozen=True)
class Leaf:
    """The columns of a number that needs no calculation."""

    columns: Cell

    def cell(self) -> Cell:
        return self.columns


@dataclass(frozen=True)
class Operation:
    """A number that is calculated on integers and doubles apart."""

    function: Callable[..., Cell]
    operands: tuple[Exact, ...]

    def cell(self) -> Cell:
        leaves = [operand.columns for operand in self.operands if isinstance(operand, Leaf)]
        if len(leaves) == len(self.operands):
            return self.function(*leaves)
        struct = self.struct()
        return Cell(integer=struct["integer"], double=struct["double"])

    def struct(self) -> Column:
        return _named(self.operands, lambda *cells: _packed(self.function(*cells)))


Exact = Leaf | Operation


def _named(numbers: tuple[Exact, ...], use: Callable[..., Column]) -> Column:
    """Applies `use` to the numbers, each of which is calculated once, however often it occurs there.

    A lambda names them all together: inside of one Spark allows no Python function, which any of their columns may be.
    """
    if all(isinstance(number, Leaf) for number in numbers):
        return use(*(number.cell() for number in numbers))
    together = F.struct(*(_as_struct(number).alias(f"number{i}") for i, number in enumerate(numbers)))

    def used(names: Column) -> Column:
        return use(
            *(Cell(**{part: names[f"number{i}"][part] for part in _parts(number)}) for i, number in enumerate(numbers))
        )

    return F.get(F.transform(F.array(together), used), F.lit(0))


def _as_struct(number: Exact) -> Column:
    if isinstance(number, Operation):
        return number.struct()
    return F.struct(*(column.alias(part) for part, column in number.columns))


def _parts(number: Exact) -> tuple[str, ...]:
    return ("integer", "double") if isinstance(number, Operation) else number.columns.components


def _packed(result: Cell) -> Column:
    integer = F.lit(None).cast("bigint") if result.integer is None else result.integer
    double = F.lit(None).cast("double") if result.double is None else result.double
    return F.struct(integer.alias("integer"), double.alias("double"))


def number_test(number: Number, other: Cell | Scalar, test: Callable[[Cell, Cell | Scalar], Column]) -> Column:
    """Returns a test of a number beside another value, which is false or null where it fails."""
    if number.integer is not None or not number.doubtful:
        return test(number.cell(), other)
    if isinstance(other, Cell):
        in_doubt = _named((number.exact, Leaf(other)), test)
    else:
        in_doubt = _named((number.exact,), lambda exact: test(exact, other))
    doubtful, in_double = reduce(or_, number.doubtful), test(Cell(double=number.double), other)
    return F.when(doubtful, F.coalesce(in_doubt, F.lit(False))).otherwise(in_double)


def applied(function: Callable[[Cell], Cell], operand: Number) -> Number | None:
    """Returns a function of one number, such as `absolute`, applied to a calculation."""
    if operand.integer is not None:
        return number_of(function(Cell(integer=operand.integer)))
    double = function(Cell(double=operand.double)).double
    assert double is not None
    return Number(double, Operation(function, (operand.exact,)), (*operand.doubtful, F.abs(operand.double) >= LIMIT))


def number_of(operand: Cell | Scalar) -> Number | None:
    """Returns the number of a cell or a constant, in rows where it has one; None if it never has."""
    if not isinstance(operand, Cell):
        return _constant(operand) if is_number(operand) else None
    integer, double = operand.integer, operand.double if operand.fraction is None else operand.fraction
    if double is None:
        return None if integer is None else _integer(integer)
    if integer is None:
        return Number(double, Leaf(Cell(fraction=operand.fraction, double=operand.double)))
    as_double = integer.cast("double")
    leaf = Leaf(Cell(integer=integer, fraction=operand.fraction, double=operand.double))
    return Number(F.coalesce(as_double, double), leaf, (F.abs(as_double) >= LIMIT,))


def _constant(value: Scalar) -> Number | None:
    assert isinstance(value, int | float)
    cell, held = literal(value), number(value)
    if held is None:
        return None
    doubtful = (F.lit(True),) if isinstance(held, int) and abs(held) > LIMIT else ()
    return Number(F.lit(float(held)), Leaf(cell), doubtful, cell.integer, held)


def _integer(column: Column) -> Number:
    as_double = column.cast("double")
    return Number(as_double, Leaf(Cell(integer=column)), (F.abs(as_double) >= LIMIT,), column)


def negative(operand: Number) -> Number:
    zero = _constant(0)
    assert zero is not None
    return calculate("-", zero, operand)


def calculate(operator: ArithmeticOperator, left: Number, right: Number) -> Number:
    """Returns left operator right."""
    if left.integer is not None and right.integer is not None and operator != "/":
        return _integer(_on_integers(operator, left.integer, right.integer))
    double = _on_doubles(operator, left.double, right.double)
    return Number(
        double,
        Operation(partial(calculate_exactly, operator), (left.exact, right.exact)),
        (*_operand_doubts(operator, left), *_operand_doubts(operator, right), *_doubts(operator, double, left, right)),
    )


def _operand_doubts(operator: ArithmeticOperator, operand: Number) -> tuple[Column, ...]:
    """Returns the doubts of an operand; none for an integer in a quotient, which is defined on doubles."""
    return () if operator == "/" and operand.integer is not None else operand.doubtful


def _doubts(operator: ArithmeticOperator, result: Column, left: Number, right: Number) -> tuple[Column, ...]:
    match operator:
        case "mod":
            return ()  # exact on doubles, and not greater than the left side
        case "/" if right.constant is not None and abs(right.constant) >= 1:
            return ()
        case "/" if left.integer is not None and right.integer is not None:
            return ()
        case _:
            return (F.abs(result) >= LIMIT,)


def add_integers(left: Column, right: Column) -> Column:
    """Returns left + right on bigint, null past 64 bits.

    Spark rearranges sums and products of integers to bring constants together, `(a + 1) - 1` to `a`, and ignores that
    an intermediate result may be undefined; `| 0` prevents that.
    """
    return F.try_add(left, right).bitwiseOR(F.lit(0).cast("bigint"))


def multiply_integers(left: Column, right: Column) -> Column:
    """Returns left * right on bigint, null past 64 bits."""
    return F.try_multiply(left, right).bitwiseOR(F.lit(0).cast("bigint"))


def _on_integers(operator: ArithmeticOperator, left: Column, right: Column) -> Column:
    match operator:
        case "+":
            return add_integers(left, right)
        case "-":
            return F.try_subtract(left, right)
        case "*":
            return multiply_integers(left, right)
        case "mod":
            return F.try_mod(left, right)
        case "/":
            raise AssertionError("a quotient is a double")


def _on_doubles(operator: ArithmeticOperator, left: Column, right: Column) -> Column:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "mod":
            return F.try_mod(left, right)
        case "/":
            return F.try_divide(left, right)


def calculate_exactly(operator: ArithmeticOperator, left: Cell, right: Cell) -> Cell:
    """Returns left operator right for numbers of any size: `integer` if both are whole, else `double`."""
    double = _on_doubles(operator, as_double(left), as_double(right))
    finite = F.when(F.abs(double) < float("inf"), double)
    one, other = _whole_part(left), _whole_part(right)
    if operator == "/" or one is None or other is None:
        return Cell(double=finite)
    return Cell(integer=_on_integers(operator, one, other), double=F.when(one.isNull() | other.isNull(), finite))


def as_double(cell: Cell) -> Column:
    """Returns the number of a cell, rounded to a double if it is a large integer."""
    parts = [column.cast("double") for column in (cell.integer, cell.fraction, cell.double) if column is not None]
    return parts[0] if len(parts) == 1 else F.coalesce(*parts)


def _whole_part(cell: Cell) -> Column | None:
    """Returns the number as bigint; null in rows where it is not whole; None if it can never be."""
    parts = [] if cell.integer is None else [cell.integer]
    parts += [] if cell.double is None else [whole(cell.double)]
    return None if not parts else parts[0] if len(parts) == 1 else F.coalesce(*parts)


def _opposite(integer: Column) -> Column:
    return F.try_subtract(F.lit(0).cast("bigint"), integer)


def absolute(cell: Cell) -> Cell:
    """Returns |cell|, which is undefined for the least integer."""
    return Cell(
        integer=None
        if cell.integer is None
        else F.when(cell.integer >= 0, cell.integer).otherwise(_opposite(cell.integer)),
        fraction=None if cell.fraction is None else F.abs(cell.fraction),
        double=None if cell.double is None else F.when(cell.double != MIN_INTEGER, F.abs(cell.double)),
    )
