// SPDX-License-Identifier: Apache-2.0
// Sentences of reports, taken apart where the page shows their parts differently.

// "166 750 events over 1.32 s", "80.2% of the time": the figure, its unit and the rest apart.
export function fact_parts(text: string): { figure: string; unit: string; rest: string } {
  const parts =
    /^([\d.,\u2009\u00a0 ]*\d)[\u2009\u00a0 ]?(?:(ns|us|µs|ms|s|min|h|B|KiB|MiB|GiB|TiB|%)(?![\p{L}\d]))?\s*(.*)$/su.exec(
      text,
    );
  return parts
    ? { figure: parts[1]!.trim(), unit: parts[2] ?? "", rest: parts[3]! }
    : { figure: "", unit: "", rest: text };
}

// At ", " and "; ": figures have commas and points of their own.
export const clauses_of = (text: string): string[] => text.split(/[,;]\s+/).filter((part) => part !== "");

// "Order, made in Customer.run": the class.
export const class_of = (what: string): string => what.split(/, (?:made )?in /)[0]!.replace(/ 0x[\da-f]+$/i, "");
