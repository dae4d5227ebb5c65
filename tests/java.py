"""A stand-in for Java and Mojang's jar, which cannot be had here: scripts that say and do what is known of them.

And ``running``, which sees whether anything of a server was left behind.
"""

import stat
import sys
from pathlib import Path

DONE = '[12:00:00] [Server thread/INFO]: Done (3.141s)! For help, type "help"'
LISTENS = "[12:00:01] [RCON Listener #1/INFO]: RCON running on 127.0.0.1:25575"

_HEAD = """#!{python}
import sys
if "-version" in sys.argv:
    sys.exit(print('openjdk version "{version}" 2025-04-15', file=sys.stderr))
"""
_SAYS = """
import time
for line in {lines!r}:
    print(line, flush=True)
time.sleep(60)
"""
# Takes commands as the game does: it listens only after it has said that it is done. "stop" ends it.
_LISTENS = """
import os, pathlib, shutil, socket, struct, time

def properties():
    lines = pathlib.Path("server.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)

def exactly(n):
    data = b""
    while len(data) < n:
        data += connection.recv(n - len(data)) or sys.exit("hung up")
    return data

laid = {laid!r}
shutil.copytree(laid, "world", dirs_exist_ok=True)
for name in ("session.lock", "playerdata/someone.dat"):
    path = pathlib.Path("world", name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("of a running server")
print({done!r}, flush=True)
time.sleep(0.3)
listener = socket.create_server(("127.0.0.1", int(properties()["rcon.port"])))
print({listens!r}, flush=True)
connection = listener.accept()[0]
replies = {replies!r}
commands = open({commands!r}, "a")
while True:
    size, ident, kind = struct.unpack("<iii", exactly(12))
    body = exactly(size - 8)[:-2].decode()
    print(body, file=commands, flush=True)
    if body == "stop":
        sys.exit()
    if kind == 3:
        ident, reply = ident if body == properties()["rcon.password"] else -1, ""
    else:
        reply = replies.get(body.split()[0], "Done")
    content = struct.pack("<ii", ident, 0) + reply.encode() + b"\\0\\0"
    connection.sendall(struct.pack("<i", len(content)) + content)
"""
# In the place of the game a squid server, started from the properties that the game would read.
_SQUID = """
import pathlib, subprocess
from mirrorcraft.server.squid import SquidServer

lines = pathlib.Path("server.properties").read_text().splitlines()
said = dict(line.split("=", 1) for line in lines)
squid = SquidServer(pathlib.Path.cwd(), seed=1)
squid.port, squid.rcon_port = int(said["server-port"]), int(said["rcon.port"])
squid.password = said["rcon.password"]
squid.prepare()
child = subprocess.Popen(
    squid.command(), env=squid.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
for line in child.stdout:
    print(line, end="", flush=True)
    if squid.is_ready(line):
        print({done!r}, flush=True)
        print({listens!r}, flush=True)
"""


def _script(folder: Path, text: str, version: str = "17.0.9") -> str:
    script = folder / "java"
    script.write_text(_HEAD.format(python=sys.executable, version=version) + text)
    script.chmod(script.stat().st_mode | stat.S_IEXEC)
    return str(script)


def java_that_says(folder: Path, *lines: str, version: str = "17.0.9") -> str:
    """A Java that prints lines and waits."""
    return _script(folder, _SAYS.format(lines=lines), version)


def java_with_eula(folder: Path) -> str:
    """A Java that starts the game only if ``eula.txt`` says so, letter by letter."""
    need = "You need to agree to the EULA in order to run the server. Go to eula.txt for more info."
    check = f'if "eula=true" not in open("eula.txt").read().splitlines():\n    sys.exit({need!r})\n'
    return _script(folder, check + _SAYS.format(lines=(DONE, LISTENS)))


def java_that_generates(folder: Path, laid: Path, commands: Path, **replies: str) -> str:
    """A Java whose game "generates" the save in ``laid``, and notes the commands that it is given.

    Args:
        folder: where the script goes.
        laid: the save that appears as its world.
        commands: the file of the commands, the password first.
        replies: what it answers to a command, by its first word with ``_`` for ``-``; else "Done".
    """
    said = {"forceload": "Marked 12 chunks", "save-all": "Saved the game"}
    said.update({name.replace("_", "-"): reply for name, reply in replies.items()})
    values = {"laid": str(laid), "commands": str(commands), "replies": said}
    return _script(folder, _LISTENS.format(done=DONE, listens=LISTENS, **values))


def java_with_squid(folder: Path) -> str:
    """A Java whose game is a squid server."""
    return _script(folder, _SQUID.format(done=DONE, listens=LISTENS))


def running(folder: Path) -> list[int]:
    """The processes that run something out of a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if str(folder).encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
