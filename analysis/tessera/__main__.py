"""python -m tessera"""

from tessera.cli import app

if __name__ == "__main__":
    app(prog_name="tessera")
