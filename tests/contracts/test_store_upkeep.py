"""Processes that beat and duties that one of them has, on every database."""

from __future__ import annotations

from service.storage.store import Store


def test_processes_are_counted_while_they_beat(store: Store) -> None:
    """A process that leaves or falls silent is not alive."""
    with store.write() as rows:
        rows.upkeep.beat("a", "cpu", 10.0)
        rows.upkeep.beat("b", "cpu", 10.0)
        rows.upkeep.beat("c", "io", 10.0)
        rows.upkeep.beat("a", "cpu", 20.0)
        assert rows.upkeep.alive(10.0) == {"cpu": 2, "io": 1}
        assert rows.upkeep.alive(15.0) == {"cpu": 1}
        rows.upkeep.bury(15.0)
        assert rows.upkeep.alive(0.0) == {"cpu": 1}
        rows.upkeep.leave("a")
        assert rows.upkeep.alive(0.0) == {}


def test_a_duty_has_one_owner_at_a_time(store: Store) -> None:
    """Who keeps it, keeps it; who lets it lapse, loses it; different duties are apart."""
    with store.write() as rows:
        assert rows.upkeep.take_duty("sweep", "a", 0.0, 10.0)
        assert not rows.upkeep.take_duty("sweep", "b", 5.0, 15.0)
        assert rows.upkeep.take_duty("sweep", "a", 8.0, 18.0)
        assert not rows.upkeep.take_duty("sweep", "b", 18.0, 28.0)
        assert rows.upkeep.take_duty("sweep", "b", 18.1, 28.1)
        assert not rows.upkeep.take_duty("sweep", "a", 20.0, 30.0)
        assert rows.upkeep.take_duty("webhooks", "a", 20.0, 30.0)
