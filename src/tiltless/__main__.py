"""``python -m tiltless``: the program ``tiltless``."""

from tiltless.cli import main

if __name__ == "__main__":
    main()
