"""The relay under test, and what hosts send to it."""

import json
import os
import subprocess
import time
import urllib.request

PROGRAM = os.environ["TELEMETRY_RELAY"]


class Relay:
    """A relay on a free port, with a database in a directory of its own."""

    def __init__(self, directory):
        self.directory = directory
        self.database = directory / "relay.sqlite"
        self.port_file = directory / "port"
        self.port = 0
        self.process = None
        self.host_token = None

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self, *options):
        """Starts the relay, again on the same port, and returns when it answers."""
        self.port_file.unlink(missing_ok=True)
        with open(self.directory / "relay.log", "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "--port", str(self.port), "--port-file", self.port_file, "--database", self.database, "--new-client-rate", "0", *options],
                stderr=log, stdout=log)
        deadline = time.monotonic() + 30
        while not self.port_file.exists() or not self.port_file.read_text().strip():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError((self.directory / "relay.log").read_text()[-2000:])
            time.sleep(0.05)
        self.port = int(self.port_file.read_text())
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=15)

    def token(self, role, name=None, *scope):
        arguments = [PROGRAM, "token", "create", "--role", role, "--name", name or role, "--database", self.database, *scope]
        return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.strip()

    def revoke(self, name):
        subprocess.run([PROGRAM, "token", "revoke", name, "--database", self.database], check=True, capture_output=True)

    def post(self, path, body, token=None):
        headers = {"Content-Type": "application/json"}
        if token or self.host_token:
            headers["Authorization"] = f"Bearer {token or self.host_token}"
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def save(self, *records, token=None):
        return self.post("/v1/records", {"policy": "overwrite", "records": list(records)}, token)["records"]

    def records(self, record_type, token=None, **conditions):
        return self.post("/v1/records/query", {"recordType": record_type, "conditions": conditions}, token)["records"]

    def append(self, events, token=None, **context):
        return self.post("/v1/events", {"context": {"clientid": "alpha", "sessionId": "s1"} | context, "events": events}, token)


def moment(seconds=0.0):
    """A time relative to now, as on the wire."""
    stamp = time.time() + seconds
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stamp)) + f".{int(stamp % 1 * 1000):03}Z"


def client(identifier="alpha", enabled=True, paused=False, **fields):
    known = {"appVersion": "2.1", "osVersion": "iOS 18.2", "deviceModel": "iPhone16,1", "libraryVersion": "0.1.0"}
    values = {"clientid": identifier, "created": {"date": moment(-3600)}, "isEnabled": enabled, "isPaused": paused, "lastSeen": {"date": moment(-5)}}
    return {"recordType": "TelemetryClient", "recordName": f"client-{identifier}", "fields": values | known | fields}


def scenario(name="NetworkRequests", identifier="alpha", enabled=False, **fields):
    values = {"clientid": identifier, "scenarioName": name, "isEnabled": int(enabled), "created": {"date": moment(-60)}, "logLevel": "diagnostic",
              "source": "viewer" if enabled else "registration"}
    return {"recordType": "TelemetryScenario", "recordName": f"scenario-{identifier}-{name}", "fields": values | fields}


def event(number, name="request.finished", **fields):
    values = {"eventId": f"e{number}", "eventName": name, "eventTimestamp": moment(number / 1000 - 10), "sequence": number, "scenario": "NetworkRequests",
              "logLevel": "info", "property1": f"GET /items/{number}"}
    return values | fields
