"""Scale: many pieces of work, one after another or side by side, on one machine or on several that share a disk."""
