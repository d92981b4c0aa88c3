"""Compares every field of exported and forwarded events, and kills the forwarder and the collector at random times.
Usage: otlp.py TELEMETRY EVENTS KILLS SEED"""
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from otlp_collector import attributes, decode, records

tool, count, kills, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
folder = os.path.dirname(os.path.abspath(__file__))
chance = random.Random(seed)
environment = {key: text for key, text in os.environ.items() if not key.startswith("LIVE_TELEMETRY_")}
environment["XDG_CONFIG_HOME"] = "/nonexistent"
SEVERITIES = {"trace": 1, "debug": 5, "info": 9, "notice": 10, "warning": 13, "error": 17, "critical": 21, "diagnostic": 5}
DEVICE = {"deviceType": "Linux", "deviceName": "web-1", "deviceModel": "x86_64", "osVersion": "6.1", "appVersion": "2.4"}
TEXTS = ["", "plain", "ünï €", 'quote " and \\ and /', "line\nfeed\ttab \x00 \x7f", "👩‍🚀", "\u2028", "x" * 5000]


def run(*options):
    result = subprocess.run([tool, *options], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, f"{options}: {result.stderr}"
    return result.stdout


def stamp(microseconds):
    seconds, rest = divmod(microseconds, 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:06}000Z"


def random_value():
    """A value as the archive represents it, and as the protocol buffers do."""
    kind = chance.randrange(5)
    if kind == 0:
        text = chance.choice(TEXTS)
        return text, ("string_value", text)
    if kind == 1:
        number = chance.choice([0, -1, 42, 2**63 - 1, -(2**63), 2**53 + 1])
        return number, ("int_value", number)
    if kind == 2:
        number = chance.choice([0.5, -0.25, 3.0, 1e300, 5e-324, 0.1])
        return {"double": number}, ("double_value", number)
    if kind == 3:
        flag = chance.random() < 0.5
        return flag, ("bool_value", flag)
    date = f"2026-11-2{chance.randrange(9)}T08:00:00.{chance.randrange(1000):03}Z"
    return {"date": date}, ("string_value", date)


def random_event(number):
    """An event as a line of an archive, and what its resource and record must be."""
    microseconds = 1_763_712_000_000_000 + chance.randrange(10**14)
    client, level = chance.choice(["k7wq", "web-2", None]), chance.choice(["info", "diagnostic"])
    device = dict(DEVICE, appVersion=chance.choice(["2.4", "2.5"]))
    event = {
        "eventId": f"e-{number}", "sessionId": f"s{number % 3}", "sequence": number, "eventName": chance.choice(["paid", "ü\n"]),
        "eventTimestamp": stamp(microseconds), "logLevel": level, "threadId": chance.choice(["17", "main"]), **device,
    }
    resource = {
        "service.name": "shop", "service.version": device["appVersion"], "device.model.identifier": "x86_64",
        "host.name": "web-1", "os.name": "Linux", "os.version": "6.1",
    }
    expected = {
        "log.record.uid": ("string_value", event["eventId"]), "session.id": ("string_value", event["sessionId"]),
        "livetelemetry.sequence": ("int_value", number), "livetelemetry.level": ("string_value", level),
    }
    if event["threadId"] == "17":
        expected["thread.id"] = ("int_value", 17)
    if client:
        event["clientid"] = resource["service.instance.id"] = client
    if chance.random() < 0.5:
        event["scenario"] = chance.choice(["Checkout", "Zahlung €"])
        expected["livetelemetry.scenario"] = ("string_value", event["scenario"])
    if chance.random() < 0.7:
        event["property1"] = chance.choice(TEXTS)
    own, severity, trace, span = {}, level, "", ""
    for index in range(chance.randrange(6)):
        own[f"a{index}"], expected[f"a{index}"] = random_value()
    if chance.random() < 0.3:
        severity = own["level"] = chance.choice(["trace", "debug", "notice", "warning", "error", "critical"])
        expected["level"] = ("string_value", severity)
    if chance.random() < 0.2:
        own["session.id"] = "mine"
        expected["livetelemetry.attribute.session.id"] = ("string_value", "mine")
    if chance.random() < 0.3:
        trace, span = f"{chance.randrange(1, 2**128):032x}", f"{chance.randrange(1, 2**64):016x}"
        own["trace_id"], own["span_id"] = trace, span
    if own:
        event["attributes"] = own
    record = {
        "time": microseconds * 1000, "name": event["eventName"], "severity": (SEVERITIES[severity], severity),
        "body": event.get("property1"), "trace": trace, "span": span, "attributes": expected,
    }
    return event, ({key: ("string_value", text) for key, text in resource.items()}, record)


def received(request):
    """What a request's resources and records are, by the event's identifier."""
    for resource, record in records(request):
        found = {
            "time": record.time_unix_nano, "name": record.event_name,
            "severity": (record.severity_number, record.severity_text),
            "body": record.body.string_value if record.HasField("body") else None, "trace": record.trace_id.hex(),
            "span": record.span_id.hex(), "attributes": attributes(record),
        }
        yield found["attributes"]["log.record.uid"][1], (attributes(resource), found)


def write_store(directory, lines):
    path = os.path.join(directory, "archive.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"format":"LiveTelemetry archive","version":1}\n')
        for line in lines:
            file.write(json.dumps(line) + "\n")
    store = os.path.join(directory, "store")
    run("import", path, "-d", store)
    return store


def check_fields(directory):
    events = [random_event(number) for number in range(1, 2001)]
    expected = {event["eventId"]: wanted for event, wanted in events}
    store = write_store(directory, [event for event, _ in events])
    lines = run("export", "-", "--format", "otlp", "--service-name", "shop", "-d", store).split("\n")
    found = dict(pair for line in lines if line for pair in received(decode(line)))
    assert found.keys() == expected.keys(), f"{len(found)} of {len(expected)} events were exported"
    for identifier, wanted in expected.items():
        assert found[identifier] == wanted, f"expected {wanted}\n     got {found[identifier]}"
    print(f"fields: {len(found)} exported events are equal in every field")


class Collector:
    def __init__(self, directory):
        self.log = os.path.join(directory, "received")
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(folder, "otlp_collector.py"), "--port", str(self.port), "--log", self.log, "--seed",
             str(chance.randrange(2**32)), "--decode-every", os.environ.get("OTLP_DECODE_EVERY", "1")],
            stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.wait()


def check_delivery(directory):
    lines = (
        {"eventId": f"event-{number}", "sessionId": "s", "clientid": "k7wq", "sequence": number, "eventName": "step",
         "eventTimestamp": "2026-11-21T08:00:00.123Z", "logLevel": "info", "scenario": "Checkout", "threadId": "7",
         "property1": "a text of fifty bytes, as events usually have it...", "attributes": {"step": number}, **DEVICE}
        for number in range(1, count + 1)
    )
    store = write_store(directory, lines)
    collector = Collector(directory)
    command = [tool, "forward", "--once", "--otlp", f"http://127.0.0.1:{collector.port}", "--cursor-file",
               os.path.join(directory, "position"), "-d", store]
    began, deaths = time.monotonic(), collections.Counter()
    longest = max(0.5, count / (1_000 * max(kills, 1)))
    while True:
        forwarder = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        try:
            if sum(deaths.values()) < kills:
                forwarder.wait(timeout=chance.uniform(0.05, longest))
            else:
                forwarder.wait(timeout=600)
        except subprocess.TimeoutExpired:
            assert sum(deaths.values()) < kills, "the forwarder did not end"
            if chance.random() < 0.5:
                deaths["collector"] += 1
                collector.kill()
                collector.start()
            deaths["forwarder"] += 1
            forwarder.send_signal(signal.SIGKILL)
            forwarder.wait()
            continue
        errors = forwarder.stderr.read()
        assert forwarder.returncode == 0, f"exit status {forwarder.returncode}: {errors}"
        break
    collector.kill()
    seconds = time.monotonic() - began
    with open(collector.log, encoding="utf-8") as file:
        identifiers = collections.Counter(line[:-3] for line in file if line.endswith(" .\n"))
    missing = [number for number in range(1, count + 1) if f"event-{number}" not in identifiers]
    assert not missing, f"{len(missing)} events are missing, first: event-{missing[0]}"
    assert len(identifiers) == count, "the collector received events that do not exist"
    print(f"delivery: {count} events received, none missing, {sum(identifiers.values()) - count} of them again; killed: "
          f"forwarder {deaths['forwarder']} times, collector {deaths['collector']} times; {seconds:.0f} s")


print(f"seed {seed}")
with tempfile.TemporaryDirectory() as directory:
    check_fields(directory)
with tempfile.TemporaryDirectory() as directory:
    check_delivery(directory)
