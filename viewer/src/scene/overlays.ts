// What is drawn on top of the bodies: contact points with normals, boxes, touching triangles.

import * as THREE from "three";

/** Points with normals: a dot and an arrow each. */
export class ContactMarks {
  readonly group = new THREE.Group();
  private dots: THREE.InstancedMesh;
  private arrows: THREE.InstancedMesh;
  private count = 0;
  private capacity: number;
  private readonly matrix = new THREE.Matrix4();
  private readonly quaternion = new THREE.Quaternion();
  private readonly scale = new THREE.Vector3();
  private readonly point = new THREE.Vector3();
  private readonly normal = new THREE.Vector3();
  private static readonly up = new THREE.Vector3(0, 1, 0);

  constructor(capacity = 256) {
    this.capacity = capacity;
    [this.dots, this.arrows] = this.create(capacity);
  }

  private create(capacity: number): [THREE.InstancedMesh, THREE.InstancedMesh] {
    const material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, toneMapped: false });
    const dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 12, 8), material, capacity);
    const shaft = new THREE.CylinderGeometry(0.22, 0.22, 3.4, 6).translate(0, 1.7, 0);
    const head = new THREE.ConeGeometry(0.62, 1.4, 10).translate(0, 4.1, 0);
    const arrows = new THREE.InstancedMesh(merge(shaft, head), material, capacity);
    for (const mesh of [dots, arrows]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      mesh.setColorAt(0, new THREE.Color());
      this.group.add(mesh);
    }
    return [dots, arrows];
  }

  begin(): void {
    this.count = 0;
  }

  /** Adds a mark: a dot of this radius, with an arrow along the normal unless it is zero. */
  add(points: ArrayLike<number>, at: number, radius: number, color: THREE.Color): void {
    if (this.count === this.capacity) this.grow();
    const i = this.count++;
    this.point.set(points[at]!, points[at + 1]!, points[at + 2]!);
    this.normal.set(points[at + 3]!, points[at + 4]!, points[at + 5]!);
    const hasNormal = this.normal.lengthSq() > 0.25;
    this.quaternion.setFromUnitVectors(ContactMarks.up, hasNormal ? this.normal : ContactMarks.up);
    this.matrix.compose(this.point, this.quaternion, this.scale.setScalar(radius));
    this.dots.setMatrixAt(i, this.matrix);
    this.arrows.setMatrixAt(i, hasNormal ? this.matrix : this.matrix.makeScale(0, 0, 0));
    this.dots.setColorAt(i, color);
    this.arrows.setColorAt(i, color);
  }

  end(): void {
    for (const mesh of [this.dots, this.arrows]) {
      mesh.count = this.count;
      mesh.visible = this.count > 0;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  private grow(): void {
    const old = [this.dots, this.arrows];
    this.group.clear();
    this.capacity *= 2;
    [this.dots, this.arrows] = this.create(this.capacity);
    [this.dots, this.arrows].forEach((mesh, k) => {
      (mesh.instanceMatrix.array as Float32Array).set(old[k]!.instanceMatrix.array as Float32Array);
      (mesh.instanceColor!.array as Float32Array).set(old[k]!.instanceColor!.array as Float32Array);
      old[k]!.dispose();
    });
  }

  get shown(): number {
    return this.count;
  }
}

function merge(a: THREE.BufferGeometry, b: THREE.BufferGeometry): THREE.BufferGeometry {
  const out = new THREE.BufferGeometry();
  const parts = [a.toNonIndexed(), b.toNonIndexed()];
  const arrays = parts.map((p) => p.getAttribute("position").array as Float32Array);
  const all = new Float32Array(arrays[0]!.length + arrays[1]!.length);
  all.set(arrays[0]!);
  all.set(arrays[1]!, arrays[0]!.length);
  out.setAttribute("position", new THREE.BufferAttribute(all, 3));
  return out;
}

/** The 12 edges of a box, by corners: bit 0 is x, bit 1 y, bit 2 z. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

/** Boxes as lines. */
export class BoxLines {
  readonly lines: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private positions = new Float32Array(72 * 64);
  private count = 0;

  constructor() {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3));
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.75 }));
    this.lines.frustumCulled = false;
    this.lines.visible = false;
  }

  begin(): void {
    this.count = 0;
  }

  private reserve(): void {
    if (72 * (this.count + 1) > this.positions.length) {
      const more = new Float32Array(2 * this.positions.length);
      more.set(this.positions);
      this.positions = more;
      this.lines.geometry.dispose();
      this.lines.geometry = new THREE.BufferGeometry();
      this.lines.geometry.setAttribute("position", new THREE.BufferAttribute(more, 3));
    }
  }

  /** A box of low and high x, y, z, turned by a matrix if there is one. */
  addBounds(box: ArrayLike<number>, m?: ArrayLike<number>, at = 0): void {
    this.reserve();
    let k = 72 * this.count++;
    for (const corner of EDGES) {
      const x = box[corner & 1 ? 3 : 0]!, y = box[corner & 2 ? 4 : 1]!, z = box[corner & 4 ? 5 : 2]!;
      for (let row = 0; row < 3; row++)
        this.positions[k++] = m
          ? m[at + row]! * x + m[at + 4 + row]! * y + m[at + 8 + row]! * z + m[at + 12 + row]!
          : [x, y, z][row]!;
    }
  }

  get shown(): number {
    return this.count;
  }

  add(low: THREE.Vector3, high: THREE.Vector3): void {
    this.reserve();
    let k = 72 * this.count++;
    for (const corner of EDGES) {
      this.positions[k++] = corner & 1 ? high.x : low.x;
      this.positions[k++] = corner & 2 ? high.y : low.y;
      this.positions[k++] = corner & 4 ? high.z : low.z;
    }
  }

  end(): void {
    this.lines.geometry.setDrawRange(0, 24 * this.count);
    this.lines.geometry.getAttribute("position").needsUpdate = true;
    this.lines.visible = this.count > 0;
  }
}

/** A few triangles and edges on top of everything. */
export class Highlight {
  readonly group = new THREE.Group();
  private readonly fill: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly edges: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;

  constructor() {
    this.fill = new THREE.Mesh(
      new THREE.BufferGeometry(),
      new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.55, side: THREE.DoubleSide, toneMapped: false }),
    );
    this.edges = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ depthTest: false }));
    for (const object of [this.fill, this.edges]) {
      object.frustumCulled = false;
      object.renderOrder = 9;
      this.group.add(object);
    }
  }

  /** a sphere around what is shown; null: nothing is */
  bounds: THREE.Sphere | null = null;

  /** Triangles and segments: three coordinates a corner. */
  set(triangles: number[], segments: number[]): void {
    const corners = [...triangles, ...segments];
    this.bounds = corners.length > 0 ? new THREE.Box3().setFromArray(corners).getBoundingSphere(new THREE.Sphere()) : null;
    const outlines = [...segments];
    for (let i = 0; i < triangles.length; i += 9)
      for (const [a, b] of [[0, 3], [3, 6], [6, 0]] as const)
        outlines.push(...triangles.slice(i + a, i + a + 3), ...triangles.slice(i + b, i + b + 3));
    this.fill.geometry.dispose();
    this.edges.geometry.dispose();
    this.fill.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(triangles), 3));
    this.edges.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(outlines), 3));
    this.fill.visible = triangles.length > 0;
    this.edges.visible = outlines.length > 0;
  }

  color(color: string): void {
    this.fill.material.color.set(color);
    this.edges.material.color.set(color);
  }
}
