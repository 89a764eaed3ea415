"""Budgets: searches and tables stop after a number of steps, so that every machine gives up at the same point."""

from dataclasses import dataclass


class OutOfSteps(Exception):
    """The work was given up."""


@dataclass(slots=True)
class Budget:
    """The steps that some work may still take."""

    left: int

    def spend(self, steps: int = 1) -> None:
        """Take steps; raise `OutOfSteps` if there are not enough left."""
        self.left -= steps
        if self.left < 0:
            raise OutOfSteps
