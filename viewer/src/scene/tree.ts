// A hierarchy of bounding boxes over the triangles of a shape, to show how boxes get smaller from level to level. Split at
// the median of the longest side. It is made for the picture: the trees of the library differ.

/** Triangles of a leaf. */
const LEAF = 4;

export class BoxTree {
  /** triangles, in the order of the leaves */
  private readonly order: Uint32Array;
  /** nodes of each level: first place in `order` and the place after the last */
  readonly levels: [number, number][][] = [];

  constructor(
    positions: Float32Array,
    private readonly indices: Uint32Array,
  ) {
    const count = indices.length / 3, middles = new Float32Array(indices.length);
    for (let t = 0; t < count; t++)
      for (let k = 0; k < 3; k++)
        middles[3 * t + k] = positions[3 * indices[3 * t]! + k]! + positions[3 * indices[3 * t + 1]! + k]! + positions[3 * indices[3 * t + 2]! + k]!;
    this.order = Uint32Array.from({ length: count }, (_, i) => i);
    let nodes: [number, number][] = count > 0 ? [[0, count]] : [];
    while (nodes.length > 0) {
      this.levels.push(nodes);
      const next: [number, number][] = [];
      let split = false;
      for (const [first, end] of nodes) {
        if (end - first <= LEAF) {
          next.push([first, end]); // leaves stay visible on all levels below
          continue;
        }
        split = true;
        const middle = (first + end) >> 1;
        const axis = this.longest(middles, first, end);
        this.order.subarray(first, end).sort((a, b) => middles[3 * a + axis]! - middles[3 * b + axis]! || a - b);
        next.push([first, middle], [middle, end]);
      }
      if (!split) break;
      nodes = next;
    }
  }

  private longest(middles: Float32Array, first: number, end: number): number {
    let best = 0, bestExtent = -1;
    for (let axis = 0; axis < 3; axis++) {
      let low = Infinity, high = -Infinity;
      for (let i = first; i < end; i++) {
        const x = middles[3 * this.order[i]! + axis]!;
        low = Math.min(low, x);
        high = Math.max(high, x);
      }
      if (high - low > bestExtent) {
        best = axis;
        bestExtent = high - low;
      }
    }
    return best;
  }

  /** The boxes of a level (the last one if it is too deep), for vertices at these positions: calls `add` with low and high
   * x, y, z of each. */
  boxes(level: number, positions: Float32Array, add: (box: Float64Array) => void): void {
    const box = new Float64Array(6);
    for (const [first, end] of this.levels[Math.min(level, this.levels.length - 1)] ?? []) {
      box.fill(Infinity, 0, 3);
      box.fill(-Infinity, 3, 6);
      this.corners(first, end, (v) => {
        for (let axis = 0; axis < 3; axis++) {
          const x = positions[3 * v + axis]!;
          if (x < box[axis]!) box[axis] = x;
          if (x > box[axis + 3]!) box[axis + 3] = x;
        }
      });
      add(box);
    }
  }

  /** Calls `visit` with the vertices of the triangles from a place to another. */
  corners(first: number, end: number, visit: (vertex: number) => void): void {
    for (let i = first; i < end; i++)
      for (let k = 0; k < 3; k++) visit(this.indices[3 * this.order[i]! + k]!);
  }

  /** The nodes above a triangle, one of each level. */
  path(triangle: number): [number, number][] {
    const place = this.order.indexOf(triangle);
    return this.levels.map((nodes) => nodes.find(([first, end]) => first <= place && place < end)!);
  }
}
