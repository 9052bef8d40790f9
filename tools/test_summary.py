#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up what the test runs of some build folders reported, and says so in one last line.

usage: test_summary.py [--exit STATUS] [--failed STEP]... BUILD_DIR...
       test_summary.py --self-test

Reads BUILD_DIR/reports/ctest.xml (ctest --output-junit) and, for a ctest test that is a GoogleTest
program, the cases in reports/gtest/<name>.xml. A program that failed without a failing case (it
crashed, leaked, or ran out of time) counts as one failure, and so does each STEP, which failed
outside of the tests. What a failed test printed last stands above all. STATUS other than 0 says
that something failed, if it is not known what. Ends with 1 unless all is well.
"""
import argparse
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path


LAST_LINES = 20


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []
        self.printed = []

    def add_run(self, build):
        """All tests of one build folder."""
        report = build / "reports" / "ctest.xml"
        if not report.is_file():
            self.failed.append(f"{build}: no test results")
            return
        for test in xml.parse(report).getroot().iter("testcase"):
            cases = build / "reports" / "gtest" / f"{test.get('name')}.xml"
            if cases.is_file():
                self.add_program(build, test, cases)
            else:
                self.add_case(f"{build}: {test.get('name')}", test)

    def add_program(self, build, test, cases):
        """A GoogleTest program: each case counts."""
        before = len(self.failed)
        for case in xml.parse(cases).getroot().iter("testcase"):
            self.add_case(f"{build}: {case.get('classname')}.{case.get('name')}", case)
        if test.get("status") == "fail" and len(self.failed) == before:
            self.failed.append(f"{build}: {test.get('name')} ended badly outside of its cases")
            self.keep_output(test)

    def add_case(self, name, case):
        skip = case.find("skipped")
        if case.find("failure") is not None or case.get("status") == "fail":
            self.failed.append(name)
            self.keep_output(case)
        elif skip is not None:
            self.skipped.append(f"{name}: {self.reason(case, skip)}")
        elif case.get("status") == "run":
            self.passed += 1
        else:
            self.failed.append(f"{name}: did not run")

    def keep_output(self, case):
        """Of a program what it wrote, of a GoogleTest case what was expected."""
        text = case.findtext("system-out") or case.findtext("failure") or ""
        lines = text.strip().splitlines()[-LAST_LINES:]
        self.printed += [f"== {case.get('name')} printed last:", *lines]

    @staticmethod
    def reason(case, skip):
        """What the test printed last, else what the runner noted."""
        output = (case.findtext("system-out") or "").strip() or skip.get("message") or ""
        return output.strip().splitlines()[-1] if output.strip() else "no reason given"

    def finish(self, status):
        """Prints the summary; returns the exit code."""
        if status and not self.failed:
            self.failed.append("a step outside of the tests")
        if not self.passed and not self.failed:
            self.failed.append("there were no tests")
        for line in self.printed:
            print(line)
        for line in self.skipped:
            print("skipped:", line)
        for line in self.failed:
            print("failed:", line)
        tail = f", {len(self.skipped)} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {len(self.failed)} failed{tail}")
        return 1 if self.failed else 0


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        (build / "reports" / "gtest").mkdir(parents=True)
        (build / "reports" / "ctest.xml").write_text(
            '<testsuite><testcase name="a.0" status="run"/><testcase name="b.0" status="fail"/>'
            '<testcase name="cli/x" status="run"/><testcase name="cli/y" status="fail">'
            '<failure message=""/><system-out>1 is 2\n</system-out></testcase>'
            '<testcase name="cli/z" status="notrun">'
            '<skipped message="SKIP_RETURN_CODE=77"/><system-out>no mono\n</system-out></testcase>'
            '<testcase name="gone" status="notrun"/></testsuite>')
        (build / "reports" / "gtest" / "a.0.xml").write_text(
            '<testsuites><testsuite><testcase classname="s" name="one" status="run"/>'
            '<testcase classname="s" name="two" status="run"/></testsuite></testsuites>')
        (build / "reports" / "gtest" / "b.0.xml").write_text(
            '<testsuites><testsuite><testcase classname="s" name="ok" status="run"/>'
            '</testsuite></testsuites>')
        tally = Tally()
        tally.add_run(build)
        assert tally.passed == 4, tally.passed
        assert [line.split(": ")[1].split()[0] for line in tally.failed] == ["b.0", "cli/y", "gone"]
        assert tally.skipped == [f"{build}: cli/z: no mono"], tally.skipped
        assert tally.printed[-2:] == ["== cli/y printed last:", "1 is 2"], tally.printed
        tally = Tally()
        tally.add_run(build / "missing")
        assert tally.failed
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--exit", type=int, default=0)
    parser.add_argument("--failed", action="append", default=[])
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("builds", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    tally = Tally()
    for build in arguments.builds:
        tally.add_run(build)
    tally.failed += [f"the step: {step}" for step in arguments.failed]
    return tally.finish(arguments.exit)


if __name__ == "__main__":
    sys.exit(main())
