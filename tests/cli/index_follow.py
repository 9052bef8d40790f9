#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The index of a trace that grows: what it says when the trace has ended, and what a killed
builder leaves."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from waiting import wait_until  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
EXAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "everything.mlpd")
SECTIONS = ["--sections", "calls,allocations,collections,monitors", "--limit", "0", "--json"]


def polytrace(*arguments, expect=0):
    done = subprocess.run([POLYTRACE, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == expect, (arguments, done.returncode, done.stderr)
    return done.stdout


def standing(*arguments):
    told = json.loads(polytrace("index", "info", "--json", *arguments))["indexes"][0]
    return told["state"], told


def follow(trace, *options):
    return subprocess.Popen([POLYTRACE, "index", "build", "--follow", *options, trace],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def grow(trace, content, pieces, seed):
    """Appends the content in random pieces."""
    chance = random.Random(seed)
    cuts = sorted(chance.sample(range(1, len(content)), pieces - 1))
    with open(trace, "ab", buffering=0) as file:
        for begin, end in zip([0, *cuts], [*cuts, len(content)]):
            file.write(content[begin:end])
            time.sleep(0.002)  # wait: pieces come apart, however few


def report(*arguments):
    done = subprocess.run([POLYTRACE, "report", *SECTIONS, *arguments], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout


def same_answers(trace):
    assert report(trace) == report("--no-index", trace)


def until_there_is(folder, process):
    wait_until(lambda: any(name.endswith(".new") for _, _, names in os.walk(folder)
                           for name in names), "an index that is being built", process=process)


def grows_to_its_end(folder, content):
    trace = os.path.join(folder, "growing.mlpd")
    open(trace, "wb").close()
    process = follow(trace)
    grow(trace, content, 50, 1)
    until_there_is(os.environ["POLYTRACE_CACHE"], process)
    assert standing(trace)[0] == "building"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 0, (process.returncode, err)
    assert "index of" in out, out
    state, told = standing(trace)
    assert state == "current", told
    whole = os.path.join(folder, "whole.mlpd")
    shutil.copy(trace, whole)
    assert standing(whole)[0] == "current", "its copy has the same fingerprint"
    same_answers(trace)
    names = [name for _, folders, _ in os.walk(os.environ["POLYTRACE_CACHE"]) for name in folders]
    assert not [name for name in names if name.startswith("live-")], names
    indexes = json.loads(polytrace("index", "list", "--json"))["indexes"]
    assert [index["file"] for index in indexes] == [trace], indexes


def is_killed(folder, content):
    """Whoever comes next begins anew."""
    trace = os.path.join(folder, "killed.mlpd")
    with open(trace, "wb") as file:
        file.write(content[:len(content) // 2])
    process = follow(trace)
    until_there_is(os.environ["POLYTRACE_CACHE"], process)
    process.kill()
    process.communicate()
    assert standing(trace)[0] == "building"
    same_answers(trace)
    grow(trace, content[len(content) // 2:], 3, 2)
    process = follow(trace)
    until_there_is(os.environ["POLYTRACE_CACHE"], process)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert standing(trace)[0] == "current"
    same_answers(trace)


def goes_on_growing(folder, content):
    """An index of its first part is stale, and said to be."""
    trace, index = os.path.join(folder, "more.mlpd"), os.path.join(folder, "more.index")
    half = len(content) // 2
    with open(trace, "wb") as file:
        file.write(content[:half])
    process = follow(trace, "--index", index)
    until_there_is(index, process)
    busy = subprocess.run([POLYTRACE, "index", "build", "--index", index, trace],
                          capture_output=True, text=True, check=False)
    assert busy.returncode == 1 and "being built" in busy.stderr, busy
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert standing("--index", index, trace)[0] == "current"
    grow(trace, content[half:], 2, 3)
    assert standing("--index", index, trace)[0] == "stale"
    assert "the trace has grown" in polytrace("index", "info", "--index", index, trace)
    code, told = report("--index", index, trace)
    assert code == 0 and "index-stale" in told, told
    assert json.loads(told)["tables"] == json.loads(report("--no-index", trace)[1])["tables"]


def main():
    with open(EXAMPLE, "rb") as file:
        content = file.read()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POLYTRACE_CACHE"] = os.path.join(folder, "cache")
        for test in grows_to_its_end, is_killed, goes_on_growing:
            test(folder, content)
            print(test.__name__, "ok")
    two = subprocess.run([POLYTRACE, "index", "build", "--follow", "a", "b"], capture_output=True,
                         check=False)
    assert two.returncode == 2, two


main()
