// SPDX-License-Identifier: Apache-2.0
// A canvas in CSS pixels, redrawn at most once a frame, and what is drawn on it again and again.
import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Measure } from "../look/names";
import { type Tones, mix, tones } from "../look/theme";

export type Brush = CanvasRenderingContext2D;

export function fit(canvas: HTMLCanvasElement): { brush: Brush; width: number; height: number } {
  const box = canvas.getBoundingClientRect();
  const scale = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * scale));
  const height = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const brush = canvas.getContext("2d")!;
  brush.setTransform(scale, 0, 0, scale, 0, 0);
  brush.clearRect(0, 0, box.width, box.height);
  brush.textBaseline = "middle";
  return { brush, width: box.width, height: box.height };
}

type Draw = (brush: Brush, width: number, height: number, t: Tones) => void;

// Keeps a canvas drawn: when it is told to, when its size changes, and with new colours. A canvas costs its whole area
// whenever it is touched: once for each change, then.
class Painter {
  private frame = 0;
  private draw: Draw | null = null;
  private drawn = { width: 0, height: 0 };
  private is_blank = true;
  private readonly forget: () => void;
  private readonly watch = new ResizeObserver(() => {
    // An observer calls once at first, after what was drawn in that frame.
    const box = this.canvas.getBoundingClientRect();
    if (box.width !== this.drawn.width || box.height !== this.drawn.height) this.soon();
  });

  constructor(readonly canvas: HTMLCanvasElement) {
    this.forget = effect(() => {
      void tones.value;
      this.soon();
    });
    this.watch.observe(canvas);
  }

  paint_soon(draw: Draw | null): void {
    this.draw = draw;
    this.soon();
  }

  stop(): void {
    this.forget();
    this.watch.disconnect();
    cancelAnimationFrame(this.frame);
  }

  private soon(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    this.frame = 0;
    if (this.draw === null && this.is_blank) return;
    const { brush, width, height } = fit(this.canvas);
    this.drawn = { width, height };
    this.is_blank = this.draw === null;
    this.draw?.(brush, width, height, tones.peek());
  }
}

// Draws again when one of `deps` changes. null: there is nothing to draw.
export function useCanvas(draw: Draw | null, deps: unknown[]): preact.RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  useLayoutEffect(() => {
    if (painter.current?.canvas !== ref.current) {
      painter.current?.stop();
      painter.current = ref.current && new Painter(ref.current);
    }
    painter.current?.paint_soon(draw);
  }, deps);
  useEffect(() => () => painter.current?.stop(), []);
  return ref;
}

// Measuring dominates drawing: widths are kept by font and text.
const widths = new Map<string, number>();
export function measure_with(brush: Brush): Measure {
  const font = brush.font;
  return (text) => {
    const key = font + text;
    let width = widths.get(key);
    if (width === undefined) {
      width = brush.measureText(text).width;
      if (widths.size > 50_000) widths.clear();
      widths.set(key, width);
    }
    return width;
  };
}

export function rounded(brush: Brush, x: number, y: number, w: number, h: number, r: number): void {
  brush.beginPath();
  brush.roundRect(x, y, w, h, Math.min(r, w / 2));
}

type Kind = "diagonal" | "cross" | "dots" | "dense";
const patterns = new Map<string, CanvasPattern>();

// Patterns stand beside hues, so that states can be told without colours. back "" is transparent.
export function pattern(brush: Brush, kind: Kind, back: string, front: string): CanvasPattern {
  const key = `${kind}${back}${front}${devicePixelRatio}`;
  let made = patterns.get(key);
  if (!made) {
    made = make_pattern(brush, kind, back, front);
    patterns.set(key, made);
  }
  return made;
}

const kStep = { diagonal: 6, cross: 6, dots: 4, dense: 5 };

function make_pattern(brush: Brush, kind: Kind, back: string, front: string): CanvasPattern {
  const size = kStep[kind];
  const scale = devicePixelRatio || 1;
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(size * scale);
  const g = tile.getContext("2d")!;
  g.scale(tile.width / size, tile.height / size);
  if (back !== "") {
    g.fillStyle = back;
    g.fillRect(0, 0, size, size);
  }
  g.strokeStyle = g.fillStyle = front;
  g.lineWidth = kind === "dense" ? 1 : 1.4;
  g.beginPath();
  if (kind !== "dots") strokes(g, size, false);
  if (kind === "cross") strokes(g, size, true);
  g.stroke();
  if (kind === "dots") g.fillRect(1, 1, 1.4, 1.4);
  const made = brush.createPattern(tile, "repeat")!;
  made.setTransform(new DOMMatrix().scale(size / tile.width));
  return made;
}

function strokes(g: Brush, size: number, down: boolean): void {
  const y = (v: number): number => (down ? size - v : v);
  for (const [a, b, c, d] of [
    [-1, 1, 1, -1],
    [-1, size + 1, size + 1, -1],
    [size - 1, size + 1, size + 1, size - 1],
  ]) {
    g.moveTo(a!, y(b!));
    g.lineTo(c!, y(d!));
  }
}

export function state_fill(
  brush: Brush,
  state: "running" | "blocked" | "waiting" | "paused",
  t: Tones,
): string | CanvasPattern {
  switch (state) {
    case "running":
      return t.running;
    case "blocked":
      return pattern(brush, "diagonal", t.blocked, mix(t.blocked, t.ground, 0.55));
    case "waiting":
      return pattern(brush, "dots", t.waiting, mix("#003a5c", t.waiting, 0.55));
    case "paused":
      return pattern(brush, "cross", t.paused, mix("#000000", t.paused, 0.28));
  }
}
