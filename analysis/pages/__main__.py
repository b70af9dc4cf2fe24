"""python -m pages, with analysis/ on the path: `./dev` says it."""

from pages.cli import app

if __name__ == "__main__":
    app(prog_name="./dev")
