"""The currency of the house: minimal pairs, read and written in every format, with their diversity."""

from bidui.pairs.atomic import check_new_folder, write_file, write_new_folder
from bidui.pairs.diversity import Diversity, Shares, measure_diversity, told_apart
from bidui.pairs.folder import Plan, Written, plan_folder, uid_fits, write_folder, write_pairs
from bidui.pairs.formats import Format, pairs_to_bytes, read_pairs
from bidui.pairs.lm_eval import lm_eval_files
from bidui.pairs.manifest import Json, Manifest, PairFile, sha256
from bidui.pairs.pair import Pair, Pairs, Region, Short, Side

__all__ = [
    "Diversity",
    "Format",
    "Json",
    "Manifest",
    "Pair",
    "PairFile",
    "Pairs",
    "Plan",
    "Region",
    "Shares",
    "Short",
    "Side",
    "Written",
    "check_new_folder",
    "lm_eval_files",
    "measure_diversity",
    "pairs_to_bytes",
    "plan_folder",
    "read_pairs",
    "sha256",
    "told_apart",
    "uid_fits",
    "write_file",
    "write_folder",
    "write_new_folder",
    "write_pairs",
]
