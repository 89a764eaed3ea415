"""The currency of the house: minimal pairs.

Generation makes `Pairs`, and files of many kinds hold them: ours in JSONL, CSV or Parquet, and released benchmarks.
Scoring, studies and reports read them from here.

Open `pair` first: what a pair is. `formats` reads and writes one file, `layouts` knows the columns of releases,
`archives` unpacks them, and `folder` is a folder of one file per paradigm with its manifest, which is never overwritten
by mistake. `lm_eval` exports tasks for lm-evaluation-harness. `diversity` measures how varied pairs are, and whether a
classifier of words can tell good from bad.
"""

from bidui.pairs.diversity import (
    Diversity,
    DiversityTable,
    SentenceTypes,
    Shares,
    compare_diversity,
    measure_diversity,
    told_apart,
)
from bidui.pairs.folder import (
    AnyPairs,
    PairFile,
    PairsManifest,
    Plan,
    Written,
    as_pairs,
    plan_folder,
    read_pairs,
    uid_fits,
    write_folder,
    write_pairs,
)
from bidui.pairs.formats import Format, pairs_to_bytes
from bidui.pairs.lm_eval import export_lm_eval, lm_eval_files
from bidui.pairs.pair import Origin, Pair, Pairs, Region, Short, Side
from bidui.pairs.stored import Lines, StoredPairs, StoredParadigm, open_stored

__all__ = [
    "AnyPairs",
    "Diversity",
    "DiversityTable",
    "Format",
    "Lines",
    "Origin",
    "Pair",
    "PairFile",
    "Pairs",
    "PairsManifest",
    "Plan",
    "Region",
    "SentenceTypes",
    "Shares",
    "Short",
    "Side",
    "StoredPairs",
    "StoredParadigm",
    "Written",
    "as_pairs",
    "compare_diversity",
    "export_lm_eval",
    "lm_eval_files",
    "measure_diversity",
    "open_stored",
    "pairs_to_bytes",
    "plan_folder",
    "read_pairs",
    "told_apart",
    "uid_fits",
    "write_folder",
    "write_pairs",
]
