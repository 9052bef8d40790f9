#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server of ASP.NET under load, with the server's and with the background collector and each set
of events: every response is that of a bare run, and it ends as it does; collections of each
generation, exceptions and bytes of objects are those that a hook within it counts, the calls of a
handler as many as it was asked for."""
import http.client
import json
import subprocess
import threading
from urllib.parse import urlsplit

from coreclr_common import check, skip, sources_of
from stress_common import Costs, calls_of, cpu_of_children, need_long
from stress_dotnet import SETS, Told

CLIENTS = 12
ROUNDS = 100
PAGES = ("text/7", "item/60", "keep/20000", "refuse/3", "keep/100000", "item/x", "no/page")
HANDLERS = {"Web::Describe": 1, "Web::Refuse": 1, "Web::Keep": 2}  # pages of each
COLLECTORS = {
    "server": {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "2", "DOTNET_gcConcurrent": "0"},
    "background": {"DOTNET_gcServer": "0", "DOTNET_gcConcurrent": "1"},
    "server, background": {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "2",
                           "DOTNET_gcConcurrent": "1"}}


class Clients:
    def __init__(self, address):
        self.address, self.answers, self.faults = urlsplit(address).netloc, {}, []

    def ask(self, number):
        connection = http.client.HTTPConnection(self.address, timeout=150)
        for turn in range(ROUNDS * len(PAGES)):
            page = PAGES[(turn + number) % len(PAGES)]
            connection.request("GET", f"/{page}")
            answer = connection.getresponse()
            got = (answer.status, answer.getheader("Content-Type"), answer.read())
            if self.answers.setdefault(page, got) != got:
                self.faults.append((page, got))
        connection.close()

    def run(self):
        threads = [threading.Thread(target=self.ask, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check(not self.faults, "answers differ:", self.faults[:2])
        return self.answers


def compile_server(told):
    sdk, library = told.room.sdk, told.folder / "Web.dll"
    own = sdk.runtime.parent.parent / "Microsoft.AspNetCore.App" / sdk.version
    if not own.is_dir():
        skip("no ASP.NET here, of the runtime's version")
    sdk.compile(library, *sources_of("Web"),
                flags=[f"-r:{file}" for file in own.glob("Microsoft.*.dll")])
    settings = {"framework": {"name": "Microsoft.AspNetCore.App", "version": sdk.version}}
    library.with_suffix(".runtimeconfig.json").write_text(
        json.dumps({"runtimeOptions": settings}), encoding="utf-8")


class Server:
    def __init__(self, told, collector):
        self.told, self.collector = told, COLLECTORS[collector]
        self.answers, self.said, cpu, _ = self.run(None)
        check(len(self.answers) == len(PAGES), self.answers.keys())
        self.costs = Costs(f"Kestrel, {collector}", cpu)

    def run(self, options):
        path = self.told.room.trace()
        environment = self.told.surroundings(options and f"file={path},{options}",
                                             **self.collector)
        before = cpu_of_children()
        with subprocess.Popen(["dotnet", self.told.folder / "Web.dll"], env=environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.told.folder) as server:
            answers = Clients(server.stdout.readline().strip()).run()
            said = server.communicate(timeout=150)
        check(server.returncode == 0, options, "gave", server.returncode, said[1])
        return answers, said, cpu_of_children() - before, path

    def test(self, options):
        answers, said, cpu, path = self.run(options)
        for page, answer in self.answers.items():
            check(answers[page] == answer, options, page, answers[page], "is not", answer)
        check(said == self.said, options, "makes it say", said)
        self.costs.add(options, cpu, path)
        truth = self.told.check(path, options)
        check(min(truth["collections"].values()) > 3, truth)
        if "exceptions" in options:
            check(truth["throw"]["Web.Refused"] >= CLIENTS * ROUNDS, truth)
        if "calls" in options:
            calls = calls_of(path)
            for name, pages in HANDLERS.items():
                check(calls[name] == pages * CLIENTS * ROUNDS, name, calls[name])


def main():
    need_long()
    told = Told()
    compile_server(told)
    for i, collector in enumerate(COLLECTORS):
        server = Server(told, collector)
        for options in SETS[i::len(COLLECTORS)] if i else SETS:
            server.test(options)


main()
