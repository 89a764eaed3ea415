"""Scale: the same work in this process, in processes of this machine, or on the machines of a Ray cluster.

Open `workers.py` first: `open_workers` gives a function over many items to workers that stay, such as those that hold a
model, and returns the results in order. `tasks.run_all` runs commands, such as the training runs of a suite.
`storage.py` is for what several machines share without a common disk: folders at `s3://`, `gs://` and the like. Nothing
here knows what the work is; what is already done is decided by the manifests of those who ask for it.
"""
