"""From the trainer's trees to the flat lists that the service evaluates, and to the file that it ships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import lightgbm
import numpy as np

from service.embedded.evidence.families import FAMILIES
from service.embedded.evidence.features import NAMES
from service.embedded.evidence.trees import Forest

_EXACT = "<="


@dataclass
class _Nodes:
    feature: list[int] = field(default_factory=list[int])
    limit: list[float] = field(default_factory=list[float])
    left: list[int] = field(default_factory=list[int])
    right: list[int] = field(default_factory=list[int])
    missing_left: list[bool] = field(default_factory=list[bool])

    def add(self, node: dict[str, Any], share: float) -> int:
        """Put a node and all under it behind the others, of its output a share; its place."""
        place = len(self.feature)
        leaf = "leaf_value" in node
        assert leaf or node["decision_type"] == _EXACT
        self.feature.append(-1 if leaf else int(node["split_feature"]))
        self.limit.append(float(share * node["leaf_value"] if leaf else node["threshold"]))
        self.left.append(place)
        self.right.append(place)
        # Without missing values in training, the trainer takes one for a zero.
        zero = not leaf and node["missing_type"] != "NaN"
        self.missing_left.append(not leaf and bool(node["threshold"] >= 0 if zero else node["default_left"]))
        if not leaf:
            self.left[place] = self.add(node["left_child"], share)
            self.right[place] = self.add(node["right_child"], share)
        return place


def forest_of(boosters: Sequence[lightgbm.Booster]) -> Forest:
    """The mean of some trainers' trees as flat lists; without any chance or line yet."""
    nodes = _Nodes()
    trees = [tree for booster in boosters for tree in cast("list[dict[str, Any]]", booster.dump_model()["tree_info"])]
    roots = [nodes.add(tree["tree_structure"], 1 / len(boosters)) for tree in trees]
    return Forest(
        features=NAMES,
        feature=np.array(nodes.feature, np.int32),
        limit=np.array(nodes.limit),
        left=np.array(nodes.left, np.int32),
        right=np.array(nodes.right, np.int32),
        missing_left=np.array(nodes.missing_left),
        roots=np.array(roots, np.int32),
        score=np.zeros((len(FAMILIES), 1)),
        chance=np.full((len(FAMILIES), 1), 0.5),
        high=np.full(len(FAMILIES), np.inf),
        floor=0.0,
    )


def write_forest(forest: Forest, path: Path) -> None:
    """A file for `read_forest`; the same bytes for the same trees."""
    np.savez_compressed(
        path,
        features=np.array(forest.features),
        feature=forest.feature.astype(np.int16),
        limit=forest.limit,
        left=forest.left,
        right=forest.right,
        missing_left=forest.missing_left,
        roots=forest.roots,
        score=forest.score,
        chance=forest.chance,
        high=forest.high,
        floor=forest.floor,
    )
