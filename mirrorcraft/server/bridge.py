"""JSPyBridge, in a process of its own: reads calls as JSON lines, makes them over the bridge, answers in JSON lines.

This is the one file that knows the package ``javascript``. A process for each bot keeps what can go wrong with a
bridge (a reply after its timeout breaks it for good, and its threads keep Python from ending) away from the study.
"""

import json
import os
import sys
from typing import Any

# Deadlines are kept in Node, a good while before these; the bridge's own must never be the first.
SLACK_SECONDS = 30


def main() -> None:
    """Serve standard input until it ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the bridge prints is no reply
    import javascript

    body = javascript.require("./body/index.js")
    functions = {
        name: getattr(body, name) for name in ("connect", "call", "observe", "quit", "memory")
    }
    for line in sys.stdin:
        call = json.loads(line)
        answer: dict[str, Any] = {"i": call["i"]}
        try:
            answer["r"] = functions[call["f"]](*call["a"], timeout=call["s"] + SLACK_SECONDS)
        except Exception as e:  # whatever broke, the other side must hear of it
            answer["e"] = f"{type(e).__name__}: {e}"
        replies.write(json.dumps(answer) + "\n")
        replies.flush()
    os._exit(0)  # the bridge's threads would keep the process; Node ends with it


if __name__ == "__main__":
    main()
