"""A small OpenTelemetry collector: decodes OTLP over HTTP with JSON by the official protocol buffers, and writes the identifiers of
the log records that it received to a file before it answers. It fails at random."""
import argparse
import base64
import http.server
import json
import random
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest


def decode(text):
    """Decodes a request strictly: unknown fields and wrong types are errors."""
    document = json.loads(text)
    for resource in document.get("resourceLogs", []):
        for scope in resource.get("scopeLogs", []):
            for record in scope.get("logRecords", []):
                # OTLP represents identifiers in hexadecimal, not as JSON of protocol buffers does.
                for field in ("traceId", "spanId"):
                    if field in record:
                        record[field] = base64.b64encode(bytes.fromhex(record[field])).decode()
    return json_format.ParseDict(document, ExportLogsServiceRequest())


def records(request):
    """The pairs of resource and log record."""
    for resource in request.resource_logs:
        for scope in resource.scope_logs:
            for record in scope.log_records:
                yield resource.resource, record


def value(any_value):
    kind = any_value.WhichOneof("value")
    return None if kind is None else (kind, getattr(any_value, kind))


def attributes(owner):
    pairs = [(attribute.key, value(attribute.value)) for attribute in owner.attributes]
    assert len(dict(pairs)) == len(pairs), f"an attribute occurs twice: {pairs}"
    return dict(pairs)


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    log = None
    random = None
    decode_every = 1
    count = 0

    def do_POST(self):
        try:
            self.receive()
        except ConnectionError:
            # The sender was killed.
            self.close_connection = True

    def receive(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            raise ConnectionError("the request ended early")
        with Collector.lock:
            Collector.count += 1
            chance = Collector.random.random() if Collector.random else 1
            if self.path != "/v1/logs" or self.headers["Content-Type"] != "application/json":
                return self.answer(404)
            if chance < 0.02:
                return self.answer(503, {"Retry-After": "0"})
            if chance < 0.04:
                return self.answer(429)
            if chance < 0.06:
                self.close_connection = True
                return
            if Collector.count % Collector.decode_every == 0:
                identifiers = [attributes(record)["log.record.uid"][1] for _, record in records(decode(body))]
            else:
                identifiers = [
                    attribute["value"]["stringValue"]
                    for resource in json.loads(body)["resourceLogs"]
                    for record in resource["scopeLogs"][0]["logRecords"]
                    for attribute in record["attributes"][:1]
                ]
            # The end of a line shows that it is complete, because the process may be killed while it writes.
            Collector.log.write("".join(identifier + " .\n" for identifier in identifiers))
            Collector.log.flush()
            if chance < 0.08:
                # The events are stored, and the sender does not know.
                self.close_connection = True
                return
            self.answer(200)

    def answer(self, status, headers={}):
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", required=True)
    parser.add_argument("--seed", type=int, help="fail at random")
    parser.add_argument("--decode-every", type=int, default=1)
    arguments = parser.parse_args()
    Collector.log = open(arguments.log, "a", encoding="utf-8")
    Collector.log.write("\n")
    Collector.decode_every = arguments.decode_every
    if arguments.seed is not None:
        Collector.random = random.Random(arguments.seed)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), Collector)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
