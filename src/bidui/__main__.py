"""`python -m bidui`: the `bidui` command, and the way to start a bidui process from Python.

    subprocess.run([sys.executable, "-P", "-m", "bidui", "generate", "zhoblimp"])

`-P` keeps Python from importing modules that happen to lie in the current folder.
"""

from bidui.cli.main import run

if __name__ == "__main__":
    run()
