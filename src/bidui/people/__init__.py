"""People: what humans said about sentences, as data.

Judgements flow in from files: the published counts in `human.tsv` of a benchmark folder, the blind review in
`review.tsv`, and graded ratings that a study collected. Agreement and z-scored acceptability flow out, and
`bidui.analysis.people` sets models beside them.

    agreement   how often people chose the good sentence of published pairs; what reviewers found in ours
    ratings     graded ratings of sentences: read, checked and z-scored per rater

Open `agreement` first. A benchmark with human figures is found by its files: nothing here knows one by name.
"""
