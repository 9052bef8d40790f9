# SPDX-License-Identifier: Apache-2.0
"""A small hierarchical loader of TPTP XML: it hangs every element under what it belongs to (node,
process, agent, trace, thread, class, method, call), as a model of the trace does, and refuses what
it cannot place. It knows the format and nothing of the program that is tested."""
import xml.etree.ElementTree as tree
from collections import Counter


class Misplaced(Exception):
    pass


def demand(condition, *words):
    if not condition:
        raise Misplaced(" ".join(map(str, words)))


def number(element, name):
    return int(element.get(name, "0"))


# Elements that say nothing without one of these.
NEEDS = {"threadStart": "threadId", "threadEnd": "threadIdRef", "classDef": "classId",
         "methodDef": "methodId", "methodEntry": "threadIdRef", "methodExit": "threadIdRef",
         "agMethodEntry": "threadIdRef", "agMethodExit": "threadIdRef"}
REFERENCES = {"threadIdRef": "threads", "threadOwnerIdRef": "threads", "classIdRef": "classes",
              "methodIdRef": "methods", "heapDumpIdRef": "dumps"}


class Loader:
    """With `gaps`, threads, classes and methods may be used that nobody defined, as where not all
    is recorded, and calls may end that began before; both are counted."""

    def __init__(self, gaps=False):
        self.nodes, self.processes, self.agents, self.traces = set(), {}, {}, {}
        self.known = {"threads": set(), "classes": set(), "methods": {}, "dumps": set()}
        self.calls = {}  # of a thread: (ticket, method, class), outermost first
        self.trace, self.ended, self.destroyed = None, False, set()
        self.placed, self.gaps, self.allowed = Counter(), Counter(), gaps
        self.entered = Counter()  # calls by class
        self.session = {"node": self.place_node, "processCreate": self.place_process,
                        "agentCreate": self.place_agent, "traceStart": self.begin_trace,
                        "agentDestroy": self.end_agent}
        self.others = {"traceEnd": self.end_trace, "threadStart": self.define_thread,
                       "classDef": self.define_class, "methodDef": self.define_method,
                       "hdStart": self.define_dump, "methodEntry": self.enter,
                       "methodExit": self.leave}

    def load(self, file):
        depth = 0
        for event, element in tree.iterparse(file, ("start", "end")):
            depth += 1 if event == "start" else -1
            if event != "end" or depth != 1:
                continue
            try:
                self.place(element)
            except Misplaced as why:
                raise Misplaced(f"{element.tag} {dict(element.attrib)}: {why}") from None
            self.placed[element.tag] += 1
            element.clear()
        return self

    def place(self, element):
        if element.tag in self.session:
            return self.session[element.tag](element)
        demand(self.trace is not None, "there is no trace yet")
        demand(not self.ended, "behind traceEnd")
        self.refer(element)
        return self.others[element.tag](element) if element.tag in self.others else None

    def refer(self, element):
        """Whatever the element points to was defined before; 0 points to nothing."""
        demand(element.get("traceIdRef", self.trace) in self.traces, "trace unknown")
        need = NEEDS.get(element.tag)
        if need and not number(element, need):
            self.miss(need, "is 0")
        for name, kind in REFERENCES.items():
            told = number(element, name)
            if told and told not in self.known[kind]:
                self.miss(name, "unknown")

    def miss(self, *words):
        demand(self.allowed, *words)
        self.gaps[words[0]] += 1

    # --- who is traced ---

    @staticmethod
    def identity(element, name):
        demand(element.get(name), name, "is empty")
        return element.get(name)

    def place_node(self, element):
        self.nodes.add(self.identity(element, "nodeId"))

    def place_process(self, element):
        demand(element.get("nodeIdRef") in self.nodes, "node unknown")
        self.processes[self.identity(element, "processId")] = element.get("nodeIdRef")

    def place_agent(self, element):
        demand(element.get("processIdRef") in self.processes, "process unknown")
        self.agents[self.identity(element, "agentId")] = element.get("processIdRef")

    def begin_trace(self, element):
        demand(element.get("agentIdRef") in self.agents, "agent unknown")
        demand(element.get("agentIdRef") not in self.destroyed, "its agent is gone")
        trace = self.identity(element, "traceId")
        demand(trace not in self.traces, "a trace begins twice")
        demand(self.trace is None or self.ended, "the trace before has no end")
        self.traces[trace] = element.get("agentIdRef")
        self.trace, self.ended = trace, False

    def end_trace(self, _):
        self.ended = True

    def end_agent(self, element):
        demand(self.ended, "before traceEnd")
        demand(element.get("agentIdRef") == self.traces[self.trace], "another agent")
        self.destroyed.add(element.get("agentIdRef"))

    # --- definitions ---

    def define_thread(self, element):
        self.known["threads"].add(number(element, "threadId"))

    def define_class(self, element):
        self.known["classes"].add(number(element, "classId"))

    def define_method(self, element):
        self.known["methods"][number(element, "methodId")] = number(element, "classIdRef")

    def define_dump(self, element):
        self.known["dumps"].add(number(element, "heapDumpId"))

    # --- calls ---

    def enter(self, element):
        method, owner = number(element, "methodIdRef"), number(element, "classIdRef")
        defined = self.known["methods"].get(method, 0)
        demand(owner == defined, "its method is of class", defined)
        self.entered[owner] += 1
        open_calls = self.calls.setdefault(number(element, "threadIdRef"), [])
        open_calls.append((number(element, "ticket"), method, owner))

    def leave(self, element):
        """Ends its entry, and those inside it that an exception ended."""
        call = tuple(number(element, name) for name in ("ticket", "methodIdRef", "classIdRef"))
        open_calls = self.calls.get(number(element, "threadIdRef"), [])
        if call not in open_calls:
            return self.miss("entry", "unknown")
        while open_calls.pop() != call:
            pass
        return None
