"""The leaves of a schema as the model sees them: single ones, tables and lists of plain values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer
from service.embedded.asked.column_roles import settle_roles
from service.embedded.asked.fields import Ask, understand


@dataclass
class Plan:
    """What is asked for, by path; a column's path has `*` for its row."""

    singles: list[Ask] = field(default_factory=list[Ask])
    tables: dict[str, list[Ask]] = field(default_factory=dict[str, list[Ask]])
    lists: dict[str, Ask] = field(default_factory=dict[str, Ask])

    @property
    def columns(self) -> list[Ask]:
        """The columns of all tables."""
        return [ask for asks in self.tables.values() for ask in asks]

    @property
    def asks(self) -> list[Ask]:
        """All of them."""
        return [*self.singles, *self.lists.values(), *self.columns]


def plan_of(schema: ExtractionSchema) -> Plan:
    """All leaves of a schema that the model can fill."""
    plan = Plan()
    _walk(schema.root, "", (), plan)
    return plan


def _walk(node: SchemaField, path: str, parents: tuple[SchemaField, ...], plan: Plan) -> None:
    for child in node.properties:
        here = f"{path}/{escape_pointer(child.name)}"
        if child.type is FieldType.OBJECT:
            _walk(child, here, (*parents, child), plan)
        elif child.type is FieldType.ARRAY and child.items is not None:
            if child.items.type is FieldType.OBJECT:
                plan.tables[here] = settle_roles(_column_asks(child.items, f"{here}/*", ()))
            elif child.items.is_leaf:
                named = replace(child.items, name=child.name, description=child.description or child.items.description)
                plan.lists[here] = understand(named, here, parents)
        elif child.is_leaf:
            plan.singles.append(understand(child, here, parents))


def _column_asks(node: SchemaField, path: str, parents: tuple[SchemaField, ...]) -> list[Ask]:
    found: list[Ask] = []
    for child in node.properties:
        here = f"{path}/{escape_pointer(child.name)}"
        if child.type is FieldType.OBJECT:
            found.extend(_column_asks(child, here, (*parents, child)))
        elif child.is_leaf:
            found.append(understand(child, here, parents, column=True))
    return found
