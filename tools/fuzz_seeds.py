#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the seeds of a fuzz target in one folder.

usage: fuzz_seeds.py TARGET FOLDER

Seeds are fuzz/corpus/TARGET/ and tests/data/FORMAT/ (FORMAT is TARGET up to the first "_"; all of
tests/data where no such folder is). Files above 64 KiB are cut there: the fuzzer would do the same.
A .gz file is taken as it is and unpacked.
"""
import gzip
import shutil
import sys
import zlib
from pathlib import Path

LIMIT = 64 * 1024
NOT_SEEDS = {".json", ".txt", ".md", ".csv"}


def main(target, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    data = Path("tests/data")
    own = data / target.split("_")[0]
    count = 0
    for source in (Path("fuzz/corpus") / target, own if own.is_dir() else data):
        for file in sorted(source.rglob("*")):
            if not file.is_file() or file.suffix in NOT_SEEDS:
                continue
            for suffix, content in variants(file):
                (folder / f"{count:04}-{file.name}{suffix}").write_bytes(content)
                count += 1
    print(f"  seeds: {count}")


def variants(file):
    """The file's first bytes, and those of what a .gz holds."""
    with file.open("rb") as stream:
        yield "", stream.read(LIMIT)
    if file.suffix != ".gz":
        return
    try:
        with gzip.open(file) as stream:
            yield ".unpacked", stream.read(LIMIT)
    except (OSError, EOFError, zlib.error):
        pass  # a damaged archive is a seed as it is


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]))
