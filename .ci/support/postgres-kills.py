"""Kills relays and their PostgreSQL server under load, repeatedly, and checks what is stored.

Usage: postgres-kills.py PROGRAM ROUNDS SEED LOG WORK PORT SERVER-PROGRAMS FAKETIME-LIBRARY

Three relays share a database. In each round, writers append batches over any of them while one fault happens, and repeat batches that
were not confirmed, except some, which they give up. A reader follows all events with its cursor through all rounds.
"""
import collections, http.client, json, os, random, signal, subprocess, sys, threading, time

RELAYS, WRITERS, BATCH = 3, 4, 50
program, rounds, seed, log, work, port, programs, faketime = sys.argv[1:9]
rounds, seed = int(rounds), int(seed)
chance = random.Random(seed)
data, tables = f"{work}/server/data", f"{work}/tables"
address = f"postgresql://relay@127.0.0.1:{port}/test"
faults = collections.Counter()


def check(is_so, what):
    if not is_so:
        print(f"error: {what} (seed {seed})", flush=True)
        for relay in relays:
            relay.kill()
        os._exit(1)


def as_server(*command):
    prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    return subprocess.run([*prefix, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def sql(statement):
    return subprocess.run([f"{programs}/psql", "-qAt", address, "-c", statement], capture_output=True, text=True)


def start_server():
    deadline = time.monotonic() + 60
    # Processes of a killed server may still be ending.
    while as_server(f"{programs}/pg_ctl", "-D", data, "-l", f"{work}/server/log", "-w", "start"):
        check(time.monotonic() < deadline, "the server does not start again")
        time.sleep(0.2)


class Relay:
    def __init__(self, index):
        self.index, self.port_file, self.port, self.process = index, f"{work}/port-{index}", 0, None

    def start(self):
        if os.path.exists(self.port_file):
            os.remove(self.port_file)
        # Options in the environment, because the library for other clocks hides a Swift program's arguments. The port stays the same, as
        # behind a load balancer.
        environment = os.environ | {
            "TELEMETRY_RELAY_PORT": str(self.port), "TELEMETRY_RELAY_PORT_FILE": self.port_file, "TELEMETRY_RELAY_DATABASE": address}
        if faketime and self.index == 1:
            environment |= {"LD_PRELOAD": faketime, "FAKETIME": "+2d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        with open(log, "ab") as output:
            self.process = subprocess.Popen([program], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)

    def wait_until_ready(self):
        deadline = time.monotonic() + 60
        while not os.path.exists(self.port_file):
            check(time.monotonic() < deadline, f"relay {self.index} does not answer within 60 s")
            if self.process.poll() is not None:
                self.start()
            time.sleep(0.01)
        with open(self.port_file) as file:
            self.port = int(file.read())

    def kill(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


relays = [Relay(index) for index in range(RELAYS)]


class Link:
    """Sends requests to any of the relays. After a failure, to another one."""

    def __init__(self, random_seed):
        self.chance, self.connection = random.Random(random_seed), None

    def send(self, method, path, body=None):
        """Returns the status and the answer; status 0 if there is none."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.chance.choice(relays).port, timeout=40)
            self.connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
            answer = self.connection.getresponse()
            status, document = answer.status, json.loads(answer.read())
            retry = answer.getheader("Retry-After")
        except (OSError, http.client.HTTPException, ValueError):
            self.connection = None
            return 0, None
        check(status in (200, 503), f"{method} {path}: {status} {document}")
        if status == 503:
            self.connection = None
            check(retry, "503 without Retry-After")
        return status, document

    def get(self, path, deadline):
        while time.monotonic() < deadline:
            status, document = self.send("GET", path)
            if status == 200:
                return document
            time.sleep(0.05)
        check(False, f"GET {path} has no answer")


def identifiers(session, number):
    return [f"{session}/{number * BATCH + index}" for index in range(BATCH)]


class Writer(threading.Thread):
    """Appends batches to its own session. Repeats most of those that are not confirmed."""

    def __init__(self, session):
        super().__init__(daemon=True)
        self.session, self.link = session, Link(session)
        self.confirmed, self.given_up, self.repeated = [], [], 0
        self.must_end = threading.Event()

    def run(self):
        number = 0
        while not self.must_end.is_set():
            self.append(number)
            number += 1

    def append(self, number):
        context = {"clientid": "killed", "sessionId": self.session, "eventName": "n", "eventTimestamp": "2026-11-21T08:00:00.123Z"}
        body = json.dumps({"context": context, "events": [{"eventId": name} for name in identifiers(self.session, number)]})
        attempts, deadline = 0, time.monotonic() + 90
        while True:
            status, receipt = self.link.send("POST", "/v1/events", body)
            if status == 200:
                whole = [{"stored": BATCH, "duplicates": 0}] + ([{"stored": 0, "duplicates": BATCH}] if attempts else [])
                check(receipt in whole, f"{self.session}, batch {number}: {receipt} after {attempts} attempts")
                self.confirmed.append(number)
                self.repeated += attempts > 0
                return
            attempts += 1
            if self.link.chance.random() < 0.1:
                self.given_up.append(number)
                return
            check(time.monotonic() < deadline, f"{self.session}, batch {number}: not stored within 90 s")
            time.sleep(0.05)


class Reader(threading.Thread):
    """Follows all events from the beginning with its cursor, over any relay."""

    def __init__(self):
        super().__init__(daemon=True)
        self.link, self.cursor, self.seen, self.target = Link("reader"), "", set(), None

    def run(self):
        while self.target is None or len(self.seen) < self.target:
            status, page = self.link.send("GET", f"/v1/events?limit=1000&wait=1{self.cursor}")
            if status != 200:
                time.sleep(0.05)
                continue
            check(page["skipped"] == 0, f"the reader skipped {page['skipped']} events")
            for event in page["events"]:
                check(event["eventId"] not in self.seen, f"the reader got {event['eventId']} twice")
                self.seen.add(event["eventId"])
            self.cursor = "&after=" + page["cursor"]


def kill_relays():
    victims = chance.sample(relays, chance.randint(1, RELAYS))
    for relay in victims:
        relay.kill()
    time.sleep(chance.uniform(0, 0.3))
    for relay in victims:
        relay.start()


def kill_server():
    with open(f"{data}/postmaster.pid") as file:
        os.kill(int(file.readline()), signal.SIGKILL)
    time.sleep(chance.uniform(0, 1))
    start_server()


def stop_server():
    as_server(f"{programs}/pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    time.sleep(chance.uniform(0, 1))
    start_server()


def cut_connections():
    for _ in range(30):
        sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'telemetry-relay%' AND random() < 0.5")
        time.sleep(chance.uniform(0, 0.02))


def fill_disk():
    with open(f"{tables}/filler", "wb") as file:
        try:
            while True:
                file.write(bytes(1 << 16))
                file.flush()
        except OSError:
            pass
    time.sleep(chance.uniform(0.5, 1.5))
    os.remove(f"{tables}/filler")


def stored(link, session):
    found, cursor = [], ""
    while True:
        page = link.get(f"/v1/events?session={session}&limit=1000{cursor}", time.monotonic() + 60)
        found += [event["eventId"] for event in page["events"]]
        if not page["hasMore"]:
            return found
        cursor = "&after=" + page["cursor"]


def verify(link, writer):
    """Returns the number of the writer's stored events, and that of stored batches that it gave up."""
    found = stored(link, writer.session)
    counts = collections.Counter(found)
    check(all(count == 1 for count in counts.values()), f"{writer.session}: an event is stored twice")
    expected, kept = set(), 0
    for number in writer.confirmed:
        names = identifiers(writer.session, number)
        check(all(name in counts for name in names), f"{writer.session}, batch {number} was confirmed and is not stored")
        expected.update(names)
    for number in writer.given_up:
        names = identifiers(writer.session, number)
        present = sum(name in counts for name in names)
        check(present in (0, BATCH), f"{writer.session}, batch {number} was stored in part: {present} events")
        expected.update(names if present else [])
        kept += present > 0
    check(set(found) == expected, f"{writer.session}: unexpected events")
    return len(found), kept


def prepare():
    choices = [kill_relays, kill_server, stop_server, cut_connections]
    if os.path.ismount(tables):
        if os.getuid() == 0:
            subprocess.run(["chown", "postgres", tables], check=True)
        os.mkdir(f"{tables}/space")
        if os.getuid() == 0:
            subprocess.run(["chown", "postgres", f"{tables}/space"], check=True)
        sql(f"CREATE TABLESPACE small LOCATION '{tables}/space'")
        sql("ALTER DATABASE test SET default_tablespace = small")
        choices.append(fill_disk)
    # All at once, so that they create the tables together.
    for relay in relays:
        relay.start()
    for relay in relays:
        relay.wait_until_ready()
    return choices


def main():
    choices, began = prepare(), time.monotonic()
    reader, link = Reader(), Link("checks")
    reader.start()
    confirmed = given_up = kept = repeated = events = 0
    for number in range(rounds):
        writers = [Writer(f"{number}-{index}") for index in range(WRITERS)]
        for writer in writers:
            writer.start()
        time.sleep(chance.uniform(0.1, 0.5))
        fault = choices[number] if number < len(choices) else chance.choice(choices)
        faults[fault.__name__] += 1
        print(f"round {number}: {fault.__name__}", flush=True)
        fault()
        for relay in relays:
            relay.wait_until_ready()
        for writer in writers:
            writer.must_end.set()
        for writer in writers:
            writer.join()
            count, found = verify(link, writer)
            events, kept, repeated = events + count, kept + found, repeated + writer.repeated
            confirmed, given_up = confirmed + len(writer.confirmed), given_up + len(writer.given_up)
    # A batch that was given up may have been stored after the check only if its relay was still at work on it.
    total = link.get("/v1/events/count", time.monotonic() + 60)["count"]
    check(total == events, f"{total} events are stored instead of {events}")
    reader.target = total
    reader.join(120)
    check(len(reader.seen) == total, f"the reader got {len(reader.seen)} of {total} events")
    for relay in relays:
        relay.kill()
    happened = ", ".join(f"{count} {name}" for name, count in sorted(faults.items()))
    print(
        f"{rounds} faults ({happened}) in {time.monotonic() - began:.0f} s (seed {seed}): {confirmed} confirmed batches of {BATCH} are stored "
        f"exactly once, {repeated} of them after repetition; of {given_up} batches that were given up, {kept} were stored, each as a whole; "
        f"the reader got all {total} events once")
    check(confirmed > 0, "no batch was confirmed")


main()
