"""Follows an article: runs its commands as they are printed, and compares what they print with what the article shows.

Usage: tutorial.py ARTICLE PROGRAMS. Identifiers and numbers may differ, except for numbers in the last column. The first command goes on in
another terminal; blocks without a command show what it prints. A folder, a port and the built programs replace those of the article."""

import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

IDENTIFIER = re.compile(r"(?<=client )[a-z0-9]{10}\b", re.IGNORECASE)


def normalized(text):
    text = re.sub(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", "RULE", IDENTIFIER.sub("CLIENT", text))
    text = re.sub(r"\b[0-9.]+ m?s\b", "SPAN", text)
    # Not in the last column.
    text = re.sub(r"(?<!\w)(?!(?<=\s)[0-9]+$)[0-9]+(\.[0-9]+)?", "N", text, flags=re.MULTILINE)
    return [" ".join(line.split()) for line in text.strip().splitlines()]


class Reader:
    """Follows the commands in a folder of its own."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.identifiers = programs, folder, {}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.output = folder / "first-terminal"
        self.first = None
        self.second = subprocess.Popen(
            ["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)

    def here(self, command):
        """The command with this machine's paths and identifiers."""
        command = command.replace("8081", str(self.port)).replace("/tmp/", f"{self.folder}/")
        command = command.replace("$PWD/Tools/.build/debug", str(self.programs))
        command = re.sub(r"swift run --package-path \S+ ", f"{self.programs}/", command)
        for shown, printed in self.identifiers.items():
            command = command.replace(shown, printed)
        return command

    def run(self, command):
        """Runs a command in the second terminal, and returns what it prints."""
        print(self.here(command), "echo end-of-command", sep="\n", file=self.second.stdin, flush=True)
        lines = []
        while (line := self.second.stdout.readline()) != "end-of-command\n":
            lines.append(line or sys.exit(f"the shell ended: {command}"))
        return "".join(lines)

    def follow(self, command, shown):
        if self.first is None:
            with open(self.output, "w") as output:
                self.first = subprocess.Popen(["bash", "-c", f"exec {self.here(command)}"], stdout=output, stderr=output)
            command = ""
        if command.startswith("swift build "):
            return
        deadline = time.monotonic() + 60
        while True:
            printed = self.run(command) if command else self.output.read_text()
            expected, actual = normalized(shown), normalized(printed)
            if set(expected) <= set(actual) if not command else expected == actual:
                break
            # What another terminal prints, and what a query asks for, may be under way.
            if time.monotonic() > deadline or not (command == "" or command.startswith("telemetry query")):
                sys.exit(f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}")
            time.sleep(0.1)
        if not command:
            self.identifiers.update(zip(IDENTIFIER.findall(shown), IDENTIFIER.findall(printed)[-1:]))

    def close(self):
        for process in (self.first, self.second):
            if process:
                process.kill()
                process.wait()


def main(article, programs):
    blocks = re.findall(r"^```console\n(.*?)^```", pathlib.Path(article).read_text(), re.MULTILINE | re.DOTALL)
    steps = []
    for block in blocks:
        before, *parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
        if before:
            steps.append(("", before))
        steps += zip(parts[::2], parts[1::2])
    if len(steps) < 2:
        sys.exit(f"{article} has no commands")
    folder = pathlib.Path(tempfile.mkdtemp())
    reader = Reader(pathlib.Path(programs).resolve(), folder)
    try:
        for command, shown in steps:
            reader.follow(command, shown)
    finally:
        reader.close()
        shutil.rmtree(folder)
    print(f"{len(steps)} steps of {pathlib.Path(article).stem} are as it shows them")


main(*sys.argv[1:])
