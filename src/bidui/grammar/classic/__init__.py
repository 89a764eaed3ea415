"""The papers' own format: JSON templates, a TSV vocabulary and JSON phrases, imported as meant and exported again."""

from bidui.grammar.classic.read import ClassicImport, losses, lost_pairs, read_classic, write_import
from bidui.grammar.classic.write import export_classic, export_phrases, export_vocabulary

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
