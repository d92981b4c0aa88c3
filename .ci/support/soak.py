"""Lets a host, a relay and a viewer run for a time, and checks that they use no more at the end than at the beginning.

Usage: soak.py PROGRAMS SECONDS RATE LOGS

`telemetry pipe` logs RATE lines a second to a relay, and `telemetry events --follow` reads them. Every line must arrive once. In the last
quarter of the time each process may use at most a third more memory than in the second, and 16 MB, and no more descriptors but a few.
"""
import json, os, statistics, subprocess, sys, tempfile, threading, time

programs, seconds, rate, logs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
tool, relay = (os.path.join(programs, name) for name in ("telemetry", "telemetry-relay"))


def check(is_so, what):
    if not is_so:
        sys.exit(f"error: {what}")


class Reader(threading.Thread):
    """The events that a process prints, one JSON object per line."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.events, self.arrived = process, [], threading.Condition()
        self.start()

    def run(self):
        for line in self.process.stdout:
            with self.arrived:
                self.events.append(json.loads(line))
                self.arrived.notify_all()

    def wait(self, count, limit):
        with self.arrived:
            return self.arrived.wait_for(lambda: len(self.events) >= count, limit)


def used(process):
    """A process's memory in megabytes and its number of descriptors."""
    with open(f"/proc/{process.pid}/status") as status:
        kilobytes = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return kilobytes / 1024, len(os.listdir(f"/proc/{process.pid}/fd"))


with tempfile.TemporaryDirectory() as work:
    port = os.path.join(work, "port")
    environment = {**os.environ, "XDG_STATE_HOME": work, "XDG_CONFIG_HOME": work, "LIVE_TELEMETRY_ISSUER": "soak"}

    def begin(name, *command, **streams):
        with open(os.path.join(logs, f"soak-{name}.log"), "w") as errors:
            return subprocess.Popen(command, env=environment, stderr=errors, text=True, **streams)

    server = begin("relay", relay, "--port", "0", "--port-file", port, "--database", os.path.join(work, "relay.sqlite"))
    while not (os.path.exists(port) and os.path.getsize(port)):
        check(server.poll() is None, "the relay ended at its start")
        time.sleep(0.05)
    with open(port) as file:
        store = ["--relay", f"http://127.0.0.1:{file.read().strip()}"]
    host = begin("host", tool, "pipe", *store, "--scenario", "Soak", "--hold", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    viewer = begin("viewer", tool, "events", *store, "--scenario", "Soak", "--follow", "--format", "json", stdout=subprocess.PIPE)
    processes = {"relay": server, "host": host, "viewer": viewer}
    reader = Reader(viewer)
    try:
        clients = []
        while not clients:
            answer = subprocess.run(
                [tool, "clients", *store, "--format", "json"], env=environment, stdout=subprocess.PIPE, text=True, check=True)
            clients = answer.stdout.splitlines()
        client = json.loads(clients[0])["clientid"]
        for command in (["approve", client], ["enable", client, "Soak"]):
            subprocess.run([tool, *command, *store], env=environment, stdout=subprocess.DEVNULL, check=True)

        samples = {name: [] for name in processes}
        began, sent = time.monotonic(), 0
        while (passed := time.monotonic() - began) < seconds:
            due = int(passed * rate)
            host.stdin.write("".join(f"line {number}\n" for number in range(sent, due)))
            host.stdin.flush()
            sent = due
            for name, process in processes.items():
                check(process.poll() is None, f"{name} ended after {passed:.0f} s")
                samples[name].append(used(process))
            time.sleep(0.25)
        check(reader.wait(sent, 60), f"{len(reader.events)} of {sent} lines arrived")
        host.stdin.close()
        check(host.wait(60) == 0, f"the host ended with {host.returncode}")
        numbers = sorted(int(event["property1"].split()[1]) for event in reader.events)
        check(numbers == list(range(sent)), "a line arrived twice, or another did not arrive")
        for name, taken in samples.items():
            quarter = len(taken) // 4
            early, early_open = map(statistics.median, zip(*taken[quarter:2 * quarter]))
            late, late_open = map(statistics.median, zip(*taken[-quarter:]))
            print(f"{name}: {early:.1f} MB, then {late:.1f} MB; {early_open:.0f} descriptors, then {late_open:.0f}")
            check(late <= early * 4 / 3 + 16, f"{name} uses more and more memory")
            check(late_open <= early_open + 8, f"{name} opens more and more descriptors")
        print(f"{sent} lines in {seconds} s, each of which arrived once")
    finally:
        for process in processes.values():
            process.kill()
            process.wait()
