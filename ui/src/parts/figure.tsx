// SPDX-License-Identifier: Apache-2.0
// A figure with its unit fainter than the number, and a cell's value by the unit of its column.
import { type Figure, figure, kThin, moment_text } from "../look/units";
import { name_parts, shown } from "../look/names";
import { place, trace } from "../state/page";
import { moment_shown } from "../state/clock";
import type { Cell, Column } from "../wire";

export function Num({ of }: { of: Figure }) {
  return (
    <>
      {of.number}
      {of.unit && (
        <span class="unit">
          {kThin}
          {of.unit}
        </span>
      )}
    </>
  );
}

export function Amount({ value, unit }: { value: number; unit: string }) {
  return value === 0 ? <span class="zero">0</span> : <Num of={figure(value, unit)} />;
}

const kNumeric = ["nanoseconds", "bytes", "count", "percent", "time"];
export const is_numeric = (column: Column): boolean => kNumeric.includes(column.unit);

// The method stays readable: arguments give way first, then what stands in front of it.
export function MethodName({ name }: { name: string }) {
  const parts = name_parts(shown(name));
  return (
    <span class="method">
      <span class="head-part">{parts.head}</span>
      <span class="method-part">{parts.method}</span>
      <span class="arguments-part">{parts.arguments}</span>
    </span>
  );
}

// Of a path the end says what it is: what is in front gives way.
const kPath = /^(?:\/|[A-Za-z]:\\)[^;]*$/;

function PathName({ path }: { path: string }) {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return (
    <span class="method">
      <span class="head-part">{path.slice(0, at)}</span>
      <span class="method-part">{path.slice(at)}</span>
    </span>
  );
}

const kNames = ["method", "name", "caller", "callee", "site"];
const kFiles = ["file", "image", "name"];

export function CellText({ value, column }: { value: Cell; column: Column }) {
  void trace.value;
  void place.value.times;
  if (value === null || value === undefined) return <span class="zero">–</span>;
  if (column.unit === "time") return <>{moment_shown(Number(value))}</>;
  if (is_numeric(column) && value !== "") return <Amount value={Number(value)} unit={column.unit} />;
  if (typeof value === "number") return <Num of={figure(value, column.unit)} />;
  if (kFiles.includes(column.key) && kPath.test(String(value))) return <PathName path={shown(String(value))} />;
  if (kNames.includes(column.key)) return <MethodName name={String(value)} />;
  return <>{shown(String(value))}</>;
}

export const exact = (value: Cell, column: Column): string => {
  if (value === null || value === undefined) return "not told";
  if (column.unit === "nanoseconds") return `${value} ns`;
  if (column.unit === "bytes") return `${value} bytes`;
  if (column.unit === "time") return `${value} ns of the trace's clock, ${moment_text(Number(value))}`;
  return shown(String(value));
};

// A name in a heading: lines break behind what divides it, and copies are the name.
export function Breakable({ text }: { text: string }) {
  return (
    <>
      {shown(text)
        .split(/(?<=[.:,(/])/)
        .map((part, i) => (
          <>
            {i > 0 && <wbr />}
            {part}
          </>
        ))}
    </>
  );
}
