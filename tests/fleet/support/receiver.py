# SPDX-License-Identifier: Apache-2.0
"""A server of another system for one test: on 127.0.0.1, keeps what was posted, answers as told.

    with receiver.Receiver() as there:
        there.answers = [(503, b"busy")]    # these first, then 200 and nothing
        there.url                           # http://127.0.0.1:PORT
        there.posted                        # of each request path, fields, body
"""
import http.server
import threading


class Receiver:
    def __init__(self):
        self.posted, self.answers = [], []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.posted.append((self.path, dict(self.headers.items()), body))
                status, answer = receiver.answers.pop(0) if receiver.answers else (200, b"")
                if status == 0:  # gone without a word
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def take(self):
        """What was posted since the last time."""
        taken, self.posted = self.posted, []
        return taken

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
