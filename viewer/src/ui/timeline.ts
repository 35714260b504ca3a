// The time line: an axis, and a lane of ticks for each kind of event. It can be zoomed and moved.

import type { Run } from "../run/decode";
import type { EventFilter } from "../run/events";
import type { Theme } from "../scene/palette";
import type { TimeWindow } from "../scene/windows";
import { scaleStep, timeText } from "./format";

const AXIS = 18;

export class Timeline {
  low: number;
  high: number;
  /** windows of time that are shown behind the ticks, from the widest to the narrowest */
  windows: readonly TimeWindow[] = [];
  onSeek: (time: number) => void = () => undefined;
  /** an event was clicked */
  onEvent: (event: number) => void = () => undefined;
  private readonly canvas: HTMLCanvasElement;
  private readonly playhead: HTMLElement;
  private readonly hover: HTMLElement;
  private outdated = true;
  private theme: Theme = "dark";
  private width = 1;
  private height = 1;
  private readonly pointers = new Map<number, number>();
  private panning = false;
  private readonly abort = new AbortController();

  constructor(
    private readonly element: HTMLElement,
    private readonly run: Run,
    private readonly filter: EventFilter,
  ) {
    this.canvas = element.querySelector("canvas")!;
    this.playhead = element.querySelector(".playhead")!;
    this.hover = element.querySelector(".hover")!;
    this.hover.hidden = true; // of the run before
    this.low = run.start;
    this.high = run.end > run.start ? run.end : run.start + 1;
    const { signal } = this.abort;
    element.addEventListener("wheel", (e) => this.wheel(e), { passive: false, signal });
    element.addEventListener("pointerdown", (e) => this.down(e), { signal });
    element.addEventListener("pointermove", (e) => this.move(e), { signal });
    for (const name of ["pointerup", "pointercancel"] as const)
      element.addEventListener(name, (e) => this.pointers.delete(e.pointerId), { signal });
    element.addEventListener("pointerleave", () => (this.hover.hidden = true), { signal });
    element.addEventListener("dblclick", () => this.zoomOut(), { signal });
  }

  dispose(): void {
    this.abort.abort();
  }

  invalidate(theme: Theme = this.theme): void {
    this.theme = theme;
    this.outdated = true;
  }

  private get span(): number {
    return this.high - this.low;
  }

  private timeAt(clientX: number): number {
    const box = this.element.getBoundingClientRect();
    return this.low + (this.span * (clientX - box.left)) / box.width;
  }

  zoomOut(): void {
    this.low = this.run.start;
    this.high = this.run.end > this.run.start ? this.run.end : this.run.start + 1;
    this.outdated = true;
  }

  /** Shows a part of the run. */
  show(low: number, high: number): void {
    this.low = Math.max(low, this.run.start);
    this.high = Math.max(Math.min(high, this.run.end), this.low + 1e-8);
    this.shift(0);
  }

  /** Changes the visible part by a factor about a time. */
  zoom(factor: number, about: number): void {
    const all = Math.max(this.run.end - this.run.start, 1e-12);
    const span = Math.min(Math.max(this.span * factor, Math.max(1e-8, 1e-12 * Math.abs(about))), all);
    this.low = about - ((about - this.low) / this.span) * span;
    this.high = this.low + span;
    this.shift(0);
  }

  /** Moves the visible part. */
  private shift(by: number): void {
    const span = this.span;
    this.low = Math.min(Math.max(this.low + by, this.run.start), Math.max(this.run.end - span, this.run.start));
    this.high = this.low + span;
    this.outdated = true;
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.shift(((e.deltaX || e.deltaY) / this.width) * this.span);
    else this.zoom(Math.exp(0.002 * e.deltaY), this.timeAt(e.clientX));
  }

  private down(e: PointerEvent): void {
    this.element.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, e.clientX);
    this.panning = e.button === 1 || e.shiftKey;
    if (this.pointers.size === 1 && !this.panning) this.seek(e);
  }

  /** Goes to the time under the pointer; a tick within 3 pixels attracts it. */
  private seek(e: PointerEvent): void {
    const time = this.timeAt(e.clientX), near = (3 * this.span) / this.width;
    const { shown } = this.filter, { time: times } = this.run.events;
    let best = -1, bestDistance = near;
    for (let i = this.filter.place(time - near, true), n = 0; i < shown.length && times[shown[i]!]! <= time + near && n < 1000; i++, n++) {
      const distance = Math.abs(times[shown[i]!]! - time);
      if (distance < bestDistance) {
        best = shown[i]!;
        bestDistance = distance;
      }
    }
    if (best >= 0 && e.type === "pointerdown") this.onEvent(best);
    else this.onSeek(time);
  }

  private move(e: PointerEvent): void {
    const before = this.pointers.get(e.pointerId);
    const box = this.element.getBoundingClientRect();
    this.hover.hidden = e.pointerType !== "mouse";
    this.hover.textContent = this.label(this.timeAt(e.clientX));
    this.hover.style.left = `${Math.min(Math.max(e.clientX - box.left + 8, 2), box.width - 90)}px`;
    if (before === undefined) return;
    if (this.pointers.size === 2) {
      const [a, b] = [...this.pointers.entries()];
      const other = a![0] === e.pointerId ? b![1] : a![1];
      const was = Math.abs(before - other), is = Math.abs(e.clientX - other);
      if (was > 5 && is > 5) this.zoom(was / is, this.timeAt(0.5 * (e.clientX + other)));
      this.shift((-0.5 * (e.clientX - before) * this.span) / box.width);
    } else if (this.panning) this.shift((-(e.clientX - before) * this.span) / box.width);
    else this.seek(e);
    this.pointers.set(e.pointerId, e.clientX);
  }

  private label(time: number): string {
    const digits = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(this.span))));
    return time.toFixed(Math.max(digits, 3));
  }

  /** Keeps the time visible while it is played. */
  private followTime(time: number, playing: boolean): void {
    if (!playing || (time >= this.low && time <= this.high)) return;
    this.shift(time - this.low - 0.05 * this.span);
  }

  draw(time: number, playing: boolean): void {
    this.followTime(time, playing);
    const at = ((time - this.low) / this.span) * this.width;
    this.playhead.style.transform = `translateX(${at.toFixed(2)}px)`;
    this.element.setAttribute("aria-valuetext", timeText(time));
    if (!this.outdated) return;
    this.outdated = false;
    const ratio = window.devicePixelRatio || 1;
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    const context = this.canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    this.axisDraw(context);
    this.windowsDraw(context);
    this.lanesDraw(context);
    this.playhead.style.transform = `translateX(${(((time - this.low) / this.span) * this.width).toFixed(2)}px)`;
  }

  private axisDraw(context: CanvasRenderingContext2D): void {
    const style = getComputedStyle(this.element);
    context.fillStyle = style.getPropertyValue("--dim");
    context.strokeStyle = style.getPropertyValue("--line");
    context.font = `10.5px ${style.getPropertyValue("--mono")}`;
    const step = scaleStep((this.span * 76) / this.width), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    context.beginPath();
    for (let i = Math.ceil(this.low / step); i * step <= this.high; i++) {
      const x = Math.round(((i * step - this.low) / this.span) * this.width) + 0.5;
      context.moveTo(x, this.height - AXIS);
      context.lineTo(x, this.height - AXIS + 4);
      context.moveTo(x, 0);
      context.lineTo(x, this.height - AXIS);
      const text = (i * step).toFixed(digits), half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(Math.max(x - half, 2), this.width - 2 * half - 2), this.height - 5);
    }
    context.stroke();
  }

  /** A bar for each window, one below the other. */
  private windowsDraw(context: CanvasRenderingContext2D): void {
    const height = (this.height - AXIS) / Math.max(this.windows.length, 1);
    context.fillStyle = getComputedStyle(this.element).getPropertyValue("--accent");
    context.globalAlpha = 0.35;
    this.windows.forEach(({ low, high }, row) => {
      const [x, end] = [low, high].map((t) => ((t - this.low) / this.span) * this.width) as [number, number];
      context.fillRect(x - 0.5, row * height + 1, end - x + 1, Math.max(height - 1, 1));
    });
    context.globalAlpha = 1;
  }

  private lanesDraw(context: CanvasRenderingContext2D): void {
    const kinds = this.filter.kinds.filter((k) => !this.filter.hidden.has(k.kind.id));
    const lane = new Int32Array(256).fill(-1);
    kinds.forEach((k, i) => (lane[k.kind.id] = i));
    const columns = Math.ceil(this.width), counts = kinds.map(() => new Uint32Array(columns + 1));
    const { time, kind } = this.run.events, { shown } = this.filter;
    for (let i = this.filter.place(this.low, true); i < shown.length && time[shown[i]!]! <= this.high; i++) {
      const row = lane[kind[shown[i]!]!]!;
      if (row >= 0) counts[row]![Math.round(((time[shown[i]!]! - this.low) / this.span) * this.width)]!++;
    }
    const top = 5, height = (this.height - AXIS - top - 2) / Math.max(kinds.length, 1);
    kinds.forEach(({ kind: k }, row) => {
      context.fillStyle = k[this.theme];
      const full = Math.min(height - 2, 30), y = top + row * height + 0.5 * (height - full);
      const most = counts[row]!.reduce((a, b) => Math.max(a, b), 1), scale = Math.log(1 + most);
      counts[row]!.forEach((n, x) => {
        if (n === 0) return;
        const part = most > 1 ? 0.45 + 0.55 * (Math.log(1 + n) / scale) : 1;
        context.globalAlpha = most > 1 ? 0.5 + 0.5 * (Math.log(1 + n) / scale) : 0.95;
        context.fillRect(x - 0.5, y + full * (1 - part) * 0.5, 1.5, full * part);
      });
      context.globalAlpha = 1;
    });
  }
}
