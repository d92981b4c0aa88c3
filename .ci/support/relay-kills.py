"""Kills a relay under load, repeatedly, and checks that every confirmed batch is stored exactly once.

Usage: relay-kills.py PROGRAM ROUNDS SEED LOG

Each round starts the relay with the same database, checks the results of the previous round, sends appends, deletions and reads, and sends
SIGKILL at a random time; in one of ten rounds also while the relay starts. The audit has to contain each deletion and read that was answered.
An alert for each writer has to send its message, signed and at least once, if an event of that writer is stored, and no other message.
"""
import base64, hashlib, hmac, http.client, http.server, json, os, random, signal, subprocess, sys, tempfile, threading, time

WRITERS, BATCH = 4, 50
program, rounds, seed, log = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
chance = random.Random(seed)


class Writer(threading.Thread):
    """Appends batches to its own session until the relay ends."""

    def __init__(self, port, session, deadline):
        super().__init__(daemon=True)
        self.port, self.session, self.deadline = port, session, deadline
        self.answered, self.unanswered, self.unexpected = 0, None, None

    def run(self):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        while time.monotonic() < self.deadline:
            try:
                self.unanswered = self.answered
                status, body = send(link, "POST", "/v1/events", batch(self.session, self.answered))
            except (OSError, http.client.HTTPException, ValueError):
                return
            if status != 200 or body != {"stored": BATCH, "duplicates": 0}:
                self.unexpected = f"{self.session}: {status} {body}"
                return
            self.answered += 1
            self.unanswered = None


class Deleter(threading.Thread):
    """Deletes sessions that were checked, until the relay ends."""

    def __init__(self, port, sessions):
        super().__init__(daemon=True)
        self.port, self.sessions, self.deleted = port, sessions, []

    def run(self):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            for session in self.sessions:
                if send(link, "DELETE", f"/v1/events?session={session}")[0] == 200:
                    self.deleted.append(session)
        except (OSError, http.client.HTTPException, ValueError):
            return


class Reader(threading.Thread):
    """Counts the events of sessions that nobody has, until the relay ends."""

    def __init__(self, port, name):
        super().__init__(daemon=True)
        self.port, self.name, self.read = port, name, []

    def run(self):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            while True:
                session = f"{self.name}-{len(self.read)}"
                if send(link, "GET", f"/v1/events/count?session={session}")[0] == 200:
                    self.read.append(session)
        except (OSError, http.client.HTTPException, ValueError):
            return


class Receiver:
    """Receives the messages of alerts."""

    def __init__(self):
        self.secret = base64.b64encode(bytes(range(32))).decode()
        self.messages, self.faults, self.count = {}, [], 0
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                identifier, moment = self.headers["webhook-id"], self.headers["webhook-timestamp"]
                content = f"{identifier}.{moment}.".encode() + body
                code = hmac.new(base64.b64decode(receiver.secret), content, hashlib.sha256).digest()
                if self.headers["webhook-signature"] != "v1," + base64.b64encode(code).decode():
                    receiver.faults.append(f"{identifier} has another signature")
                receiver.messages.setdefault(json.loads(body)["alert"], set()).add(identifier)
                receiver.count += 1
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, database):
        """Adds the webhook to a database."""
        place = database + ".secret"
        with open(place, "w") as file:
            file.write("whsec_" + self.secret)
        url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        subprocess.run([program, "webhook", "add", "ops", url, "--secret-file", place, "--database", database], check=True)

    def verify(self, sessions):
        """Checks the messages so far. Returns the sessions whose message is missing. One whose events are deleted may have none."""
        check(not self.faults, self.faults)
        for name, identifiers in list(self.messages.items()):
            check(name in sessions, f"the alert {name} fired without events")
            check(len(identifiers) == 1, f"the alert {name} fired {len(identifiers)} times")
        return [name for name in sessions if name not in self.messages and not is_deleted(name)]


class Audit:
    """What the audit contains so far."""

    def __init__(self):
        self.cursor, self.number, self.entries = "0", 0, set()

    def read(self, link):
        while True:
            status, page = send(link, "GET", f"/v1/audit?limit=1000&after={self.cursor}")
            check(status == 200, f"reading the audit: {status} {page}")
            numbers = [entry["number"] for entry in page["entries"]]
            check(numbers == list(range(self.number + 1, self.number + 1 + len(numbers))), "the audit has gaps")
            self.number += len(numbers)
            self.entries |= {(entry["action"], entry["detail"]) for entry in page["entries"]}
            self.cursor = page["cursor"]
            if not page["hasMore"]:
                return

    def verify(self, action, sessions):
        for session in sessions:
            check((action, f"session={session}") in self.entries, f"{action} of {session} was answered and is not in the audit")
        return len(sessions)


def sends_lines(session):
    """Every other writer sends lines, whose events have identifiers of the library's form."""
    return session[-1] in "13579"


def is_deleted(session):
    """The events of every other round are deleted in a later one."""
    return int(session.split("-")[0]) % 2 == 0


def identifiers(session, number):
    mark = "-" if sends_lines(session) else "/"
    return [f"{session}{mark}{number * BATCH + index}" for index in range(BATCH)]


def batch(session, number, other=False):
    """The body of a batch, or of the same events in the other form."""
    if sends_lines(session) != other:
        return lines(session, number)
    context = {"clientid": "killed", "sessionId": session, "eventName": "n", "eventTimestamp": "2026-11-21T08:00:00.123Z"}
    return json.dumps({"context": context, "events": [{"eventId": name} for name in identifiers(session, number)]})


def lines(session, number):
    header = f'{{"session":"{session}","client":"killed","start":"2026-11-21T08:00:00.123Z","names":["n"]}}'
    hash = 2166136261
    for byte in header.encode():
        hash = (hash ^ byte) * 16777619 % 2**32
    text = f'{{"header":{header},"checksum":"{hash:08x}"}}\n'
    for index, name in enumerate(identifiers(session, number)):
        identifier = "" if sends_lines(session) else f'"id":"{name}",'
        text += f'{{"seq":{number * BATCH + index},{identifier}"time":0,"name":0}}\n'
    return text


def send(link, method, path, body=None):
    kind = "application/vnd.livetelemetry.lines" if body and body.startswith('{"header"') else "application/json"
    link.request(method, path, body, {"Content-Type": kind} if body else {})
    answer = link.getresponse()
    return answer.status, json.loads(answer.read() or b"null")


def check(is_so, what):
    if not is_so:
        sys.exit(f"error: {what} (seed {seed})")


def start(directory):
    """Starts the relay; returns its process and port once it answers."""
    place = os.path.join(directory, "port")
    if os.path.exists(place):
        os.remove(place)
    with open(log, "ab") as output:
        relay = subprocess.Popen(
            [program, "--port", "0", "--port-file", place, "--database", os.path.join(directory, "relay.sqlite")],
            stdout=output, stderr=output)
    if chance.random() < 0.1:
        time.sleep(chance.uniform(0, 0.1))
        kill(relay)
        return start(directory)
    deadline = time.monotonic() + 30
    while not os.path.exists(place):
        check(relay.poll() is None, f"the relay ended with {relay.poll()}")
        check(time.monotonic() < deadline, "the relay does not answer within 30 s")
        time.sleep(0.005)
    with open(place) as file:
        return relay, int(file.read())


def kill(relay):
    relay.send_signal(signal.SIGKILL)
    relay.wait()


def stored(link, session):
    found, cursor = [], ""
    while True:
        status, page = send(link, "GET", f"/v1/events?session={session}&limit=1000{cursor}")
        check(status == 200, f"reading {session}: {status} {page}")
        found += [event["eventId"] for event in page["events"]]
        if not page["hasMore"]:
            return found
        cursor = "&after=" + page["cursor"]


def verify(link, writer):
    """Checks the events of a writer, and sends its unconfirmed batch again in the other form.

    Returns the number of confirmed batches, whether there was an unconfirmed one, and whether the relay had stored it. Then, events of the
    writer are stored if one of the first two is not zero.
    """
    check(writer.unexpected is None, writer.unexpected)
    found = stored(link, writer.session)
    expected = [name for number in range(writer.answered) for name in identifiers(writer.session, number)]
    rest = identifiers(writer.session, writer.unanswered) if writer.unanswered is not None else []
    check(found in (expected, expected + rest), f"{writer.session}: {len(found)} events instead of {len(expected)} confirmed ones")
    if rest:
        was_stored = found != expected
        status, receipt = send(link, "POST", "/v1/events", batch(writer.session, writer.unanswered, other=True))
        wanted = {"stored": 0 if was_stored else BATCH, "duplicates": BATCH if was_stored else 0}
        check((status, receipt) == (200, wanted), f"sending {writer.session} again: {status} {receipt}")
        check(stored(link, writer.session) == expected + rest, f"{writer.session} is incomplete after a batch was sent again")
    return writer.answered, bool(rest), bool(rest) and found != expected


def main():
    batches = under_way = kept = deletions = recorded = 0
    writers, deleter, reader, checked, removed = [], None, None, [], set()
    audit, receiver, firing = Audit(), Receiver(), []
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        receiver.add(os.path.join(directory, "relay.sqlite"))
        for number in range(rounds + 1):
            relay, port = start(directory)
            try:
                link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                for writer in writers:
                    answered, had_rest, was_kept = verify(link, writer)
                    batches, under_way, kept = batches + answered, under_way + had_rest, kept + was_kept
                    if answered or had_rest:
                        firing.append(writer.session)
                waiting = receiver.verify(firing)
                # A relay has a limited number of alerts, and those whose message waits are not deleted.
                if number == rounds or len(waiting) > 50:
                    deadline = time.monotonic() + 120
                    while waiting := receiver.verify(firing):
                        check(time.monotonic() < deadline, f"the alerts {waiting} did not send their message")
                        time.sleep(0.1)
                for session in firing + [writer.session for writer in writers]:
                    if session not in waiting and session not in removed:
                        removed.add(session)
                        status, _ = send(link, "DELETE", f"/v1/alerts/{session}")
                        check(status in (204, 404), f"deleting the alert {session}: {status}")
                audit.read(link)
                if deleter:
                    recorded += audit.verify("events.delete", deleter.deleted) + audit.verify("events.count", reader.read)
                for session in deleter.deleted if deleter else []:
                    check(stored(link, session) == [], f"{session} was deleted, and is still stored")
                    _, receipt = send(link, "POST", "/v1/events", batch(session, 0))
                    check(receipt == {"stored": 0, "duplicates": BATCH}, f"{session} was deleted, and is stored again: {receipt}")
                    deletions += 1
                if number == rounds:
                    break
                left = [name for name in checked if not deleter or name not in deleter.deleted]
                checked = left + [writer.session for writer in writers if writer.answered]
                writers = [Writer(port, f"{number}-{index}", time.monotonic() + 20) for index in range(WRITERS)]
                for writer in writers:
                    alert = json.dumps({"query": f"session:{writer.session}", "webhook": "ops", "quiet": 86400})
                    status, problem = send(link, "PUT", f"/v1/alerts/{writer.session}", alert)
                    check(status == 204, f"saving an alert: {status} {problem}")
                deleter = Deleter(port, [session for session in checked if is_deleted(session)])
                reader = Reader(port, f"r{number}")
                for thread in writers + [deleter, reader]:
                    thread.start()
                time.sleep(chance.uniform(0, 0.4))
            finally:
                kill(relay)
            for thread in writers + [deleter, reader]:
                thread.join()
    seconds = time.monotonic() - began
    print(
        f"{rounds} kills in {seconds:.0f} s (seed {seed}): {batches} confirmed batches of {BATCH} are stored exactly once; of "
        f"{under_way} unconfirmed batches {kept} were stored, each as a whole; {deletions} sessions stayed "
        f"deleted; {recorded} answered deletions and reads are in the audit; {len(receiver.messages)} alerts fired, with {receiver.count} messages")
    check(rounds < 5 or batches > 0, "no batch was confirmed")
    check(rounds < 5 or recorded > 0, "no read was answered")
    check(rounds < 5 or receiver.messages, "no alert fired")


main()
