// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { cut_middle, label, name_parts, shown } from "../src/look/names";
import { bytes_text, duration_text, grouped, moment_text, percent, text_of } from "../src/look/units";
import { class_of, clauses_of, fact_parts } from "../src/look/said";
import { spot_of } from "../src/look/spot";
import { parse_time } from "../src/state/time_text";

test.each([
  [0, "0"],
  [1, "1 ns"],
  [999, "999 ns"],
  [1000, "1.00 µs"],
  [12_340, "12.3 µs"],
  [999_600, "1.00 ms"],
  [85_278_695, "85.3 ms"],
  [1_319_028_952, "1.32 s"],
  [999_400_000_000, "999 s"],
  [3_600_000_000_000, "60.0 min"],
  [-2_490_000, "\u22122.49 ms"],
])("a duration of %d ns", (ns, text) => expect(duration_text(ns).replace("\u2009", " ")).toBe(text));

test("sizes, counts and parts", () => {
  expect([0, 80, 1024, 1536, 660_000, 2 ** 31].map((b) => bytes_text(b).replace("\u2009", " "))).toEqual([
    "0",
    "80 B",
    "1.00 KiB",
    "1.50 KiB",
    "645 KiB",
    "2.00 GiB",
  ]);
  expect([9999, 64_000, 1_234_567].map(grouped)).toEqual(["9999", "64\u2009000", "1\u2009234\u2009567"]);
  expect(text_of(percent(99.96))).toBe("100\u2009%");
});

test("moments have the digits that tell neighbours apart", () => {
  expect(moment_text(67_408_000, 1000).replace("\u2009", " ")).toBe("67.408 ms");
  expect(moment_text(50_000_000, 10_000_000).replace("\u2009", " ")).toBe("50 ms");
  expect(moment_text(1_100_000_000).replace("\u2009", " ")).toBe("1.1 s");
});

const frame = { first: 0, last: 2e9, wall: 1_000_000_000 };
test.each([
  ["85.3ms", 85_300_000],
  ["85.3 ms", 85_300_000],
  ["1 234 567", 1_234_567],
  ["50%", 1e9],
  ["+200ms", 2e8],
  ["-1s", 1e9],
  ["2us", 2000],
  ["1970-01-01T00:00:02Z", 1e9],
  ["soon", null],
  ["5 parsecs", null],
  ["", null],
])("the time %s", (text, offset) => expect(parse_time(text, frame)).toBe(offset));

test("times count from the first event, wherever offset 0 is", () => {
  const later = { ...frame, first: -18_000_000 };
  expect(["20ms", "+20ms", "0s", "0%"].map((text) => parse_time(text, later))).toEqual([2e6, 2e6, -18e6, -18e6]);
});

const wide = (text: string): number => text.length * 6;
test("names are cut so that the method stays readable", () => {
  const name = "Name.Space.Till:Pay (Order)";
  expect(label(name, 1000, wide)).toBe(name);
  expect(label(name, 140, wide)).toBe("Name.Space.Till:Pay");
  expect(label(name, 60, wide)).toBe("Till:Pay");
  expect(label(name, 20, wide)).toBe("Pay");
  expect(label(name, 17, wide)).toBe("");
  expect(label("A.B:extraordinarilyLong ()", 60, wide)).toBe("extra…Long");
  expect(cut_middle("abcdef", 12, wide)).toBe("");
  expect(name_parts("com.acme.Shop.main(java.lang.String[])")).toEqual({
    head: "com.acme.Shop.",
    method: "main",
    arguments: "(java.lang.String[])",
  });
});

test("what names must not do is shown instead", () => {
  expect(shown("a\u0000b\u202Ec")).toBe("a\\u0000b\\u202ec");
  expect(shown("x".repeat(2000)).length).toBeLessThan(1040);
  expect(shown("x".repeat(2000))).toContain("2000 characters");
  expect(shown("</script>")).toBe("</script>");
});

test("wrappers of the runtime are named by what they wrap", () => {
  const name = "(wrapper managed-to-native) System.Threading.Monitor:Enter (object)";
  expect(name_parts(name)).toEqual({ head: "System.Threading.Monitor:", method: "Enter", arguments: " (object)" });
  expect(label(name, 90, wide)).toBe("Monitor:Enter");
  expect(spot_of(name, "")).toBe("System.Threading.Monitor");
  expect(spot_of("com.acme.Shop.main(int)", "com.acme")).toBe("com.acme");
});

test.each([
  ["80.2% of the time", "80.2", "%", "of the time"],
  ["166 750 events over 1.32 s", "166 750", "", "events over 1.32 s"],
  ["1.5 ms in all", "1.5", "ms", "in all"],
  ["3 main threads", "3", "", "main threads"],
  ["12 MiB left", "12", "MiB", "left"],
  ["nothing yet", "", "", "nothing yet"],
])("%s begins with a figure and its unit", (text, figure, unit, rest) =>
  expect(fact_parts(text)).toEqual({ figure, unit, rest }));

test("a suspect's class", () => {
  expect(class_of("Order, made in Customer.run (int)")).toBe("Order");
  expect(class_of("java.lang.String[]")).toBe("java.lang.String[]");
  expect(class_of("Till 0x7f00, in Till.pay")).toBe("Till");
});

test("clauses end at commas that are none of a figure", () => {
  expect(clauses_of("of the busy time in 320,000 calls, 400 for each; more")).toEqual([
    "of the busy time in 320,000 calls",
    "400 for each",
    "more",
  ]);
  expect(clauses_of("thrown within 1.76 s")).toEqual(["thrown within 1.76 s"]);
  expect(clauses_of("")).toEqual([]);
});
