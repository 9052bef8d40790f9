# SPDX-License-Identifier: Apache-2.0
"""A small S3 for one test: objects of one bucket in a folder, PUT, GET with ranges, HEAD, DELETE,
in path style. It checks signatures of version 4 itself, and the sum of each body: an independent
truth for who signs. `away`: it answers 503. On 127.0.0.1 only; ended with the test."""
import hashlib
import hmac
import http.server
import re
import threading
import urllib.parse
from pathlib import Path

KEY, SECRET = "polytrace-test", "a/secret+of/this-test:alone"


def signature(secret, region, date, text):
    key = f"AWS4{secret}".encode()
    for part in (date[:8], region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def is_signed(method, path, headers, body, region, secret):
    """Whether who asks has the secret."""
    told = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, "
                        r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})",
                        headers.get("Authorization", ""))
    if not told or told[1] != KEY or told[3] != region:
        return False
    names = told[4].split(";")
    if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names):
        return False
    if headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
        return False
    place, _, query = path.partition("?")
    lines = [method, urllib.parse.quote(place, safe="/%~"), query]
    lines += [f"{name}:{' '.join(headers[name].split())}" for name in names]
    lines += ["", told[4], headers["x-amz-content-sha256"]]
    date = headers["x-amz-date"]
    text = "\n".join(["AWS4-HMAC-SHA256", date, f"{told[2]}/{region}/s3/aws4_request",
                      hashlib.sha256("\n".join(lines).encode()).hexdigest()])
    return hmac.compare_digest(told[5], signature(secret, region, date, text))


class S3:
    def __init__(self, folder, bucket="traces", region="eu-west-7"):
        self.folder, self.bucket, self.region = Path(folder), bucket, region
        self.folder.mkdir()
        self.away = False
        self.asked = []  # method, path, status
        own = self

        class Answer(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body=b"", length=None):
                own.asked.append((self.command, self.path, status))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def refuse(self, status, code):
                self.answer(status, f"<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>"
                            .encode())

            def do(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if own.away:
                    return self.refuse(503, "SlowDown")
                if not is_signed(self.command, self.path, self.headers, body, own.region, SECRET):
                    return self.refuse(403, "SignatureDoesNotMatch")
                if not self.path.startswith(f"/{own.bucket}/"):
                    return self.refuse(404, "NoSuchBucket")
                file = own.folder / self.path[len(own.bucket) + 2:]
                if self.command == "PUT":
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(body)
                    return self.answer(200)
                if self.command == "DELETE":
                    file.unlink(missing_ok=True)
                    return self.answer(204)
                if not file.is_file():
                    return self.refuse(404, "NoSuchKey")
                data = file.read_bytes()
                if self.command == "HEAD":
                    return self.answer(200, length=len(data))
                told = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
                if told is None:
                    return self.answer(200, data)
                if int(told[1]) >= len(data):
                    return self.refuse(416, "InvalidRange")
                end = int(told[2]) + 1 if told[2] else len(data)
                return self.answer(206, data[int(told[1]):end])

            do_PUT = do_GET = do_HEAD = do_DELETE = do

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.server.daemon_threads = True
        self.place = f"s3:http://127.0.0.1:{self.server.server_port}/{bucket}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def key_file(self, path, secret=SECRET):
        """A file that the programs take."""
        path = Path(path)
        path.write_text(f"{KEY}\n{secret}\n")
        path.chmod(0o600)
        return path

    def names(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                      if path.is_file())

    def end(self):
        self.server.shutdown()
        self.server.server_close()
