#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flame page in headless Chromium: what it shows, how it is steered, that it asks for nothing.

$FLAME_PICTURES, if set, is a folder for screenshots.
"""
import json
import os
import random
import re
from collections import Counter
from xml.etree import ElementTree

from profiles import TABLES, compare, expected
from readers import DATA, Skip, main, page, polytrace

PICTURES = os.environ.get("FLAME_PICTURES")
CALLS = DATA / "mlpd/calls.mlpd"
EXAMPLES = DATA.parents[1] / "examples"
SVG = "{http://www.w3.org/2000/svg}"
HASH = {"eval": "decodeURIComponent(location.hash.replace(/[+]/g, ' '))"}
FOUND = {"eval": "document.getElementById('found').textContent"}
STATUS = {"eval": "document.getElementById('status').textContent"}
ROOT = {"eval": "labelOf(panes[0].tree, panes[0].root)"}
THEME = {"eval": "document.documentElement.dataset.theme"}
BACK = {"eval": "getComputedStyle(document.body).backgroundColor"}
DRAWN = {"eval": "panes.reduce((sum, pane) => sum + pane.boxes.length, 0)"}
# Names that would be markup, end the data's script, turn text around; a long one.
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "<!--<script>",
           "a\u202egnp.exe", "quote\"'&amp;\\u003c", "L" * (1 << 20)]


def made(folder, *words):
    out = folder / "page.html"
    polytrace("flame", "-q", "-f", "--depth", "0", *words, "-o", out)
    return out


def driven(file, *steps):
    """The values of the steps' "eval"s. No page asks for anything or fails."""
    found = page(list(steps), file, PICTURES)
    assert found["requests"] == [], found["requests"]
    assert found["errors"] == [], found["errors"]
    return found["values"]


def data_of(file):
    text = file.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', text, re.S)[1])


def stacks_of(data, with_helpers):
    """The stacks and what is their own; without helpers, that is their callers', but for calls."""
    helpers, stack = set(data["helpers"]), []
    for depth, frame, own in zip(data["depths"], data["frames"], data["selfs"]):
        stack[depth:] = [frame]
        if with_helpers:
            yield [data["names"][one] for one in stack], own
        elif not (frame in helpers and data["weight"] == "calls"):
            shown = [data["names"][one] for one in stack if one not in helpers]
            if shown:
                yield shown, own


def own_weights(file):
    data = data_of(file)
    sums = Counter()
    for frame, own in zip(data["frames"], data["selfs"]):
        sums[data["names"][frame]] += own
    return +sums


def figures(folder):
    """The data's sums are the report's, and the page shows them."""
    file = made(folder, "--show-helpers", CALLS)
    report = json.loads(polytrace("report", "--json", "--limit", "0", "--show-helpers",
                                  "--sections", "calls", CALLS))
    wanted = Counter()
    for table in report["tables"]:
        for row in table["rows"] if table["key"] == "methods" else []:
            wanted[row["method"]] += row["self"]
    assert own_weights(file) == +wanted
    shown = driven(file, {"open": ""}, {"shot": "light"}, {"eval": "profile.total[0]"},
                   {"eval": "document.getElementById('total').textContent"},
                   {"eval": "document.querySelector('#notes ul').textContent"}, DRAWN,
                   {"eval": "canvas.height <= innerHeight * devicePixelRatio"})
    assert shown[0] == sum(wanted.values())
    assert shown[1] == f"Time: {sum(wanted.values()) / 1e6:.2f} ms"
    assert "Left out: 137 events" in shown[2] and shown[3] > 100 and shown[4] is True


def steering(folder):
    """Search, zoom, views, sandwich, keys; each view has a link that brings it back."""
    file = made(folder, "--show-helpers", CALLS)
    share, zoomed, link, sandwich, around, back = driven(
        file, {"open": ""}, {"press": "/"}, {"type": "Program:Main"}, FOUND, {"press": "Enter"},
        {"press": "Enter"}, ROOT, HASH, {"press": "s"}, {"shot": "sandwich"}, HASH,
        {"eval": "panes.map((pane) => labelOf(pane.tree, pane.root)).join()"},
        {"press": "Escape"}, ROOT)
    assert share == "87.07 % in 1 frame", share
    assert zoomed.startswith("Program:Main") and "node=" in link and "search=Program:Main" in link
    assert "frame=Program:Main (string[])" in sandwich
    assert around == "Program:Main (string[]),Program:Main (string[])" and back == "all"
    views = driven(file, {"open": ""}, {"press": "i"}, {"press": "l"}, {"press": "f"}, HASH,
                   {"eval": "panes[0].tree.kids(0).map((k) => panes[0].tree.total(k))"},
                   {"press": "ArrowDown"}, STATUS, {"press": "ArrowDown"}, STATUS,
                   {"press": "ArrowRight"}, {"press": "Enter"}, HASH, {"press": "Escape"}, HASH)
    assert views[0] == "#view=icicle&order=heavy&invert=1"
    assert views[1] == sorted(views[1], reverse=True) and len(views[1]) > 50
    assert views[2].startswith("all") and "runtime_invoke_void" in views[3], views[2:4]
    assert "zoom=" in views[4] and "zoom=" not in views[5]
    again = driven(file, {"open": "#" + link.lstrip("#")}, ROOT, FOUND,
                   {"open": "#view=icicle&order=heavy&invert=1"}, HASH,
                   {"open": "#frame=Program%3AMain%20(string%5B%5D)"}, DRAWN,
                   {"open": "#node=99999999&zoom=x.-1&frame=none&search=%2F(%2F"}, ROOT, FOUND)
    assert again[0].startswith("Program:Main") and again[1] == share
    assert again[2] == "#view=icicle&order=heavy&invert=1" and again[3] > 20
    assert again[4] == "all" and again[5] == "no such pattern", again[4:]
    clicked = driven(file, {"open": ""}, {"eval": "canvas.getBoundingClientRect().bottom"})[0]
    zoomed, tip = driven(file, {"open": ""}, {"click": [300, int(clicked) - 30]}, ROOT,
                         {"move": [300, int(clicked) - 10]},
                         {"eval": "document.getElementById('tip').innerText"})
    assert zoomed.startswith("(wrapper runtime-invoke) <Module>"), zoomed
    assert tip.startswith("all") and "100.00 % of all" in tip, tip


def themes(folder):
    file = made(folder, CALLS)
    light, dark, switched, other = driven(
        file, {"scheme": "light"}, {"open": ""}, BACK, {"scheme": "dark"}, BACK, {"shot": "dark"},
        {"press": "d"}, THEME, BACK)
    assert light == other and light != dark and switched == "light"


def comparison(folder):
    """Blue where it became less, orange where it became more; both figures are told."""
    file = made(folder, "--base", CALLS, "--weight", "calls", DATA / "mlpd/calls_depth20.mlpd")
    data = data_of(file)
    totals = {}
    for name in ("calls.mlpd", "calls_depth20.mlpd"):
        told = polytrace("export", "--json", "--weight", "calls", "--to", "folded",
                         DATA / "mlpd" / name, "-o", folder / name)
        totals[name] = json.loads(told)["outputs"][0]["total"]
    assert sum(data["selfs"]) == totals["calls_depth20.mlpd"]
    assert sum(data["befores"]) == totals["calls.mlpd"]
    cut = data_of(made(folder, "--base", CALLS, "--weight", "calls", "--limit", "5",
                       DATA / "mlpd/calls_depth20.mlpd"))
    assert len(cut["selfs"]) < 20 < len(data["selfs"]) and len(cut["names"]) <= 6
    assert sum(cut["befores"]) == sum(data["befores"])
    colors, status, swapped = driven(
        file, {"open": "#view=icicle"}, {"shot": "comparison"},
        {"eval": "[...new Set(panes[0].boxes.map(([node]) => [Math.sign(profile.total[node] -"
                 " profile.before[node]), colorOf(panes[0].tree, node).match(/hsl.(\\d+)/)[1]]"
                 ".join()))].sort()"},
        {"press": "ArrowDown"}, STATUS, {"press": "b"}, {"eval": "weight(panes[0].tree, 0)"})
    assert set(colors) <= {"-1,212", "1,28", "0,28"} and "-1,212" in colors, colors
    assert f"before: {totals['calls.mlpd']:,}" in status and swapped == totals["calls.mlpd"]


def escaped(name):
    for bad, good in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        name = name.replace(bad, good)
    return name


def hostile_trace(folder):
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<TRACE>", '<threadStart threadId="1" '
             'time="1.0" threadName="&lt;b&gt;main" traceIdRef="t"/>',
             '<classDef classId="1" name="" threadIdRef="1"/>']
    lines += [f'<methodDef methodId="{i + 1}" name="{escaped(name)}"/>'
              for i, name in enumerate(HOSTILE)]
    for i in range(len(HOSTILE)):
        lines.append(f'<methodEntry threadIdRef="1" time="{2 + i}.0" methodIdRef="{i + 1}" '
                     'classIdRef="1" ticket="1" stackDepth="1"/>')
    for i in reversed(range(len(HOSTILE))):
        lines.append(f'<methodExit threadIdRef="1" time="{20 - i}.0" methodIdRef="{i + 1}" '
                     'classIdRef="1" ticket="1"/>')
    file = folder / "<img src=y onerror=alert(3)>.trcxml"
    file.write_text("\n".join([*lines, "</TRACE>"]), encoding="utf-8")
    return file


def hostile_names(folder):
    """Text, whatever they hold: nothing runs, nothing is markup, nothing turns."""
    trace = hostile_trace(folder)
    file = made(folder, "--by-thread", trace)
    assert file.stat().st_size < 200_000, "a name of a megabyte is cut"
    names, title, elements, drawn = driven(
        file, {"open": "#view=icicle"}, {"shot": "hostile"}, {"eval": "profile.names"},
        {"eval": "document.title + document.getElementById('title').textContent"},
        {"eval": "document.querySelectorAll('img, script:not([id]), b').length"}, DRAWN,
        {"move": [300, 100]}, {"move": [301, 101]})
    shown = "\n".join(names)
    for name in HOSTILE[:3]:
        assert name in shown, name
    assert "\u202e" not in shown and "\u27e8U+202E\u27e9" in shown
    assert re.search(r"L{200}[.]{3}#[0-9a-f]{16}[.]{3}L{600}", shown)
    assert max(map(len, names)) <= 1000
    assert title.count("<img src=y onerror=alert(3)>") == 2 and elements == 1
    assert drawn == len(HOSTILE) + 2  # all, the thread, the frames
    for kind in (["--svg"], ["--folded"]):
        out = folder / "other"
        polytrace("flame", "-q", "-f", *kind, trace, "-o", out)
        text = out.read_text(encoding="utf-8")
        if kind == ["--svg"]:
            titles = [one.text for one in ElementTree.fromstring(text).iter(SVG + "title")]
            assert len(titles) == len(HOSTILE) and titles[0].startswith(HOSTILE[0]), titles
            assert "<img" not in text and "<script" not in text


def what_is_cut(folder):
    """It is there as a frame that says how much it stands for; totals stay."""
    whole, cut = own_weights(made(folder, CALLS)), made(folder, "--limit", "10", CALLS)
    data = data_of(cut)
    assert sum(data["selfs"]) == sum(whole.values())
    labels = driven(cut, {"open": ""},
                    {"eval": "panes[0].boxes.map(([node]) => labelOf(panes[0].tree, node))"})
    hidden = sum(data["hidden"][1::2])
    more = [int(label.split()[1]) for label in labels[0] if re.fullmatch(r"\u2026 \d+ more", label)]
    assert hidden > 100 and more and sum(more) <= hidden, labels


def shortened(folder):
    """A name that does not fit loses arguments, then packages and class, never its end."""
    name, forms = "com.acme.List<a.B>.addMany(Ljava/lang/Object;)Z", [
        "com.acme.List<a.B>.addMany", "acme.List<a.B>.addMany", "List<a.B>.addMany", "addMany",
        "\u2026Many", ""]
    rooms = ", ".join(f"pen.measureText({form!r}).width" for form in forms)
    shown = driven(made(folder, CALLS), {"open": ""},
                   {"eval": f"[{rooms}].map((room) => fitted({name!r}, room + 0.1))"})
    assert shown == [forms], shown


OWN = """(() => { const sums = {};
  for (let i = 1; i < profile.count; ++i)
    sums[names[profile.frame[i]]] = (sums[names[profile.frame[i]]] ?? 0) + profile.self[i];
  return sums; })()"""


def switches(folder):
    """Weights, threads, helpers: all are in one page, with the report's figures."""
    trace = EXAMPLES / "everything.mlpd"
    file = made(folder, trace)
    weights, threads = driven(file, {"open": ""}, {"eval": "weights.map((one) => one.weight)"},
                              {"eval": "[...element('thread').options].map((one) => one.text)"})
    assert set(weights) >= {"time", "calls", "samples", "bytes", "objects", "wait"}, weights
    assert threads[0] == "All threads" and {"Main", "Finalizer"} <= set(threads), threads
    for weight in TABLES:
        for thread in ((), ("--thread", "Main")):
            link = f"#weight={weight}" + ("&thread=Main" if thread else "")
            closed, opened = driven(file, {"open": link}, {"eval": OWN}, {"press": "h"},
                                    {"eval": OWN})
            for found, helpers in ((closed, ()), (opened, ("--show-helpers",))):
                found.pop("(runtime helpers)", None)  # what nothing in the trace called
                what = f"{weight} {thread} {helpers}"
                wanted = expected(trace, weight, helpers + thread)
                if wanted:
                    compare(+Counter(found), wanted, what)
                assert wanted or not found and thread, what
    link, = driven(file, {"open": ""}, {"press": "w"}, {"press": "t"}, {"press": "h"}, HASH)
    assert link.startswith("#weight=calls&thread=") and link.endswith("&helpers=1"), link


TIP = {"eval": "element('tip').hidden ? '' : element('tip').innerText.split('\\n')[0]"}
UNDER = {"eval": "(at(300, 12) ? labelOf(at(300, 12).pane.tree, at(300, 12).node) : '')"}
BAR = {"eval": "JSON.stringify([...document.querySelectorAll('header, nav > *')].map((one) => "
               "{ const { x, y, width, height } = one.getBoundingClientRect(); "
               "return [x, y, width, height]; }))"}


def still(folder):
    """The tip is gone or true, and the toolbar does not move, whatever happens."""
    file = made(folder, EXAMPLES / "everything.mlpd")
    for size in ([400, 700], [1000, 700], [1800, 900]):
        top = driven(file, {"size": size}, {"open": "#view=icicle"},
                     {"eval": "canvas.getBoundingClientRect().top"})[0]
        over = {"move": [300, int(top) + 12]}
        bar, *values = driven(
            file, {"size": size}, {"open": "#view=icicle"}, BAR, over, TIP, UNDER,
            {"click": [300, int(top) + 50]}, {"move": [300, int(top) + 12]}, TIP, UNDER, BAR,
            {"eval": "scrollBy(panes[0], 38)"}, TIP, UNDER,
            {"eval": "element('search').value = 'System'; setSearch('System')"}, TIP, UNDER, BAR,
            {"press": "Escape"}, TIP, BAR, over, {"press": "w"}, TIP, BAR,
            over, {"eval": "switchTo({ weight: 0, thread: threads[0] })"}, TIP, UNDER,
            {"move": [300, 10]}, TIP, BAR, {"eval": "document.scrollingElement.scrollTop"},
            {"eval": "document.documentElement.scrollWidth <= innerWidth"})
        (tip, under, zoomed, at_zoomed, bar1, _, scrolled, at_scrolled, _, searched, at_searched,
         bar2, escaped_tip, bar3, switched, bar4, _, chosen, at_chosen, away, bar5, top,
         fits) = values
        assert tip == under != "" and zoomed == at_zoomed and scrolled == at_scrolled, values
        assert searched == at_searched and chosen == at_chosen, values
        assert escaped_tip == switched == away == "", values
        assert {bar1, bar2, bar3, bar4, bar5} == {bar} and top == 0 and fits, values


def heaviest_first(folder):
    """Inverted, in any order of the rest: what took most stands first."""
    sums, = driven(made(folder, CALLS), {"open": "#invert=1"},
                   {"eval": "panes[0].tree.kids(0).map((kid) => panes[0].tree.total(kid))"})
    assert len(sums) > 10 and sums == sorted(sums, reverse=True), sums[:20]


def large_trace(folder):
    """300,000 stacks of 20 frames, at times as large as they get."""
    random.seed(1)
    file = folder / "large.trcxml"
    with file.open("w", encoding="utf-8") as out:
        out.write('<TRACE>\n<threadStart threadId="1" time="1.0"/>\n<classDef classId="1" '
                  'name="com.example.Service" threadIdRef="1"/>\n')
        out.writelines(f'<methodDef methodId="{i}" name="method{i}" signature="()V" '
                       'classIdRef="1"/>\n' for i in range(1, 2001))
        path, now = [], 1.0
        for _ in range(300_000):
            keep = random.randint(13, 19) if path else 0
            for end in (True, False):
                while len(path) > keep if end else len(path) < 20:
                    now += random.random() * 1000
                    method = path.pop() if end else random.randint(1, 2000)
                    if not end:
                        path.append(method)
                    kind = "Exit" if end else "Entry"
                    out.write(f'<method{kind} threadIdRef="1" time="{now:.9f}" '
                              f'methodIdRef="{method}" classIdRef="1" ticket="1"/>\n')
        out.write("</TRACE>\n")
    return file


def large(folder):
    """A page of at most five megabytes, which says how much more there was."""
    if os.environ.get("POLYTRACE_LONG") != "1":
        raise Skip("POLYTRACE_LONG is not 1")
    file = made(folder, large_trace(folder))
    assert file.stat().st_size <= 5_000_000, file.stat().st_size
    drawn = driven(file, {"open": ""}, {"shot": "large"}, DRAWN, {"press": "i"}, DRAWN,
                   {"press": "/"}, {"type": "method12"}, FOUND)
    assert min(drawn[:2]) > 100 and "in 111 frames" in drawn[2], drawn


if __name__ == "__main__":
    main([figures, steering, switches, still, heaviest_first, themes, comparison, hostile_names,
          what_is_cut, shortened, large])
