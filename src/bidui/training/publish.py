"""What is needed to publish a checkpoint: its model card, and the upload to a hub."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bidui.errors import Place, fail, import_failed
from bidui.models.model import first_line
from bidui.training.sizes import LSTM

CARD = "README.md"  # in the folder of a checkpoint, where hubs look for it
MANIFEST = "training.json"  # in the folder of a checkpoint: its step and recipe
UNSTATED = "license_name: not-stated"  # a line of the card, until a person has replaced it

_HEAD = f"""\
---
license: other
{UNSTATED}
tags:
- bidui
- minimal-pairs
"""
_TRANSFORMERS = """\
library_name: transformers
pipeline_tag: text-generation
"""
_LOAD = """\
```py
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("MODEL")
tokenizer = AutoTokenizer.from_pretrained("MODEL")
```

"""
_LICENCE = f"""\
## Licence

Not stated. Before you publish this model, write here under which licence you publish the weights and under which
licences the texts are that they were trained on, and replace `license: other` and `{UNSTATED}` at the top.
"""


def model_card(name: str, training: Mapping[str, Any], *, about: str = "") -> str:
    """Return the model card of a checkpoint: its recipe, its data, how to load and score it, and room for a licence.

    `training` is the content of its `training.json`, and `about` describes the corpus. The card holds no time, machine
    or path, so equal runs have equal cards.
    """
    recipe = training["recipe"]
    loss = "It was not measured, because no text was held out."
    if training["validation"] is not None:
        loss = (
            f"{training['validation']:.4f} nats per token and {training['validation_per_character']:.4f} per character,"
            f" on {training['validation_rows']:,} rows of held-out text."
        )
    kind = "An LSTM" if recipe["size"] == LSTM else f"A GPT-NeoX of the size {recipe['size']} of Pythia"
    fields = "".join(f"| {key} | {value} |\n" for key, value in recipe.items())
    return (
        f"{_HEAD}{'' if recipe['size'] == LSTM else _TRANSFORMERS}---\n\n# {name}\n\n"
        f"{kind}, trained from scratch with bidui. This is the checkpoint after step {training['step']:,}, when it had"
        f" seen {training['tokens']:,} tokens.\n\n"
        f"## Loss\n\n{loss}\n\n"
        f"## Data\n\n{about}The run learns from the first {recipe['tokens']:,} tokens of the corpus with the hash\n"
        f"`{recipe['corpus']}`.\n\n"
        f"## Recipe\n\n| setting | value |\n|---|---|\n{fields}\n"
        "## Use\n\n`MODEL` is this folder, or the name of the model on a hub. To score minimal pairs:\n\n"
        f"    bidui score zhoblimp --model MODEL\n\n{'' if recipe['size'] == LSTM else _LOAD}"
        f"{_bos_rule(recipe['bos'])}\n\n{_LICENCE}"
    )


def ends_text(bos: str) -> bool:
    """Return whether the BOS of the next text follows a text in training, so that a model can learn to end one."""
    return bos in ("line", "document")


def _bos_rule(bos: str) -> str:
    """Say what stands before a sentence, and whether text that the model generates has an end."""
    before = "nothing stood before a sentence" if bos == "none" else f"BOS stood before every {bos}"
    if ends_text(bos):
        return (
            f"In training, {before}; put it before every sentence that you score, as `bidui score` does.\n"
            f"The BOS of the next {bos} is also what the model learned to predict at the end of a {bos}. Therefore\n"
            "`generation_config.json` names it as EOS, and `generate` stops there. No other EOS occurred in training."
        )
    return (
        f"In training, {before}, and `bidui score` does the same. The model never saw a token that ends a text, so\n"
        "`generate` continues until `max_new_tokens`."
    )


def push(checkpoint: str | Path, repo: str, *, private: bool = False, revision: str | None = None) -> str:
    """Upload a checkpoint to a hub, as the model `repo` (USER/NAME), which is made if it is not there; return its URL.

    The hub is Hugging Face's, or the one at the address in HF_ENDPOINT; its token is that of `hf auth login`, or in
    HF_TOKEN. A revision other than the main one must exist or is made.
    """
    folder = Path(checkpoint)
    if not (folder / MANIFEST).is_file():
        raise fail("push-no-checkpoint", Place(str(folder)), {})
    try:
        from huggingface_hub import HfApi
    except ImportError as error:
        raise import_failed(error, extra="lm") from error
    hub = HfApi()
    try:
        hub.create_repo(repo, private=private or None, exist_ok=True)
        if revision is not None:
            hub.create_branch(repo, branch=revision, exist_ok=True)
        title = f"Upload {folder.resolve().parent.name} {folder.resolve().name}"
        hub.upload_folder(repo_id=repo, folder_path=folder, revision=revision, commit_message=title)
    except Exception as error:  # of httpx or requests, by the version of huggingface_hub; all say what a user can do
        raise fail("push-failed", Place(repo), {"hub": hub.endpoint, "reason": first_line(error)}) from error
    return f"{hub.endpoint}/{repo}" + (f"/tree/{revision}" if revision else "")
