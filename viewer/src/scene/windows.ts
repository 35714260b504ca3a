// Windows of time: when the moving boxes of two nodes overlap (docs/architecture.md, moving bounds). A moving box is given
// at both ends of a piece of motion and is linear in between: it contains the vertices of its node throughout the piece.

import { KINDS, MOTION_SIZE, NONE, ORIGIN, PIVOT, ROTATION, SPIN, VELOCITY, ACCELERATION, turn, type Run } from "../run/decode";
import type { BoxTree } from "./tree";

/** The window of the nodes of one level above the two features of an event. */
export interface TimeWindow {
  level: number;
  /** the piece of motion */
  start: number;
  end: number;
  /** the window: times within the piece */
  low: number;
  high: number;
  /** moving boxes: low and high x, y, z at the start, then at the end */
  a: Float64Array;
  b: Float64Array;
}

/** A moving box at a time of its piece. */
export function boxAt(window: TimeWindow, box: Float64Array, time: number, to: Float64Array): Float64Array {
  const span = window.end - window.start, s = span > 0 ? Math.min(Math.max((time - window.start) / span, 0), 1) : 0;
  for (let k = 0; k < 6; k++) to[k] = (1 - s) * box[k]! + s * box[6 + k]!;
  return to;
}

/** The part of [0, 1] in which two moving boxes overlap; null: they never do. */
export function overlapWindow(a: Float64Array, b: Float64Array): [number, number] | null {
  let low = 0, high = 1;
  for (let axis = 0; axis < 3; axis++)
    for (const [p, q] of [[a, b], [b, a]] as const) {
      // p's low minus q's high: not positive where they overlap
      const from = p[axis]! - q[axis + 3]!, to = p[axis + 6]! - q[axis + 9]!;
      if (from > 0 && to > 0) return null;
      if (from > 0) low = Math.max(low, from / (from - to));
      else if (to > 0) high = Math.min(high, from / (from - to));
    }
  return low <= high ? [low, high] : null;
}

/** A piece of motion of a body around a time: where its vertices are at the ends, and how far they are at most from the
 * straight line in between. */
interface Piece {
  start: number;
  end: number;
  /** the ends are set; then `position` gives a vertex at the start or the end, into `to` */
  prepare(start: number, end: number): void;
  position(vertex: number, atEnd: boolean, to: Float64Array): void;
  bulge: number;
}

function keysPiece(run: Run, body: number, time: number): Piece {
  const keys = run.keys.get(body)!;
  let i = 0;
  while (i + 2 < keys.length && keys[i + 1]!.time < time) i++;
  const p = keys[i]!, q = keys[Math.min(i + 1, keys.length - 1)]!, s: [number, number] = [0, 1];
  return {
    start: p.time,
    end: q.time,
    bulge: 0,
    prepare(start, end) {
      const span = q.time - p.time;
      if (span > 0) [s[0], s[1]] = [(start - p.time) / span, (end - p.time) / span];
    },
    position(vertex, atEnd, to) {
      const t = s[atEnd ? 1 : 0];
      for (let k = 0; k < 3; k++) to[k] = (1 - t) * p.positions[3 * vertex + k]! + t * q.positions[3 * vertex + k]!;
    },
  };
}

/** Pieces of rigid motions are at most as long as a chord that is off by this part of the radius. */
const CHORD = 0.05;

function rigidPiece(run: Run, body: number, time: number): Piece {
  const { first, order, time: times, values } = run.motions, { transform, shape } = run.bodies[body]!;
  const { positions } = run.shapes[shape]!;
  let place = first[body]!;
  while (place + 1 < first[body + 1]! && times[order[place + 1]!]! < time) place++;
  const motion = place < first[body + 1]! ? order[place]! : -1, v = motion * MOTION_SIZE;
  const start = motion < 0 ? run.start : times[motion]!;
  const end = motion >= 0 && place + 1 < first[body + 1]! ? times[order[place + 1]!]! : run.end;
  const value = (k: number): number => (motion < 0 ? 0 : values[v + k]!);
  const local = (vertex: number, to: Float64Array): void => {
    for (let k = 0; k < 3; k++)
      to[k] = [0, 1, 2].reduce((sum, c) => sum + transform[3 * c + k]! * (positions[3 * vertex + c]! - value(PIVOT + c)), 0);
  };
  const at = new Float64Array(3);
  let radius = 0;
  for (let i = 0; i < positions.length / 3; i++) {
    local(i, at);
    radius = Math.max(radius, Math.hypot(at[0]!, at[1]!, at[2]!));
  }
  const spin = Math.hypot(value(SPIN), value(SPIN + 1), value(SPIN + 2));
  // |x''| of a vertex
  const curvature = Math.hypot(value(ACCELERATION), value(ACCELERATION + 1), value(ACCELERATION + 2)) + spin * spin * radius;
  const longest = curvature > 0 ? Math.sqrt((8 * CHORD * radius) / curvature) : Infinity;
  const ends = [start, end];
  return {
    start: Math.max(start, time - longest / 2),
    end: Math.min(end, time + longest / 2),
    bulge: 0,
    prepare(from, to) {
      [ends[0], ends[1]] = [from, to];
      this.bulge = (curvature * (to - from) ** 2) / 8;
    },
    position(vertex, atEnd, to) {
      const s = ends[atEnd ? 1 : 0]! - start;
      local(vertex, at);
      if (motion < 0) {
        for (let k = 0; k < 3; k++) to[k] = at[k]! + transform[9 + k]!;
        return;
      }
      const q = values.slice(v + ROTATION, v + ROTATION + 4);
      turn(q, 0, value(SPIN), value(SPIN + 1), value(SPIN + 2), s);
      const [x, y, z, w] = q as unknown as [number, number, number, number], [p0, p1, p2] = at as unknown as [number, number, number];
      // p + 2 w (u x p) + 2 u x (u x p)
      const cx = 2 * (y * p2 - z * p1), cy = 2 * (z * p0 - x * p2), cz = 2 * (x * p1 - y * p0);
      const turned = [p0 + w * cx + y * cz - z * cy, p1 + w * cy + z * cx - x * cz, p2 + w * cz + x * cy - y * cx];
      for (let k = 0; k < 3; k++)
        to[k] = value(ORIGIN + k) + s * (value(VELOCITY + k) + 0.5 * s * value(ACCELERATION + k)) + turned[k]!;
    },
  };
}

/** The triangles of the two features of an event; -1: none, then the body as a whole. */
function trianglesOf(run: Run, event: number, bodies: [number, number]): [number, number] {
  const { kind, features } = run.events, f = features.subarray(4 * event, 4 * event + 4);
  const shapeOf = (k: 0 | 1) => run.shapes[run.bodies[bodies[k]]!.shape]!;
  const having = (k: 0 | 1, vertices: number[]): number => {
    const { indices } = shapeOf(k);
    for (let t = 0; t < indices.length / 3; t++)
      if (vertices.every((v) => [0, 1, 2].some((c) => indices[3 * t + c] === v))) return t;
    return -1;
  };
  const face = (k: 0 | 1, leaf: number, number: number): number => {
    const { faces, leaves } = shapeOf(k);
    return faces.findIndex((x, t) => x === number && leaves[t] === leaf);
  };
  if (kind[event] === KINDS.vertexFace) return [having(0, [f[0]!]), face(1, 0, f[1]!)];
  if (kind[event] === KINDS.edgeEdge) return [having(0, [f[0]!, f[1]!]), having(1, [f[2]!, f[3]!])];
  return [face(0, f[0]!, f[1]!), face(1, f[2]!, f[3]!)];
}

/** The windows of an event, from the roots of both trees down to the leaves with its features; each one lies within that
 * before. Empty if the event has no two bodies, or one without vertices. */
export function windowsOf(run: Run, event: number, treeOf: (shape: number) => BoxTree): TimeWindow[] {
  const a = run.events.bodies[2 * event]!, time = run.events.time[event]!;
  const isFeature = run.events.kind[event] === KINDS.vertexFace || run.events.kind[event] === KINDS.edgeEdge;
  const b = run.events.bodies[2 * event + 1] === NONE && isFeature ? a : run.events.bodies[2 * event + 1]!;
  const bodies: [number, number] = [a, b];
  if (run.end === run.start || bodies.some((body) => !(run.shapes[run.bodies[body]?.shape ?? NONE]?.positions.length))) return [];
  const pieces = bodies.map((body) => (run.keys.has(body) ? keysPiece(run, body, time) : rigidPiece(run, body, time)));
  const start = Math.max(pieces[0]!.start, pieces[1]!.start), end = Math.min(pieces[0]!.end, pieces[1]!.end);
  if (!(end > start)) return [];
  pieces.forEach((piece) => piece.prepare(start, end));
  const triangles = trianglesOf(run, event, bodies);
  const paths = bodies.map((body, k) => {
    const tree = treeOf(run.bodies[body]!.shape);
    return { tree, nodes: triangles[k]! >= 0 ? tree.path(triangles[k]!) : tree.levels.slice(0, 1).map((nodes) => nodes[0]!) };
  });
  const point = new Float64Array(3);
  const movingBox = (k: number, level: number): Float64Array => {
    const { tree, nodes } = paths[k]!, piece = pieces[k]!, box = new Float64Array(12);
    const node = nodes[Math.min(level, nodes.length - 1)]!;
    for (const [at, atEnd] of [[0, false], [6, true]] as const) {
      box.fill(Infinity, at, at + 3).fill(-Infinity, at + 3, at + 6);
      tree.corners(node[0], node[1], (v) => {
        piece.position(v, atEnd, point);
        for (let axis = 0; axis < 3; axis++) {
          box[at + axis] = Math.min(box[at + axis]!, point[axis]! - piece.bulge);
          box[at + axis + 3] = Math.max(box[at + axis + 3]!, point[axis]! + piece.bulge);
        }
      });
    }
    return box;
  };
  const found: TimeWindow[] = [];
  for (let level = 0; level < Math.max(paths[0]!.nodes.length, paths[1]!.nodes.length); level++) {
    const boxes = [movingBox(0, level), movingBox(1, level)] as const;
    const window = overlapWindow(...boxes);
    if (!window) break; // rounding of floats at the instant of a contact
    const [low, high] = window.map((s) => start + s * (end - start)) as [number, number];
    found.push({ level, start, end, low, high, a: boxes[0], b: boxes[1] });
  }
  return found;
}
