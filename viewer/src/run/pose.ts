// Where bodies and vertices are at a time: evaluated from their motions, in doubles.

import { ACCELERATION, type KeyFrame, type Run, MOTION_SIZE, ORIGIN, PIVOT, ROTATION, SPIN, VELOCITY, turn } from "./decode";

/** The last index in [low, high) whose time is not after `time`; low if there is none. */
function lastNotAfter(timeOf: (i: number) => number, low: number, high: number, time: number): number {
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (timeOf(middle) <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** Matrices of all bodies. `matrices` has 16 numbers a body, column-major as in OpenGL. */
export class Poses {
  readonly matrices: Float64Array;
  /** bodies whose matrix the last call of `evaluate` has changed */
  readonly changed: Uint32Array;
  changedCount = 0;
  private readonly current: Int32Array;
  private readonly turning: Uint8Array;
  private readonly moving: Uint8Array;
  /** until when the motion holds, and its place in the list of motions */
  private readonly until: Float64Array;
  private readonly place: Uint32Array;
  private readonly quaternion = new Float64Array(4);

  constructor(private readonly run: Run) {
    const count = run.bodies.length;
    this.matrices = new Float64Array(16 * count);
    this.changed = new Uint32Array(count);
    this.current = new Int32Array(count).fill(-2);
    this.turning = new Uint8Array(count);
    this.moving = new Uint8Array(count);
    this.until = new Float64Array(count);
    this.place = new Uint32Array(count);
  }

  /** Whether the body moves at the time last evaluated. */
  moves(body: number): boolean {
    return this.moving[body] !== 0;
  }

  /** The number of the motion of a body at the time last evaluated; negative: it has none. */
  motionOf(body: number): number {
    return this.current[body]!;
  }

  /** The next call of `evaluate` changes all bodies. */
  invalidate(): void {
    this.current.fill(-2);
  }

  evaluate(time: number): void {
    this.changedCount = 0;
    for (let b = 0; b < this.current.length; b++) this.bodyEvaluate(b, time);
  }

  /** The motion of a body at a time, and until when it holds; -1: it has none. */
  private motionFind(body: number, time: number): number {
    const { first, order, time: times } = this.run.motions;
    const low = first[body]!, high = first[body + 1]!;
    this.until[body] = Infinity;
    if (low === high) return -1;
    // usually it is the next one
    let i = this.place[body]! + 1;
    if (!(i > low && i < high && times[order[i]!]! <= time && !(i + 1 < high && times[order[i + 1]!]! <= time)))
      i = lastNotAfter((k) => times[order[k]!]!, low, high, time);
    this.place[body] = i;
    if (i + 1 < high) this.until[body] = times[order[i + 1]!]!;
    return order[i]!;
  }

  private bodyEvaluate(body: number, time: number): void {
    const { time: times, values } = this.run.motions;
    let motion = this.current[body]!;
    if (motion === -2 || (motion >= 0 && !(times[motion]! <= time && time < this.until[body]!)))
      motion = this.motionFind(body, time);
    if (motion === this.current[body] && !this.moving[body]) return;
    this.changed[this.changedCount++] = body;
    const m = this.matrices, at = 16 * body;
    if (motion < 0) {
      const from = this.run.bodies[body]!.transform;
      for (let column = 0; column < 4; column++)
        for (let row = 0; row < 3; row++) m[at + 4 * column + row] = from[3 * column + row]!;
      m[at + 15] = 1;
      this.current[body] = motion;
      return;
    }
    const v = motion * MOTION_SIZE;
    if (motion !== this.current[body]) {
      this.current[body] = motion;
      this.turning[body] = values[v + SPIN] !== 0 || values[v + SPIN + 1] !== 0 || values[v + SPIN + 2] !== 0 ? 1 : 0;
      let still = this.turning[body] === 0;
      for (let k = 0; k < 3; k++) still = still && values[v + VELOCITY + k] === 0 && values[v + ACCELERATION + k] === 0;
      this.moving[body] = still ? 0 : 1;
      this.linearSet(body, v, time - times[motion]!);
    } else if (this.turning[body]) {
      this.linearSet(body, v, time - times[motion]!);
    }
    const s = time - times[motion]!;
    const qx = values[v + PIVOT]!, qy = values[v + PIVOT + 1]!, qz = values[v + PIVOT + 2]!;
    for (let row = 0; row < 3; row++)
      m[at + 12 + row] =
        values[v + ORIGIN + row]! +
        s * (values[v + VELOCITY + row]! + 0.5 * s * values[v + ACCELERATION + row]!) -
        (m[at + row]! * qx + m[at + 4 + row]! * qy + m[at + 8 + row]! * qz);
    m[at + 15] = 1;
  }

  /** The linear part: exp([spin] s) R M. */
  private linearSet(body: number, v: number, s: number): void {
    const { values } = this.run.motions, q = this.quaternion;
    for (let k = 0; k < 4; k++) q[k] = values[v + ROTATION + k]!;
    turn(q, 0, values[v + SPIN]!, values[v + SPIN + 1]!, values[v + SPIN + 2]!, s);
    const x = q[0]!, y = q[1]!, z = q[2]!, w = q[3]!;
    const r00 = 1 - 2 * (y * y + z * z), r01 = 2 * (x * y - z * w), r02 = 2 * (x * z + y * w);
    const r10 = 2 * (x * y + z * w), r11 = 1 - 2 * (x * x + z * z), r12 = 2 * (y * z - x * w);
    const r20 = 2 * (x * z - y * w), r21 = 2 * (y * z + x * w), r22 = 1 - 2 * (x * x + y * y);
    const from = this.run.bodies[body]!.transform, m = this.matrices;
    for (let column = 0; column < 3; column++) {
      const a = from[3 * column]!, b = from[3 * column + 1]!, c = from[3 * column + 2]!, at = 16 * body + 4 * column;
      m[at] = r00 * a + r01 * b + r02 * c;
      m[at + 1] = r10 * a + r11 * b + r12 * c;
      m[at + 2] = r20 * a + r21 * b + r22 * c;
    }
  }
}

/** The vertices of a body with key frames at a time. */
export function verticesEvaluate(keys: KeyFrame[], time: number, to: Float32Array): void {
  const i = lastNotAfter((k) => keys[k]!.time, 0, keys.length, time);
  const a = keys[i]!, b = keys[Math.min(i + 1, keys.length - 1)]!;
  const span = b.time - a.time;
  const s = span > 0 ? Math.min(Math.max((time - a.time) / span, 0), 1) : 0;
  const p = a.positions, q = b.positions, r = 1 - s;
  if (s === 0) to.set(p);
  else if (s === 1) to.set(q);
  else for (let k = 0; k < to.length; k++) to[k] = r * p[k]! + s * q[k]!;
}
