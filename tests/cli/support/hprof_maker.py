# SPDX-License-Identifier: Apache-2.0
"""Makes heap dumps of Java by hand, with the names of fields."""
import struct

ROOT_STICKY, CLASS, OBJECT, ARRAY, REFERENCE = 0x05, 0x20, 0x21, 0x22, 2
OBJECT_CLASS, CLASS_CLASS = 0x10, 0x18


def ids(*numbers):
    return struct.pack(f">{len(numbers)}Q", *numbers)


class HeapFile:
    """Objects of a head of 16 bytes and fields of 8: sizes are told by the classes."""

    def __init__(self):
        self.records, self.parts, self.texts = b"", b"", {}
        self.fields = {}   # of a class by its id
        self.classes = {}  # ids by name
        self.add_class(OBJECT_CLASS, "java.lang.Object")
        self.add_class(CLASS_CLASS, "java.lang.Class")

    def record(self, tag, body):
        self.records += struct.pack(">BII", tag, 0, len(body)) + body

    def text(self, text):
        if text not in self.texts:
            self.texts[text] = len(self.texts) + 1
            self.record(1, ids(self.texts[text]) + text.encode())
        return self.texts[text]

    def add_class(self, number, name, fields=(), statics=None):
        """A name that ends with [] is an array's. `statics`: {name: id of an object}."""
        self.classes[name] = number
        self.fields[number] = fields
        written = f"[L{name[:-2]};" if name.endswith("[]") else name
        self.record(2, struct.pack(">I", len(self.classes)) + ids(number) + bytes(4) +
                    ids(self.text(written.replace(".", "/"))))
        values = b"".join(ids(self.text(field)) + bytes([REFERENCE]) + ids(target)
                          for field, target in (statics or {}).items())
        names = b"".join(ids(self.text(field)) + bytes([REFERENCE]) for field in fields)
        above = 0 if number == OBJECT_CLASS else OBJECT_CLASS
        self.parts += (bytes([CLASS]) + ids(number) + bytes(4) + ids(above) + bytes(40) +
                       struct.pack(">IHH", 16 + 8 * len(fields), 0, len(statics or {})) + values +
                       struct.pack(">H", len(fields)) + names)
        return number

    def add_object(self, number, of, *targets):
        assert len(targets) == len(self.fields[of])
        self.parts += (bytes([OBJECT]) + ids(number) + bytes(4) + ids(of) +
                       struct.pack(">I", 8 * len(targets)) + ids(*targets))

    def add_array(self, number, of, *targets):
        self.parts += (bytes([ARRAY]) + ids(number) + bytes(4) + struct.pack(">I", len(targets)) +
                       ids(of, *targets))

    def add_root(self, number):
        self.parts += bytes([ROOT_STICKY]) + ids(number)

    def add_thread(self, serial, number, name, frames, of):
        """`frames`: (method, source, line), the innermost first, of the class `of`."""
        order = list(self.classes.values()).index(of) + 1
        places = [0x70000 + 0x10 * i + serial for i in range(len(frames))]
        for place, (method, source, line) in zip(places, frames):
            self.record(4, ids(place, self.text(method), self.text("()V"), self.text(source)) +
                        struct.pack(">Ii", order, line))
        self.record(5, struct.pack(">III", serial, serial, len(frames)) + ids(*places))
        self.record(10, struct.pack(">I", serial) + ids(number) + struct.pack(">I", serial) +
                    ids(self.text(name), self.text("main"), self.text("system")))
        self.parts += b"\x08" + ids(number) + struct.pack(">II", serial, serial)

    def add_local(self, number, thread, frame):
        self.parts += b"\x03" + ids(number) + struct.pack(">Ii", thread, frame)

    def write(self, path):
        self.record(0x1c, self.parts)
        self.record(0x2c, b"")
        path.write_bytes(b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0) + self.records)
        return path
