// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { nowhere, parse_address, parse_launch, print_address } from "../src/state/address";
import { kViewWords } from "../src/view_words";

const kEvery =
  "#/0123456789abcdef/flame?r=-5-100&v=0-1000&th=!7&f=only:text:com.acme&f=hide:regex:a%3Db%26c&w=bytes&m=heavy+invert" +
  "&x=3.17.99&sel=calls:3/7/85278695&at=-42&sq=SELECT%201&q=x%20y&qf=cr&s=-self&i=12&tr=-thread:1,^thread:2,~group:w-*" +
  "&a=0:1-2:0,4&b=0::&u=utc&d=keys&theme=dark&zz=1";

test("every key is read and printed as it was", () => {
  const { place, wrong } = parse_address(kEvery, kViewWords);
  expect(wrong).toEqual([]);
  expect(place.range).toEqual({ from: -5, to: 100 });
  expect(place.rules).toEqual([
    { op: "only", how: "text", text: "com.acme" },
    { op: "hide", how: "regex", text: "a=b&c" },
  ]);
  expect(place.b).toEqual({ trace: "0", range: null, threads: "" });
  expect(parse_address(print_address(place), kViewWords).place).toEqual(place);
  expect(print_address(parse_address(print_address(place), kViewWords).place)).toBe(print_address(place));
  expect(print_address(place).endsWith("&zz=1")).toBe(true);
});

test("equal states have equal addresses, whatever the order of keys", () => {
  const one = parse_address("#/0/calls?q=a&r=1-2&u=offset&i=0", kViewWords).place;
  const other = parse_address("#/0/calls?r=1-2&q=a", kViewWords).place;
  expect(print_address(one)).toBe(print_address(other));
  expect(print_address(nowhere())).toBe("#/0/overview");
});

test("what is invalid is told and left out", () => {
  const bad = [
    "r=2-1",
    "r=a-b",
    "th=x",
    "f=only:text:",
    "f=maybe:text:a",
    "at=1.5",
    "u=never",
    "theme=blue",
    "i=-1",
    "q=%E0%A4%A",
    "d=nothing",
    "qf=x",
    "a=5:1-2:",
  ];
  for (const pair of bad) {
    const { place, wrong } = parse_address(`#/0/calls?${pair}&w=time`, kViewWords);
    expect(wrong, pair).toEqual([pair]);
    expect(place, pair).toEqual({ ...nowhere(), view: "calls", weight: "time" });
  }
  expect(parse_address("#/0/nothing", kViewWords).wrong).toEqual(["nothing"]);
  expect(parse_address("#/xyz/calls", kViewWords).wrong).toEqual(["xyz"]);
});

test("names of prototypes are values like any other", () => {
  const { place } = parse_address("#/0/calls?__proto__=1&constructor=2&q=__proto__", kViewWords);
  expect(place.search).toBe("__proto__");
  expect(place.unknown).toEqual([
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
});

test("a launch holds the token once, the address never", () => {
  expect(parse_launch("#token=abcdefghijklmnopqrstuv")).toEqual({ token: "abcdefghijklmnopqrstuv", address: "" });
  expect(parse_launch("#token=abcdefghijklmnopqrstuv/0/flame?w=bytes")).toEqual({
    token: "abcdefghijklmnopqrstuv",
    address: "#/0/flame?w=bytes",
  });
  expect(parse_launch("#token=short")).toEqual({ token: null, address: "#token=short" });
});
