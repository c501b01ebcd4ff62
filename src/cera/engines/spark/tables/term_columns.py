"""Terms as columns: the JSON and the hashes of what an event table has in typed columns."""

from __future__ import annotations

import json

from pyspark.sql import Column

from cera.engines.spark.tables.event_tables import FIELD, EventTable, Flat, Opaque
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import is_defined
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.hashing import hash_cell, hash_term
from cera.engines.spark.values.json_text import NO_KEYS, cell_json, children_json, object_json, rewritten, string_json


def flat_term(label: str | Column, content: Cell | Flat) -> Column:
    """Returns the term `label{…}` with these children, as a TERM; null where it is not present."""
    text = string_json(label) if isinstance(label, Column) else F.lit(json.dumps(label, ensure_ascii=False))
    whole = F.concat(F.lit("{"), text, F.lit(": "), body_json(content), F.lit("}"))
    term = _term(whole, *flat_hashes(label, content))
    present = presence(content)
    return term if present is None else F.when(present, term)


def flat_hashes(label: str | Column, content: Cell | Flat) -> tuple[Column, Column]:
    """Returns the two hashes of the term `label{…}` with these children."""
    return _hash(label, content, 1), _hash(label, content, 2)


def term_column(table: EventTable) -> Column:
    """Returns the terms of the events of a table, as a TERM."""
    return flat_term(F.col("label"), table.content) if isinstance(table.content, Flat) else F.col("term")


def written_term(table: EventTable) -> Column:
    """Returns the JSON of a table's terms as cera writes it; a user's array or map, which Spark wrote, is rewritten."""
    text = term_column(table)["json"]
    return rewritten(text) if isinstance(table.content, Flat) and _has_opaque(table.content) else text


def _has_opaque(content: Cell | Flat | Opaque) -> bool:
    """Returns whether it contains a child whose JSON is not made here."""
    match content:
        case Cell():
            return content.term is not None
        case Flat():
            return any(map(_has_opaque, content.children.values()))
        case Opaque():
            return True


def fields_term(label: Column, fields: Column) -> Column:
    """Returns the term `label{…}` with the children in a column of FIELDS, as a TERM; null where that is null."""
    entries = F.map_entries(fields)
    text = F.concat(F.lit("{"), string_json(label), F.lit(": "), _fields_json(entries), F.lit("}"))
    return F.when(fields.isNotNull(), _term(text, *(_fields_hash(label, entries, first) for first in (1, 2))))


def _fields_json(entries: Column) -> Column:
    """Returns the JSON of children, in the order of their names; a list if a name has another meaning in JSON."""

    def member(entry: Column) -> Column:
        return F.concat(string_json(entry["key"]), F.lit(": "), cell_json(field(entry["value"])))

    ordered = F.array_sort(entries)  # names differ, so they decide the order
    plain = F.concat(F.lit("{"), F.array_join(F.transform(ordered, member), ", "), F.lit("}"))
    single = F.transform(ordered, lambda entry: F.concat(F.lit("{"), member(entry), F.lit("}")))
    listed = F.concat(F.lit('{"{}": ['), F.array_join(single, ", "), F.lit("]}"))
    strange = F.exists(entries, lambda entry: entry["key"].isin(*sorted(NO_KEYS)))
    return F.when(strange, listed).otherwise(plain)


def _fields_hash(label: Column, entries: Column, first: int) -> Column:
    children = F.transform(entries, lambda e: hash_term(e["key"], [hash_cell(field(e["value"]), first)], False, first))
    return hash_term(label, children, False, first)


def field(value: Column) -> Cell:
    """Returns a value of FIELDS as a cell."""
    return Cell(**{name: value[name] for name in FIELD.names})


def presence(content: Cell | Flat | Opaque) -> Column | None:
    """Returns whether a child with this content is present; None if it always is."""
    match content:
        case Cell():
            return is_defined(content)
        case Flat():
            return content.present
        case Opaque():
            return content.term.isNotNull()


def body_json(content: Cell | Flat) -> Column:
    """Returns the JSON that follows the label of a term with this content."""
    if isinstance(content, Cell):
        text = cell_json(content)
        return text if content.term is None else F.concat(F.lit('{"{}": ['), text, F.lit("]}"))
    if not content.children.keys() & NO_KEYS:
        return object_json([(name, child_body(child)) for name, child in content.children.items()])
    named = sorted(content.children.items(), key=lambda one: one[0])
    children = [_where_present(child, object_json([(name, child_body(child))])) for name, child in named]
    return children_json(children, ordered=False)


def child_body(child: Cell | Flat | Opaque) -> Column:
    """Returns the JSON that follows the label of a child; null where it is absent."""
    return child.body if isinstance(child, Opaque) else _where_present(child, body_json(child))


def _where_present(child: Cell | Flat | Opaque, text: Column) -> Column:
    present = presence(child)
    return text if present is None else F.when(present, text)


def _hash(label: str | Column, content: Cell | Flat | Opaque, first: int) -> Column:
    """Returns the hash of the term `label{…}` where it is present."""
    match content:
        case Cell():
            return hash_term(label, [hash_cell(content, first, certain=True)], False, first, [None])
        case Flat():
            children = [_where_present(c, _hash(n, c, first)) for n, c in content.children.items()]
            return hash_term(label, children, False, first, [presence(c) for c in content.children.values()])
        case Opaque():
            return content.term[f"h{first}"]


def _term(text: Column, h1: Column, h2: Column) -> Column:
    return F.struct(text.alias("json"), h1.alias("h1"), h2.alias("h2"))
