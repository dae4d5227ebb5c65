"""Run a command and end it when standard input closes: with its parent gone, no server is left running.

Run as a script, it imports nothing of the package: ``python reaper.py COMMAND ARGUMENT ...``.
"""

import os
import signal
import subprocess
import sys
import threading

GENTLE_SECONDS = 5


def main(command: list[str]) -> int:
    """Run the command to its end, or until standard input closes; return its exit code."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def end_with_parent() -> None:
        while os.read(0, 4096):
            continue
        child.terminate()
        try:
            child.wait(GENTLE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()

    threading.Thread(target=end_with_parent, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    return child.wait()


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]) & 0xFF)
