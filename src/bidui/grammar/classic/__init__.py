"""The papers' own format: JSON templates, a TSV vocabulary and JSON phrases.

`read.py` reads the files into a project, `convert.py` turns rule strings and lists into rules and lines, and `write.py`
writes paradigms back.
"""

from bidui.grammar.classic.read import import_classic, read_classic, refusal
from bidui.grammar.classic.write import ClassicExport, export_classic

__all__ = ["ClassicExport", "export_classic", "import_classic", "read_classic", "refusal"]
