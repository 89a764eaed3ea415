"""People: what humans said about sentences, as data.

Judgements flow in from files and from studies: the published counts in `human.tsv` of a benchmark folder, the blind
review in `review.tsv`, graded ratings, and the responses to a study of our own. Agreement, proposals about paradigms
and z-scored acceptability flow out, and `bidui.analysis.people` sets models beside them.

    design      what a study asks of whom, by which rules; presets and the size of a study
    lists       who sees which item, on which side and in which order; which slot comes next
    study       a design with its pairs, texts and trials pinned: a folder, or the same bytes in a database
    responses   one row per answer: checked, stored, exported, and excluded by rule
    participants  the facts about a person beside her answers: background, times, the texts she consented to
    progress    how far a study is: who is where, agreement and catch trials so far, times
    agreement   agreement with the gold labels and between people; published counts
    decisions   which paradigms to keep, by the figures or by hand; written into the project
    ratings     graded ratings of sentences: read, checked and z-scored per rater
    exchange    PCIbex, and answers that were collected elsewhere

Open `design` first. A benchmark with human figures is found by its files: nothing here knows one by name.
"""
