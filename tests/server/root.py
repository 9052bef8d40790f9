#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`polytrace ui --root` opens what is below its folder, and nothing else."""
import collections
import json
import os
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
from ui import EXAMPLE, Server, skip_without_page  # noqa: E402


def opens_below_its_root():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        (root / "deep").mkdir(parents=True)
        (root / "deep/a.mlpd").write_bytes(EXAMPLE.read_bytes())
        (root / "note.txt").write_text("no trace")
        (Path(folder) / "outside.mlpd").write_bytes(EXAMPLE.read_bytes())
        (root / "link.mlpd").symlink_to(Path(folder) / "outside.mlpd")
        (root / "up").symlink_to(folder)
        os.mkfifo(root / "pipe")
        with Server("--root", root, EXAMPLE) as server:
            kinds = {entry["name"]: entry["kind"] for entry in server.get("/files")["entries"]}
            assert kinds == {"deep": "folder", "note.txt": None}, kinds
            assert server.get("/files?dir=deep")["entries"][0]["kind"] == "mlpd"
            for name in ("../outside.mlpd", str(Path(folder) / "outside.mlpd"), "link.mlpd",
                         "up/outside.mlpd", "pipe", "deep", "deep/../../outside.mlpd", "", "none",
                         "deep/a.mlpd\0x", "/dev/null", "note.txt"):
                status = server.ask("POST", "/api/1/traces", json.dumps({"file": name}))[0]
                assert status >= 400, name
            for name in ("..", "/", "up", "%2e%2e", "deep/.."):
                assert server.ask("GET", "/api/1/files?dir=" + name)[0] in (200, 400), name
                if name != "deep/..":
                    assert server.ask("GET", "/api/1/files?dir=" + name)[0] == 400, name
            assert server.post("/traces", {"file": "deep/a.mlpd"})["id"]


def stays_below_its_root_in_a_race():
    """A file that becomes a link to the outside, and back, while it is opened again and again."""
    with tempfile.TemporaryDirectory() as folder:
        root, outside = Path(folder) / "root", Path(folder) / "outside.mlpd"
        root.mkdir()
        inside = EXAMPLE.read_bytes()
        outside.write_bytes(inside[:len(inside) // 2])
        (root / "file").write_bytes(inside)
        (root / "link").symlink_to(outside)
        stop = threading.Event()

        def swap():
            while not stop.is_set():
                for name in ("link", "file"):
                    os.link(root / name, root / "next", follow_symlinks=False)
                    os.rename(root / "next", root / "a.mlpd")

        with Server("--root", root, EXAMPLE) as server:
            swapping = threading.Thread(target=swap)
            swapping.start()
            try:
                told = collections.Counter(
                    server.ask("POST", "/api/1/traces", '{"file":"a.mlpd"}')[0] for _ in range(200))
            finally:
                stop.set()
                swapping.join()
            opened = {trace["id"] for trace in server.get("/session")["traces"]}
            assert len(opened) == 1 and set(told) <= {200, 400}, (told, opened)


def main():
    skip_without_page()
    opens_below_its_root()
    stays_below_its_root_in_a_race()


if __name__ == "__main__":
    main()
