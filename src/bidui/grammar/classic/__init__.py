"""The papers' own format: JSON templates, a TSV vocabulary and JSON phrases, imported as meant and exported again."""

from bidui.grammar.classic.export import export_classic, export_phrases, export_vocabulary
from bidui.grammar.classic.losses import losses, lost_pairs
from bidui.grammar.classic.reading import ClassicImport, read_classic, write_import

__all__ = [
    "ClassicImport",
    "export_classic",
    "export_phrases",
    "export_vocabulary",
    "losses",
    "lost_pairs",
    "read_classic",
    "write_import",
]
