#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tomcat with its example applications under load, with each set of events: every response is that
of a bare run, so is what the server says, and it shuts down; each servlet was called as often as
it was asked for; the threads have the names that the server tells; collections are those of the
VM's log; exceptions of the applications as many as were provoked."""
import http.client
import subprocess
import threading
from collections import Counter
from glob import glob

from jvm_common import HERE, Room, logged, skip
from stress_common import Costs, calls_of, cpu_of_children, expect_equal, need_long, tables

EXAMPLES = "/usr/share/tomcat10-examples/examples"
LIBRARIES = [jar for jar in sorted(glob("/usr/share/java/tomcat10-*.jar"))
             if not jar[-5].isdigit() and "-i18n-" not in jar and "-ant" not in jar]
JDT = "/usr/share/java/eclipse-jdt-core.jar"
CLIENTS = 12
ROUNDS = 4
PAGES = ("servlets/servlet/HelloWorldExample", "servlets/servlet/RequestHeaderExample",
         "servlets/servlet/RequestParamExample?firstname=a&lastname=%C3%BC",
         "jsp/jsp2/el/functions.jsp?foo=JSP", "jsp/jsp2/el/basic-arithmetic.jsp",
         "jsp/jsp2/tagfiles/products.jsp", "jsp/tagplugin/foreach.jsp",
         "servlets/index.html", "no/such/page", "jsp/error/err.jsp?name=audi")
SERVLETS = ("HelloWorldExample", "RequestHeaderExample", "RequestParamExample")
QUIET = "handlers=\n.level=OFF\n"


class Clients:
    """A dozen; each asks for every page in an order of its own."""

    def __init__(self, port):
        self.port, self.seen, self.faults = port, {}, []

    def ask(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=150)
        for turn in range(ROUNDS * len(PAGES)):
            page = PAGES[(turn + number) % len(PAGES)]
            connection.request("GET", f"/examples/{page}", headers={"Host": "example.org"})
            answer = connection.getresponse()
            got = (answer.status, answer.getheader("Content-Type"), answer.read())
            if self.seen.setdefault(page, got) != got:
                self.faults.append((page, got))
        connection.close()

    def run(self):
        threads = [threading.Thread(target=self.ask, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not self.faults, f"answers differ: {self.faults[:2]}"
        return self.seen


class Tomcat:
    def __init__(self, room, jdk):
        self.room, self.jdk = room, jdk
        quiet = room.folder / "quiet.properties"
        quiet.write_text(QUIET, encoding="utf-8")
        self.quiet = f"-Djava.util.logging.config.file={quiet}"
        self.answers, self.said, cpu, _ = self.run()
        assert len(self.answers) == len(PAGES), self.answers.keys()
        self.costs = Costs(f"tomcat, JDK {jdk.version}", cpu)

    def run(self, options=None, flags=()):
        """The answers, what the server printed, CPU time, the recording."""
        base, path = self.room.folder / "base", self.room.trace()
        subprocess.run(["rm", "-rf", base], check=True)
        agent = [f"-agentpath:{self.room.agent}=file={path},{options}"] if options else []
        libraries = ":".join([str(self.room.folder), *LIBRARIES, JDT])
        before = cpu_of_children()
        with subprocess.Popen([self.jdk.tool("java"), *agent, *flags, self.quiet, "-cp", libraries,
                               "Serves", base, EXAMPLES], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
            answers = Clients(int(server.stdout.readline())).run()
            said = server.communicate(timeout=150)
        assert server.returncode == 0, f"{options}: {server.returncode}: {said[1][-2000:]}"
        return answers, said, cpu_of_children() - before, path

    def recorded(self, options, flags=()):
        """The recording, and the names of threads that the server tells."""
        answers, (names, errors), cpu, path = self.run(options, flags)
        for page, answer in self.answers.items():
            assert answers[page] == answer, f"{options}: {page}: {answers[page]}, not {answer}"
        assert errors == self.said[1], f"{options}: {errors[-2000:]}"
        self.costs.add(options, cpu, path)
        return path, Counter(names.splitlines())

    @staticmethod
    def expect_threads(path, names):
        mine = Counter(row["thread"] for row in tables(path, "threads")["threads"])
        missing = {name: (mine[name], n) for name, n in names.items() if mine[name] < n}
        assert len(names) > CLIENTS and not missing, f"threads: (recorded, told) {missing}"

    @staticmethod
    def expect_calls(path):
        calls, asked = calls_of(path), CLIENTS * ROUNDS
        for name in SERVLETS:
            assert calls[f"{name}.doGet"] == asked, (name, calls[f"{name}.doGet"], asked)
        every = calls["org.apache.catalina.core.StandardEngineValve.invoke"]
        assert every == asked * len(PAGES), (every, asked * len(PAGES))

    @staticmethod
    def expect_exceptions(path):
        rows = tables(path, "exceptions")["throw_sites"]
        thrown = {row["class"]: row["thrown"] for row in rows
                  if row["method"] == "org.apache.jsp.jsp.error.err_jsp._jspService"}
        expect_equal(thrown, {"java.lang.NullPointerException": CLIENTS * ROUNDS}, "exceptions")

    def test_calls(self):
        path, names = self.recorded("events=calls+threads+gc+monitors+alloc=sampled")
        self.expect_calls(path)
        self.expect_threads(path, names)

    def test_collections(self):
        log = self.room.folder / "gc.log"
        path, names = self.recorded("events=threads+gc+monitors,heapdump=end,jvm.heapdump=hprof", (
            "-Xmx64m", f"-Xlog:gc,safepoint:file={log}"))
        stops, collections = logged(log.read_text(encoding="utf-8"))
        told = len(tables(path, "collections")["collections"])
        assert told in (stops, collections) and told > 3, (told, stops, collections)
        self.expect_threads(path, names)
        dump = self.room.folder / "out.ptrace.0.hprof"
        with dump.open("rb") as file:
            assert file.read(12) == b"JAVA PROFILE", dump
        dump.unlink()

    def test_exceptions(self):
        self.expect_exceptions(self.recorded("events=exceptions+alloc=sites,filter=*")[0])

    def test_objects(self):
        self.recorded("events=alloc=objects,depth=8")

    def test_together(self):
        path, names = self.recorded("events=calls+threads+gc+monitors+exceptions+alloc=sites,"
                                    "filter=*,jvm.accessors=yes,heapdump=end")
        self.expect_calls(path)
        self.expect_exceptions(path)
        self.expect_threads(path, names)


def main():
    need_long()
    room = Room()
    if not LIBRARIES or not glob(f"{EXAMPLES}/WEB-INF"):
        skip("no Tomcat here (Debian: libtomcat10-java tomcat10-examples)")
    subprocess.run([room.jdks[0].tool("javac"), "-cp", ":".join(LIBRARIES), "-d", room.folder,
                    HERE / "java/Serves.java"], check=True)
    for jdk in room.jdks:
        tomcat = Tomcat(room, jdk)
        for name in [n for n in dir(tomcat) if n.startswith("test_")]:
            getattr(tomcat, name)()


main()
