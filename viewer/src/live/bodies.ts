// The bodies of the page: flat shapes that move in the plane z = 0. To the server they are solids that are long in z, so that
// contacts push them apart within the plane.

import type { Vec } from "./protocol";

export type Point = [number, number];

/** Half the length in z: more than any overlap in the plane. */
const HALF = 50;

export interface Body {
  name: string;
  x: number;
  y: number;
  angle: number;
  /** For the picture and the pointer: convex polygons around the origin, each rounded by `round`. */
  parts: Point[][];
  round: number;
  shape: Record<string, unknown>;
}

const prism = (points: Point[]): Record<string, unknown> => ({
  type: "hull",
  points: points.flatMap(([x, y]): Vec[] => [[x, y, -HALF], [x, y, HALF]]),
});

const regular = (n: number, r: number, start = Math.PI / 2): Point[] =>
  Array.from({ length: n }, (_, i): Point => [r * Math.cos(start + (2 * Math.PI * i) / n), r * Math.sin(start + (2 * Math.PI * i) / n)]);

const rectangle = (x0: number, y0: number, x1: number, y1: number): Point[] => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];

const turned = (points: Point[], angle: number): Point[] =>
  points.map(([x, y]): Point => [Math.cos(angle) * x - Math.sin(angle) * y, Math.sin(angle) * x + Math.cos(angle) * y]);

function make(name: string, x: number, y: number, parts: Point[][], round = 0, angle = 0): Body {
  const convex = parts.map((points) => ({ ...prism(points), ...(round > 0 ? { margin: round } : {}) }));
  return { name, x, y, angle, parts, round, shape: convex.length === 1 ? convex[0]! : { type: "compound", parts: convex } };
}

/** The bodies; `upright`: for a window that is higher than wide. */
export function bodiesMake(upright: boolean): Body[] {
  const all = [
    make("disc", -4.6, 1.6, [[[0, 0]]], 1),
    make("triangle", 0.4, 2.4, [regular(3, 1.3)]),
    make("square", 3.6, 1.9, [rectangle(-1, -1, 1, 1)], 0, 0.3),
    make("pentagon", -2.2, -1.7, [regular(5, 1.15)]),
    make("pill", -1.5, 1.1, [[[-0.9, 0], [0.9, 0]]], 0.5, 0.7),
    make("L", 1.8, -1.2, [rectangle(-0.4, -1.2, 0.4, 1.2), rectangle(0.4, -1.2, 1.5, -0.4)], 0, 0.15),
    make("stone", 4.9, -1.9, [[[-0.5, -0.4], [0.6, -0.5], [0.7, 0.4], [-0.3, 0.6]]], 0.3),
    make("star", -4.9, -2.1, [0, 1, 2].map((i) => turned(rectangle(-1.3, -0.22, 1.3, 0.22), (i * Math.PI) / 3))),
  ];
  if (upright) for (const b of all) [b.x, b.y] = [b.y, -b.x];
  return all;
}

export const place = (b: Body): Record<string, unknown> => ({
  translate: [b.x, b.y, 0],
  rotate: [0, 0, Math.sin(b.angle / 2), Math.cos(b.angle / 2)],
});

/** The distance of a point of the plane from a convex polygon (one point and two points included); 0 inside. */
function polygonDistance(points: Point[], x: number, y: number): number {
  let best = Infinity, inside = points.length > 2;
  for (const [i, [ax, ay]] of points.entries()) {
    const [bx, by] = points[(i + 1) % points.length]!;
    const ex = bx - ax, ey = by - ay;
    const t = Math.max(0, Math.min(1, ((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey || 1)));
    best = Math.min(best, Math.hypot(x - ax - t * ex, y - ay - t * ey));
    if (ex * (y - ay) - ey * (x - ax) < 0) inside = false;
  }
  return inside ? 0 : best;
}

/** The distance of a point from a body as it is drawn. */
export function bodyDistance(b: Body, x: number, y: number): number {
  const c = Math.cos(b.angle), s = Math.sin(b.angle);
  const lx = c * (x - b.x) + s * (y - b.y), ly = c * (y - b.y) - s * (x - b.x);
  return Math.max(0, Math.min(...b.parts.map((part) => polygonDistance(part, lx, ly))) - b.round);
}
