// Reads a run: see docs/run_format.md.

export const NONE = 0xffffffff;

export const KINDS = {
  touch: 1,
  begin: 2,
  end: 3,
  sleep: 4,
  wake: 5,
  crushed: 6,
  vertexFace: 7,
  edgeEdge: 8,
  intersection: 9,
  segment: 10,
} as const;

export interface RunShape {
  info: { type: string; [key: string]: unknown };
  positions: Float32Array;
  indices: Uint32Array;
  leaves: Uint32Array;
  faces: Uint32Array;
}

export interface RunBody {
  name: string;
  shape: number;
  mass: number;
  /** x axis, y axis, z axis, origin */
  transform: Float64Array;
}

/** Motions of all bodies. A motion is a record of MOTION_SIZE numbers; see the offsets below. */
export interface Motions {
  /** body b has the motions order[first[b]] to order[first[b + 1] - 1] */
  first: Uint32Array;
  order: Uint32Array;
  time: Float64Array;
  values: Float64Array;
}

export const MOTION_SIZE = 19;
export const ORIGIN = 0;
export const ROTATION = 3;
export const VELOCITY = 7;
export const ACCELERATION = 10;
export const SPIN = 13;
export const PIVOT = 16;

export interface Events {
  count: number;
  time: Float64Array;
  kind: Uint8Array;
  hasPoint: Uint8Array;
  /** two of each event */
  bodies: Uint32Array;
  /** point, normal, speed */
  points: Float32Array;
  /** four of each event */
  features: Uint32Array;
}

export interface KeyFrame {
  time: number;
  positions: Float32Array;
}

export interface ContactSample {
  time: number;
  count: number;
  bodies: Uint32Array;
  /** point, normal, impulse */
  points: Float32Array;
}

export interface Run {
  title: string;
  command: string;
  program: string;
  start: number;
  end: number;
  shapes: RunShape[];
  bodies: RunBody[];
  motions: Motions;
  events: Events;
  /** by body */
  keys: Map<number, KeyFrame[]>;
  contacts: ContactSample[];
  bytes: number;
}

export class RunError extends Error {}

const FIELD = { position: 1, rotation: 2, velocity: 4, acceleration: 8, spin: 16, pivot: 32 } as const;

/** Reads columns from a block, one after the other. */
class Cursor {
  constructor(
    private readonly buffer: ArrayBuffer,
    public at: number,
    private readonly end: number,
  ) {}

  private take(bytes: number): number {
    const from = this.at;
    if (bytes > this.end - from) throw new RunError("a block is too short");
    this.at += bytes;
    return from;
  }
  f64(count: number): Float64Array {
    return new Float64Array(this.buffer, this.take(8 * count), count);
  }
  f32(count: number): Float32Array {
    return new Float32Array(this.buffer, this.take(4 * count), count);
  }
  u32(count: number): Uint32Array {
    return new Uint32Array(this.buffer, this.take(4 * count), count);
  }
  json(bytes: number): unknown {
    const text = new TextDecoder().decode(new Uint8Array(this.buffer, this.take(bytes), bytes));
    return JSON.parse(text) as unknown;
  }
}

interface MotionBlock {
  time: Float64Array;
  wide: Float64Array;
  body: Uint32Array;
  fields: Uint32Array;
  narrow: Float32Array;
}

interface EventBlock {
  time: Float64Array;
  kind: Uint32Array;
  bodies: Uint32Array;
  points: Float32Array;
  features: Uint32Array;
}

/** Rotates the quaternion at q by exp([w] s), in place. */
export function turn(values: Float64Array, q: number, wx: number, wy: number, wz: number, s: number): void {
  const speed = Math.hypot(wx, wy, wz);
  const half = 0.5 * speed * s;
  if (half === 0) return;
  const k = Math.sin(half) / speed;
  const ax = k * wx, ay = k * wy, az = k * wz, aw = Math.cos(half);
  const bx = values[q]!, by = values[q + 1]!, bz = values[q + 2]!, bw = values[q + 3]!;
  values[q] = aw * bx + ax * bw + ay * bz - az * by;
  values[q + 1] = aw * by - ax * bz + ay * bw + az * bx;
  values[q + 2] = aw * bz + ax * by - ay * bx + az * bw;
  values[q + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

function normalize(values: Float64Array, q: number): void {
  const length = Math.hypot(values[q]!, values[q + 1]!, values[q + 2]!, values[q + 3]!);
  for (let i = 0; i < 4; i++) values[q + i]! /= length;
}

/** Fills in what the writer has left out: each motion continues the one before. */
function motionsBuild(blocks: MotionBlock[], bodyCount: number): Motions {
  let total = 0;
  for (const block of blocks) total += block.time.length;
  const first = new Uint32Array(bodyCount + 1);
  const order = new Uint32Array(total);
  const time = new Float64Array(total);
  const values = new Float64Array(total * MOTION_SIZE);
  const last = new Int32Array(bodyCount).fill(-1);
  const body = new Uint32Array(total);
  let n = 0;
  for (const block of blocks) {
    let wide = 0, narrow = 0;
    for (let i = 0; i < block.time.length; i++, n++) {
      const b = block.body[i]!, fields = block.fields[i]!, t = block.time[i]!, at = n * MOTION_SIZE;
      if (b >= bodyCount) throw new RunError("a motion names a body that does not exist");
      body[n] = b;
      time[n] = t;
      first[b + 1]!++;
      const before = last[b]!;
      if (before >= 0) {
        const from = before * MOTION_SIZE, s = t - time[before]!;
        for (let k = 0; k < 3; k++) {
          values[at + ORIGIN + k] =
            values[from + ORIGIN + k]! + s * (values[from + VELOCITY + k]! + 0.5 * s * values[from + ACCELERATION + k]!);
          values[at + ACCELERATION + k] = values[from + ACCELERATION + k]!;
          values[at + PIVOT + k] = values[from + PIVOT + k]!;
        }
        for (let k = 0; k < 4; k++) values[at + ROTATION + k] = values[from + ROTATION + k]!;
        turn(values, at + ROTATION, values[from + SPIN]!, values[from + SPIN + 1]!, values[from + SPIN + 2]!, s);
        normalize(values, at + ROTATION);
      } else {
        values[at + ROTATION + 3] = 1;
      }
      last[b] = n;
      if (fields & FIELD.position) for (let k = 0; k < 3; k++) values[at + ORIGIN + k] = block.wide[wide++]!;
      if (fields & FIELD.pivot) for (let k = 0; k < 3; k++) values[at + PIVOT + k] = block.wide[wide++]!;
      if (fields & FIELD.rotation) {
        for (let k = 0; k < 4; k++) values[at + ROTATION + k] = block.narrow[narrow++]!;
        normalize(values, at + ROTATION);
      }
      if (fields & FIELD.velocity) for (let k = 0; k < 3; k++) values[at + VELOCITY + k] = block.narrow[narrow++]!;
      if (fields & FIELD.acceleration) for (let k = 0; k < 3; k++) values[at + ACCELERATION + k] = block.narrow[narrow++]!;
      if (fields & FIELD.spin) for (let k = 0; k < 3; k++) values[at + SPIN + k] = block.narrow[narrow++]!;
    }
  }
  for (let b = 0; b < bodyCount; b++) first[b + 1]! += first[b]!;
  const next = first.slice();
  for (let i = 0; i < total; i++) order[next[body[i]!]!++] = i;
  return { first, order, time, values };
}

function eventsBuild(blocks: EventBlock[]): Events {
  let count = 0;
  for (const block of blocks) count += block.time.length;
  const events: Events = {
    count,
    time: new Float64Array(count),
    kind: new Uint8Array(count),
    hasPoint: new Uint8Array(count),
    bodies: new Uint32Array(2 * count),
    points: new Float32Array(7 * count),
    features: new Uint32Array(4 * count),
  };
  let n = 0;
  for (const block of blocks) {
    events.time.set(block.time, n);
    for (let i = 0; i < block.time.length; i++) {
      events.kind[n + i] = block.kind[i]! & 0xff;
      events.hasPoint[n + i] = (block.kind[i]! >> 8) & 1;
    }
    events.bodies.set(block.bodies, 2 * n);
    events.points.set(block.points, 7 * n);
    events.features.set(block.features, 4 * n);
    n += block.time.length;
  }
  return events;
}

interface Header {
  title: string;
  command: string;
  program: string;
  start: number;
  end: number;
}

export function decodeRun(buffer: ArrayBuffer): Run {
  const view = new DataView(buffer);
  const magic = "tactrun\n";
  if (buffer.byteLength < 16 || [...magic].some((c, i) => view.getUint8(i) !== c.charCodeAt(0)))
    throw new RunError("this is not a run");
  if (view.getUint32(8, true) !== 1) throw new RunError("this run has another version of the format");
  const head = new Cursor(buffer, 16, buffer.byteLength);
  const header = head.json(view.getUint32(12, true)) as Header;
  const shapes: RunShape[] = [], bodies: RunBody[] = [], contacts: ContactSample[] = [];
  const motions: MotionBlock[] = [], events: EventBlock[] = [];
  const keys = new Map<number, KeyFrame[]>();
  let done = false;
  for (let at = head.at; !done; ) {
    if (at + 16 > buffer.byteLength) throw new RunError("this run is incomplete");
    const type = String.fromCharCode(...new Uint8Array(buffer, at, 4));
    const count = view.getUint32(at + 4, true);
    const size = view.getUint32(at + 8, true) + 2 ** 32 * view.getUint32(at + 12, true);
    const block = new Cursor(buffer, at + 16, at + 16 + size);
    at += 16 + size;
    if (at > buffer.byteLength) throw new RunError("this run is incomplete");
    if (type === "SHAP") {
      const [jsonSize, vertices] = block.u32(2) as unknown as [number, number];
      shapes.push({
        info: block.json(jsonSize) as RunShape["info"],
        positions: block.f32(3 * vertices),
        indices: block.u32(3 * count),
        leaves: block.u32(count),
        faces: block.u32(count),
      });
    } else if (type === "BODY") {
      const list = block.json(block.u32(2)[0]!) as { name: string; shape: number; mass: number }[];
      for (const body of list) bodies.push({ ...body, transform: block.f64(12) });
    } else if (type === "MOTN") {
      const [wide, narrow] = block.u32(2) as unknown as [number, number];
      motions.push({
        time: block.f64(count),
        wide: block.f64(wide),
        body: block.u32(count),
        fields: block.u32(count),
        narrow: block.f32(narrow),
      });
    } else if (type === "EVNT") {
      events.push({
        time: block.f64(count),
        kind: block.u32(count),
        bodies: block.u32(2 * count),
        points: block.f32(7 * count),
        features: block.u32(4 * count),
      });
    } else if (type === "KEYS") {
      const time = block.f64(1)[0]!, body = block.u32(2)[0]!;
      const list = keys.get(body) ?? [];
      list.push({ time, positions: block.f32(3 * count) });
      keys.set(body, list);
    } else if (type === "CONT") {
      contacts.push({ time: block.f64(1)[0]!, count, bodies: block.u32(2 * count), points: block.f32(7 * count) });
    }
    done = type === "DONE";
  }
  return {
    ...header,
    shapes,
    bodies,
    motions: motionsBuild(motions, bodies.length),
    events: eventsBuild(events),
    keys,
    contacts,
    bytes: buffer.byteLength,
  };
}

/** The bytes of base64 text. */
export function base64Decode(text: string): ArrayBuffer {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}
