#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every relative link in the project's Markdown pages leads to a file and a heading."""
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.S | re.M)


def anchors(page):
    """The heading anchors of a page, as code hosts make them."""
    headings = re.findall(r"^#+ +(.*?)\s*$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def faults(page):
    for link in LINK.finditer(CODE.sub("", page.read_text(encoding="utf-8"))):
        target = link.group(1) or link.group(2)
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"{page}: no file {target}"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{page}: no heading {target}"


def main():
    pages = [page for page in Path(".").rglob("*.md")
             if page.parts[0] not in ("build", ".git") and "node_modules" not in page.parts]
    found = [fault for page in sorted(pages) for fault in faults(page)]
    print("\n".join(found) if found else f"links: {len(pages)} pages, all lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
