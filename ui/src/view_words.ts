// SPDX-License-Identifier: Apache-2.0
// The words of the views, apart from the views themselves: the address is read without them.
export const kViewWords = [
  "overview",
  "timeline",
  "flame",
  "calls",
  "memory",
  "collections",
  "locks",
  "states",
  "compare",
  "exceptions",
  "threads",
  "compilation",
  "counters",
  "events",
  "sql",
  "info",
  "fleet",
] as const;
