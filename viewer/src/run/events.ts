// Kinds of events, and searching among the events of a run.

import { KINDS, NONE, type Run } from "./decode";

export interface EventKind {
  id: number;
  name: string;
  /** in sentences: "a KIND b" */
  meaning: string;
  /** colours on dark and on light */
  dark: string;
  light: string;
}

export const EVENT_KINDS: EventKind[] = [
  { id: KINDS.touch, name: "touch", meaning: "two bodies touch", dark: "#ffb454", light: "#c2610c" },
  { id: KINDS.begin, name: "begin", meaning: "a persistent contact begins", dark: "#5ad1a0", light: "#0d8a5b" },
  { id: KINDS.end, name: "end", meaning: "a persistent contact ends", dark: "#7f8ea3", light: "#5c6a7d" },
  { id: KINDS.sleep, name: "sleep", meaning: "a body falls asleep", dark: "#7c9cff", light: "#3f5fd0" },
  { id: KINDS.wake, name: "wake", meaning: "a body wakes", dark: "#d58bff", light: "#8d35c2" },
  { id: KINDS.crushed, name: "crushed", meaning: "kinematic bodies leave no room", dark: "#ff5d6c", light: "#c81e34" },
  { id: KINDS.vertexFace, name: "vertex-face", meaning: "a vertex touches a face", dark: "#ffb454", light: "#c2610c" },
  { id: KINDS.edgeEdge, name: "edge-edge", meaning: "two edges touch", dark: "#4fc3f7", light: "#0277a8" },
  { id: KINDS.intersection, name: "intersection", meaning: "two faces intersect", dark: "#ff5d6c", light: "#c81e34" },
  { id: KINDS.segment, name: "segment", meaning: "closest points, a contact, or an intersection", dark: "#5ad1a0", light: "#0d8a5b" },
];

export function kindOf(id: number): EventKind {
  return EVENT_KINDS.find((k) => k.id === id) ?? { id, name: `kind ${id}`, meaning: "", dark: "#aaa", light: "#555" };
}

/** The events of the kinds that are shown. */
export class EventFilter {
  /** by kind: hidden */
  readonly hidden = new Set<number>();
  /** numbers of the events shown, in order of time */
  shown: Uint32Array = new Uint32Array(0);
  /** kinds that occur, with their numbers of events */
  readonly kinds: { kind: EventKind; count: number }[] = [];

  constructor(private readonly run: Run) {
    const counts = new Map<number, number>();
    for (const kind of run.events.kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const kind of EVENT_KINDS)
      if (counts.has(kind.id)) this.kinds.push({ kind, count: counts.get(kind.id)! });
    this.update();
  }

  toggle(kind: number): void {
    if (!this.hidden.delete(kind)) this.hidden.add(kind);
    this.update();
  }

  private update(): void {
    const { count, kind } = this.run.events;
    const shown = new Uint32Array(count);
    let n = 0;
    for (let i = 0; i < count; i++) if (!this.hidden.has(kind[i]!)) shown[n++] = i;
    this.shown = shown.slice(0, n);
  }

  /** The place in `shown` of the first event after `time`, or at it. */
  place(time: number, at: boolean): number {
    let low = 0, high = this.shown.length;
    while (low < high) {
      const middle = (low + high) >> 1, t = this.run.events.time[this.shown[middle]!]!;
      if (t < time || (!at && t === time)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What an event says, for people. */
export function eventTitle(run: Run, event: number): string {
  const a = run.events.bodies[2 * event]!, b = run.events.bodies[2 * event + 1]!, f = run.events.features;
  const kind = run.events.kind[event]!;
  if (kind === KINDS.vertexFace) return `vertex ${f[4 * event]} · face ${f[4 * event + 1]}`;
  if (kind === KINDS.edgeEdge)
    return `edge ${f[4 * event]}–${f[4 * event + 1]} · edge ${f[4 * event + 2]}–${f[4 * event + 3]}`;
  if (kind === KINDS.intersection && f[4 * event] !== NONE && a === b)
    return `face ${f[4 * event + 1]} · face ${f[4 * event + 3]}`;
  const name = (body: number): string => run.bodies[body]?.name ?? "removed";
  return b === NONE ? name(a) : `${name(a)} · ${name(b)}`;
}
