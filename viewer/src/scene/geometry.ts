// Geometries of shapes.

import * as THREE from "three";
import type { RunShape } from "../run/decode";
import { deformingColor } from "./palette";

/** Faces that meet at less than this are drawn smoothly: cos 40 degrees. */
const SMOOTH = Math.cos((40 * Math.PI) / 180);

/** Normals of the corners of an indexed mesh: those of the faces around a vertex that are nearly parallel. */
export function creasedNormals(positions: Float32Array, indices: Uint32Array): { positions: Float32Array; normals: Float32Array } {
  const triangles = indices.length / 3, vertices = positions.length / 3;
  const face = new Float32Array(3 * triangles), area = new Float32Array(triangles);
  const first = new Uint32Array(vertices + 1);
  for (let t = 0; t < triangles; t++) {
    const a = 3 * indices[3 * t]!, b = 3 * indices[3 * t + 1]!, c = 3 * indices[3 * t + 2]!;
    const ux = positions[b]! - positions[a]!, uy = positions[b + 1]! - positions[a + 1]!, uz = positions[b + 2]! - positions[a + 2]!;
    const vx = positions[c]! - positions[a]!, vy = positions[c + 1]! - positions[a + 1]!, vz = positions[c + 2]! - positions[a + 2]!;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const length = Math.hypot(nx, ny, nz) || 1;
    face[3 * t] = nx / length;
    face[3 * t + 1] = ny / length;
    face[3 * t + 2] = nz / length;
    area[t] = length;
    for (let k = 0; k < 3; k++) first[indices[3 * t + k]! + 1]!++;
  }
  for (let i = 0; i < vertices; i++) first[i + 1]! += first[i]!;
  const around = new Uint32Array(indices.length), next = first.slice();
  for (let i = 0; i < indices.length; i++) around[next[indices[i]!]!++] = Math.floor(i / 3);
  const outPositions = new Float32Array(9 * triangles), normals = new Float32Array(9 * triangles);
  for (let i = 0; i < indices.length; i++) {
    const t = Math.floor(i / 3), v = indices[i]!;
    let x = 0, y = 0, z = 0;
    for (let k = first[v]!; k < first[v + 1]!; k++) {
      const other = around[k]!;
      const dot = face[3 * t]! * face[3 * other]! + face[3 * t + 1]! * face[3 * other + 1]! + face[3 * t + 2]! * face[3 * other + 2]!;
      if (dot < SMOOTH && other !== t) continue;
      x += area[other]! * face[3 * other]!;
      y += area[other]! * face[3 * other + 1]!;
      z += area[other]! * face[3 * other + 2]!;
    }
    const length = Math.hypot(x, y, z) || 1;
    for (let k = 0; k < 3; k++) outPositions[3 * i + k] = positions[3 * v + k]!;
    normals[3 * i] = x / length;
    normals[3 * i + 1] = y / length;
    normals[3 * i + 2] = z / length;
  }
  return { positions: outPositions, normals };
}

/** Smooth normals of a mesh that deforms, into `normals`. */
export function smoothNormals(positions: Float32Array, indices: Uint32Array, normals: Float32Array): void {
  normals.fill(0);
  for (let i = 0; i < indices.length; i += 3) {
    const a = 3 * indices[i]!, b = 3 * indices[i + 1]!, c = 3 * indices[i + 2]!;
    const ax = positions[a]!, ay = positions[a + 1]!, az = positions[a + 2]!;
    const ux = positions[b]! - ax, uy = positions[b + 1]! - ay, uz = positions[b + 2]! - az;
    const vx = positions[c]! - ax, vy = positions[c + 1]! - ay, vz = positions[c + 2]! - az;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    normals[a]! += nx; normals[a + 1]! += ny; normals[a + 2]! += nz;
    normals[b]! += nx; normals[b + 1]! += ny; normals[b + 2]! += nz;
    normals[c]! += nx; normals[c + 1]! += ny; normals[c + 2]! += nz;
  }
}

/** How finely round shapes are drawn, by how many bodies share the picture. */
export function roundSegments(bodies: number): number {
  return bodies > 2000 ? 12 : bodies > 300 ? 20 : 40;
}

/** A point or a segment, as thick as this. */
function thinGeometry(positions: Float32Array, radius: number): THREE.BufferGeometry {
  const a = new THREE.Vector3().fromArray(positions), b = new THREE.Vector3().fromArray(positions, positions.length - 3);
  const along = b.clone().sub(a), geometry = new THREE.CapsuleGeometry(radius, along.length(), 4, 10);
  if (along.length() > 0)
    geometry.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize()));
  const middle = a.add(b).multiplyScalar(0.5);
  return geometry.translate(middle.x, middle.y, middle.z);
}

/** The geometry of a rigid shape; null: there is nothing to draw. Shapes without a surface are drawn `thin`. */
export function shapeGeometry(shape: RunShape, segments: number, thin: number): THREE.BufferGeometry | null {
  const { type } = shape.info;
  const radius = Number(shape.info["radius"]), height = Number(shape.info["height"]);
  const plain = shape.info["margin"] === undefined;
  if (plain && type === "sphere" && radius > 0) return new THREE.SphereGeometry(radius, segments, Math.ceil(segments * 0.7));
  if (plain && type === "capsule" && radius > 0)
    return new THREE.CapsuleGeometry(radius, height, Math.ceil(segments / 4), segments);
  if (plain && type === "cylinder" && radius > 0) return new THREE.CylinderGeometry(radius, radius, height, segments);
  if (plain && type === "cone" && radius > 0) return new THREE.ConeGeometry(radius, height, segments);
  if (plain && type === "ellipsoid") {
    const [x, y, z] = shape.info["radii"] as [number, number, number];
    const geometry = new THREE.SphereGeometry(1, segments, Math.ceil(segments * 0.7));
    geometry.scale(x, y, z);
    return geometry;
  }
  if (shape.indices.length === 0) return shape.positions.length > 0 ? thinGeometry(shape.positions, thin) : null;
  const { positions, normals } = creasedNormals(shape.positions, shape.indices);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  return geometry;
}

/** The bounding box of a shape in its own coordinates; null: it has none. */
export function shapeBox(shape: RunShape): THREE.Box3 | null {
  const { type } = shape.info;
  const radius = Number(shape.info["radius"]), half = Number(shape.info["height"]) / 2;
  const margin = Number(shape.info["margin"] ?? 0);
  const box = new THREE.Box3();
  if (type === "sphere") box.set(new THREE.Vector3(-radius, -radius, -radius), new THREE.Vector3(radius, radius, radius));
  else if (type === "capsule") box.set(new THREE.Vector3(-radius, -half - radius, -radius), new THREE.Vector3(radius, half + radius, radius));
  else if (type === "cylinder" || type === "cone") box.set(new THREE.Vector3(-radius, -half, -radius), new THREE.Vector3(radius, half, radius));
  else if (shape.positions.length > 0) return box.setFromArray(shape.positions);
  else return null;
  return box.expandByScalar(margin);
}

/** Colours of the vertices of a mesh of 2 to 8 connected parts, one colour a part; null: it has fewer or more. */
export function componentColors(shape: RunShape, body: number): Float32Array | null {
  const vertices = shape.positions.length / 3, root = Uint32Array.from({ length: vertices }, (_, i) => i);
  const find = (v: number): number => {
    while (root[v] !== v) v = root[v] = root[root[v]!]!;
    return v;
  };
  for (let i = 0; i < shape.indices.length; i += 3)
    for (const k of [1, 2]) root[find(shape.indices[i + k]!)] = find(shape.indices[i]!);
  const numbers = new Map<number, number>(), colors = new Float32Array(3 * vertices), color = new THREE.Color();
  for (let v = 0; v < vertices; v++) {
    const r = find(v);
    if (!numbers.has(r)) numbers.set(r, numbers.size);
    deformingColor(body + numbers.get(r)!, color).toArray(colors, 3 * v);
  }
  return numbers.size >= 2 && numbers.size <= 8 ? colors : null;
}
