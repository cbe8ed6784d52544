#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A small server that takes profiles as Pyroscope and Parca do, for push_test.sh.

usage: push_receiver.py DIRECTORY WAITS [STATUS...]

Writes each profile that it accepts to DIRECTORY/N.pprof, and what the request says of it to
DIRECTORY/N.json, with "user" if it has a user and password. Answers the first requests with a STATUS
each, and then with 200; if a STATUS is 0, it takes the profile and does not answer. Prints the number of its port, which is free before, when it takes requests.

If WAITS is "listen", it prints the number before, too, and takes no request until it has read a line
from the FIFO DIRECTORY/go. If it is "answer", it reads a line there before each answer.
"""

import base64
import email.parser
import email.policy
import http.server
import json
import pathlib
import sys
import urllib.parse

directory = pathlib.Path(sys.argv[1])
waits = sys.argv[2]
statuses = [int(status) for status in sys.argv[3:]]
taken = 0


def wait():
    """Wait for a line from the FIFO."""
    with open(directory / "go", encoding="ascii") as fifo:
        fifo.readline()


def form_fields(content_type, body):
    """Return the fields of a form, by name."""
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    return {part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in message.iter_parts()}


def take_pyroscope(query, headers, body):
    """Return the profile and what is said of it."""
    said = {name: values[0] for name, values in
            urllib.parse.parse_qs(query, strict_parsing=True).items()}
    if said["format"] != "pprof" or int(said["from"]) > int(said["until"]):
        raise ValueError(query)
    return form_fields(headers["Content-Type"], body)["profile"], said


def take_parca(headers, body):
    """Return the profile and what is said of it."""
    if headers["Content-Type"] != "application/json":
        raise ValueError(headers["Content-Type"])
    (series,) = json.loads(body)["series"]
    (sample,) = series["samples"]
    said = {label["name"]: label["value"] for label in series["labels"]["labels"]}
    return base64.b64decode(sample["rawProfile"], validate=True), said


class Handler(http.server.BaseHTTPRequestHandler):
    """Takes one request."""

    def do_POST(self):  # pylint: disable=invalid-name
        """Take a profile, unless the next status is another one."""
        global taken  # pylint: disable=global-statement
        url = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if waits == "answer":
            wait()
        status = statuses.pop(0) if statuses else 200
        answers = status != 0
        status = status or 200
        if status == 200:
            if url.path == "/ingest":
                profile, said = take_pyroscope(url.query, self.headers, body)
            elif url.path == "/api/profiles/writeraw":
                profile, said = take_parca(self.headers, body)
            else:
                status = 404
        if status == 200:
            if "Authorization" in self.headers:
                user = self.headers["Authorization"].removeprefix("Basic ")
                said["user"] = base64.b64decode(user).decode()
            (directory / f"{taken}.pprof").write_bytes(profile)
            (directory / f"{taken}.json").write_text(json.dumps(said))
            taken += 1
        if not answers:
            self.close_connection = True
            return
        answer = b"" if status == 200 else b"not now\n"
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Print nothing."""


def main():
    """Take requests."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
    server.server_bind()
    if waits == "listen":
        print(server.server_port, flush=True)
        wait()
    server.server_activate()
    print(server.server_port, flush=True)
    server.serve_forever()


main()
