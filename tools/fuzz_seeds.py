#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the seeds of a fuzz target in one folder.

usage: fuzz_seeds.py TARGET FOLDER ASSEMBLER

Seeds are fuzz/corpus/TARGET/, tests/data/FORMAT/ and what the program ASSEMBLER makes of the case
files in tests/cases/FORMAT/. FORMAT is TARGET up to the first "_"; where none of these folders is,
every format gives its seeds. Files above 64 KiB are cut there: the fuzzer would do the same. A .gz
file is taken as it is and unpacked.
"""
import gzip
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

LIMIT = 64 * 1024
NOT_SEEDS = {".json", ".txt", ".md", ".csv"}


def folders_of(room, form, corpus):
    """The folders of a format; of all when it has none and the target no corpus either."""
    own = Path(room) / form
    if own.is_dir() or corpus.is_dir():
        return [own] if own.is_dir() else []
    return sorted(path for path in Path(room).glob("*") if path.is_dir())


def main(target, folder, assembler):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    form = target.split("_")[0]
    corpus = Path("fuzz/corpus") / target
    for cases in folders_of("tests/cases", form, corpus):
        subprocess.run([assembler, cases.name, folder], check=True)
    count = len(list(folder.iterdir()))
    for source in [corpus, *folders_of("tests/data", form, corpus)]:
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
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
