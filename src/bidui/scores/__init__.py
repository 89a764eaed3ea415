"""Scores: what a model gives every token of every pair, and which sentence it prefers.

In come pairs and a model. `run.score` scores the pairs, in memory or in a folder that resumes, and returns `Scores`,
whose `table` has one row per sentence with its tokens as lists. A linking function (`links`) turns the sums of a
sentence into one acceptability score; `choices.choose` compares the two scores of every pair and returns `Choices`,
from which analyses and reports are made. `unigrams` holds the token counts that SLOR and MORCELA need, `milestones` the
tables that training writes as it scores its checkpoints. Open `links.py` first, then `table.py`.
"""
