"""What the scripts that check exported files share: they end with 0 when content, 1 when not, 77 when a library is missing."""
import pathlib
import sys

QUIET = "quiet" in sys.argv


def fail(what):
    if not QUIET:
        print(f"{pathlib.Path(sys.argv[0]).name}: {what}", file=sys.stderr)
    sys.exit(1)


def expect(condition, what):
    if not condition:
        fail(what)
