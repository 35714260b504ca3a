// The picture of a run at a time.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { KINDS, NONE, type Run } from "../run/decode";
import { kindOf } from "../run/events";
import { Poses, verticesEvaluate } from "../run/pose";
import { componentColors, roundSegments, shapeBox, shapeGeometry, smoothNormals } from "./geometry";
import { BoxLines, ContactMarks, Highlight } from "./overlays";
import { BoxTree } from "./tree";
import { boxAt, windowsOf, type TimeWindow } from "./windows";
import { bodyColor, deformingColor, SCENE_COLORS, type Theme } from "./palette";

/** Shadows are drawn up to this number of triangles. */
const SHADOW_TRIANGLES = 400000;

/** Boxes of trees that are shown at once, about. */
const SHOWN_BOXES = 20000;

const MESH_TYPES = ["mesh", "soup", "compound", "nurbs", "heightfield"];

/** Intersections that are highlighted together. */
const SHOWN_INTERSECTIONS = 1000;

/** Seconds of real time for which a touch stays visible during playback. */
const TOUCH_SECONDS = 0.35;

/** Bodies of one shape. */
interface Group {
  mesh: THREE.InstancedMesh;
  bodies: number[];
}

/** A body with key frames. */
interface Deforming {
  body: number;
  mesh: THREE.Mesh;
  positions: Float32Array;
  normals: Float32Array;
  indices: Uint32Array;
  time: number;
}

export interface Overlays {
  contacts: boolean;
  boxes: boolean;
  wireframe: boolean;
  windows: boolean;
}

export class Stage {
  readonly poses: Poses;
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly overlays: Overlays = { contacts: true, boxes: false, wireframe: false, windows: false };
  selectedBody = -1;
  followed = -1;
  /** of the boxes that are shown: 0 is one box a body */
  boxLevel = 0;
  triangles = 0;
  /** half the diagonal of what moves */
  size = 1;

  private readonly scene = new THREE.Scene();
  private readonly groups: Group[] = [];
  private readonly deforming: Deforming[] = [];
  private readonly groupOf: { group: Group; slot: number }[] = [];
  private readonly boxOf: (THREE.Box3 | null)[];
  private readonly marks = new ContactMarks();
  private readonly boxes = new BoxLines();
  private readonly windowBoxes = new BoxLines();
  private readonly highlight = new Highlight();
  private readonly sun = new THREE.DirectionalLight("#fff6e8");
  private readonly hemisphere = new THREE.HemisphereLight();
  private readonly planes: THREE.Mesh[] = [];
  private readonly grid: THREE.GridHelper;
  private readonly center = new THREE.Vector3();
  private readonly kindColors = new Map<number, THREE.Color>();
  private readonly color = new THREE.Color();
  private readonly followedAt = new THREE.Vector3();
  private theme: Theme = "dark";

  constructor(
    private readonly run: Run,
    private readonly renderer: THREE.WebGLRenderer,
    element: HTMLElement,
  ) {
    this.poses = new Poses(run);
    this.poses.evaluate(run.start);
    this.boxOf = run.bodies.map((body) => (run.shapes[body.shape] ? shapeBox(run.shapes[body.shape]!) : null));
    for (const [body, keys] of run.keys) {
      const box = new THREE.Box3();
      for (const key of [keys[0]!, keys[keys.length >> 1]!, keys[keys.length - 1]!])
        box.union(new THREE.Box3().setFromArray(key.positions));
      this.boxOf[body] = box;
    }
    this.bodiesBuild();
    this.measure();
    this.grid = new THREE.GridHelper(24 * this.size, 48);
    this.planesBuild();
    this.lightsBuild();
    this.scene.add(this.grid, this.marks.group, this.boxes.lines, this.windowBoxes.lines, this.highlight.group);
    this.windowBoxes.lines.material.depthTest = false; // the boxes of deep levels lie inside bodies
    this.windowBoxes.lines.renderOrder = 8;
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.fit();
  }

  private isFixed(body: number): boolean {
    const { first, values } = this.run.motions;
    if (this.run.keys.has(body)) return false;
    if (this.run.bodies[body]!.mass > 0) return false;
    for (let i = first[body]!; i < first[body + 1]!; i++)
      for (let k = 7; k < 16; k++) if (values[19 * this.run.motions.order[i]! + k] !== 0) return false;
    return true;
  }

  private bodiesBuild(): void {
    const { run } = this;
    const byShape = new Map<string, number[]>();
    run.bodies.forEach((body, b) => {
      if (run.keys.has(b)) return this.deformingBuild(b);
      const key = `${body.shape} ${this.isFixed(b) ? 1 : 0}`;
      const list = byShape.get(key) ?? [];
      list.push(b);
      byShape.set(key, list);
    });
    const segments = roundSegments(run.bodies.length), sizes = new THREE.Box3(), box = new THREE.Box3();
    run.bodies.forEach((body, b) => {
      if (!this.isFixed(b) && run.shapes[body.shape] && this.bodyBox(b, box)) sizes.union(box);
    });
    const thin = 0.012 * (sizes.isEmpty() ? 1 : sizes.getSize(new THREE.Vector3()).length() || 1);
    for (const [key, bodies] of byShape) {
      const shape = run.shapes[Number(key.split(" ")[0])];
      const geometry = shape ? shapeGeometry(shape, segments, thin) : null;
      if (!geometry) continue;
      const material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.02, side: THREE.DoubleSide });
      const mesh = new THREE.InstancedMesh(geometry, material, bodies.length);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = true;
      const group = { mesh, bodies };
      bodies.forEach((body, slot) => (this.groupOf[body] = { group, slot }));
      this.groups.push(group);
      this.scene.add(mesh);
      const corners = geometry.index ? geometry.index.count : geometry.getAttribute("position").count;
      this.triangles += (corners / 3) * bodies.length;
    }
  }

  private deformingBuild(body: number): void {
    const shape = this.run.shapes[this.run.bodies[body]!.shape]!;
    const positions = shape.positions.slice(), normals = new Float32Array(positions.length);
    const geometry = new THREE.BufferGeometry();
    for (const [name, array] of [["position", positions], ["normal", normals]] as const)
      geometry.setAttribute(name, new THREE.BufferAttribute(array, 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setIndex(new THREE.BufferAttribute(shape.indices, 1));
    const material = new THREE.MeshStandardMaterial({ roughness: 0.6, metalness: 0.02, side: THREE.DoubleSide });
    const colors = componentColors(shape, body);
    if (colors) geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    material.vertexColors = colors !== null;
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    this.deforming.push({ body, mesh, positions, normals, indices: shape.indices, time: NaN });
    this.scene.add(mesh);
    this.triangles += shape.indices.length / 3;
  }

  /** The box of a body in the world at the time last evaluated, into `to`; false: it has none. */
  private bodyBox(body: number, to: THREE.Box3): boolean {
    if (this.run.keys.has(body)) {
      const deforming = this.deforming.find((d) => d.body === body);
      if (deforming) to.setFromArray(deforming.positions);
      return deforming !== undefined;
    }
    const box = this.boxOf[body];
    if (!box) return false;
    // centre and half extents
    const { min, max } = box, m = this.poses.matrices, at = 16 * body;
    const cx = 0.5 * (min.x + max.x), cy = 0.5 * (min.y + max.y), cz = 0.5 * (min.z + max.z);
    const hx = 0.5 * (max.x - min.x), hy = 0.5 * (max.y - min.y), hz = 0.5 * (max.z - min.z);
    const x = m[at]! * cx + m[at + 4]! * cy + m[at + 8]! * cz + m[at + 12]!;
    const y = m[at + 1]! * cx + m[at + 5]! * cy + m[at + 9]! * cz + m[at + 13]!;
    const z = m[at + 2]! * cx + m[at + 6]! * cy + m[at + 10]! * cz + m[at + 14]!;
    const rx = Math.abs(m[at]!) * hx + Math.abs(m[at + 4]!) * hy + Math.abs(m[at + 8]!) * hz;
    const ry = Math.abs(m[at + 1]!) * hx + Math.abs(m[at + 5]!) * hy + Math.abs(m[at + 9]!) * hz;
    const rz = Math.abs(m[at + 2]!) * hx + Math.abs(m[at + 6]!) * hy + Math.abs(m[at + 10]!) * hz;
    to.min.set(x - rx, y - ry, z - rz);
    to.max.set(x + rx, y + ry, z + rz);
    return true;
  }

  /** Sets the size and the centre of the picture: of what moves, or of all bodies if nothing does. A few bodies that fly
   * far away do not count. */
  private measure(): void {
    const boxes: { box: THREE.Box3; fixed: boolean }[] = [];
    const { start, end } = this.run;
    for (const part of [0, 0.2, 0.4, 0.6, 0.8]) {
      this.poses.evaluate(start + (end - start) * part);
      this.run.bodies.forEach((_, b) => {
        const box = new THREE.Box3();
        if (this.run.keys.has(b)) box.copy(this.boxOf[b]!);
        else if (!this.bodyBox(b, box)) return;
        boxes.push({ box, fixed: this.isFixed(b) });
      });
    }
    this.poses.evaluate(start);
    this.poses.invalidate(); // nothing has been drawn yet
    const moving = boxes.filter((b) => !b.fixed), used = moving.length > 0 ? moving : boxes;
    const picture = new THREE.Box3();
    for (let axis = 0; axis < 3; axis++) {
      const at = (values: number[], part: number): number => values[Math.min(Math.floor(part * values.length), values.length - 1)]!;
      const lows = used.map((b) => b.box.min.getComponent(axis)).sort((x, y) => x - y);
      const highs = used.map((b) => b.box.max.getComponent(axis)).sort((x, y) => x - y);
      picture.min.setComponent(axis, used.length > 0 ? at(lows, 0.06) : -1);
      picture.max.setComponent(axis, used.length > 0 ? at(highs, 0.94) : 1);
    }
    const extent = picture.getSize(this.extent);
    picture.getCenter(this.center);
    this.size = Math.max(0.5 * extent.length(), 1e-6);
    this.low = used.reduce((y, b) => Math.min(y, b.box.min.y), picture.min.y);
    this.flat = extent.z < 0.25 * extent.y;
    const radii = used.map((b) => 0.5 * b.box.getSize(new THREE.Vector3()).length()).sort((x, y) => x - y);
    this.typical = radii[radii.length >> 1] ?? this.size;
  }
  private readonly extent = new THREE.Vector3();
  private low = 0;
  private flat = false;
  /** radius of a typical body */
  private typical = 1;

  private planesBuild(): void {
    const hasFloor = this.run.bodies.some((_, b) => this.isFixed(b) && this.boxOf[b] !== null);
    let hasPlane = false, hasTilted = false;
    this.run.bodies.forEach((body, b) => {
      const info = this.run.shapes[body.shape]?.info;
      if (info?.type !== "halfspace") return;
      hasPlane = true;
      const normal = new THREE.Vector3(...(info["normal"] as [number, number, number]));
      const plane = new THREE.Mesh(
        new THREE.PlaneGeometry(60 * this.size, 60 * this.size),
        new THREE.MeshStandardMaterial({ roughness: 0.9, side: THREE.DoubleSide }),
      );
      const inner = new THREE.Object3D();
      plane.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      plane.position.copy(this.center).addScaledVector(normal, Number(info["offset"]) - normal.dot(this.center));
      plane.receiveShadow = true;
      const m = new THREE.Matrix4().fromArray(Array.from(this.poses.matrices.slice(16 * b, 16 * b + 16)));
      inner.add(plane);
      inner.applyMatrix4(m);
      this.planes.push(plane);
      this.scene.add(inner);
      if (normal.y > 0.999 * normal.length()) this.low = Number(info["offset"]) / normal.y + 0.003 * this.size;
      else hasTilted = true;
    });
    this.grid.visible = hasPlane ? !hasTilted : !hasFloor && !this.flat;
    this.grid.position.set(this.center.x, this.low - 0.002 * this.size, this.center.z);
  }

  private lightsBuild(): void {
    const { sun, size, center } = this;
    sun.position.copy(center).add(new THREE.Vector3(1.2, 2.6, 1.5).multiplyScalar(2 * size));
    sun.target.position.copy(center);
    sun.castShadow = this.triangles <= SHADOW_TRIANGLES;
    sun.shadow.mapSize.setScalar(2048);
    sun.shadow.camera.left = sun.shadow.camera.bottom = -1.6 * size;
    sun.shadow.camera.right = sun.shadow.camera.top = 1.6 * size;
    sun.shadow.camera.near = 0.5 * size;
    sun.shadow.camera.far = 14 * size;
    sun.shadow.normalBias = 0.004 * size;
    sun.shadow.bias = -0.0004;
    sun.shadow.radius = 4;
    this.scene.add(sun, sun.target, this.hemisphere);
  }

  /** Moves the camera so that all that moves is in the picture. */
  fit(): void {
    const direction = this.flat ? new THREE.Vector3(0.12, 0.14, 1) : new THREE.Vector3(0.9, 0.55, 1.35);
    // the least distance at which all corners of the box are in the picture
    const back = direction.normalize(), right = new THREE.Vector3().crossVectors(new THREE.Vector3(0, 1, 0), back).normalize();
    const up = new THREE.Vector3().crossVectors(back, right), corner = new THREE.Vector3();
    const tangent = Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
    let distance = 0.1 * this.size;
    for (let i = 0; i < 8; i++) {
      corner.set((i & 1) - 0.5, ((i >> 1) & 1) - 0.5, (i >> 2) - 0.5).multiply(this.extent);
      const x = Math.abs(corner.dot(right)) / (tangent * this.camera.aspect), y = Math.abs(corner.dot(up)) / tangent;
      distance = Math.max(distance, corner.dot(back) + 1.12 * Math.max(x, y));
    }
    this.controls.target.copy(this.center);
    this.camera.position.copy(this.center).addScaledVector(back, distance);
    this.camera.near = this.size / 500;
    this.camera.far = this.size * 120;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = this.size / 200;
    this.controls.maxDistance = this.size * 30;
    this.controls.update();
  }

  /** The centre of the highlighted features; null: there are none. */
  get highlighted(): THREE.Sphere | null {
    return this.highlight.bounds;
  }

  /** Looks at a point from the direction of now, near enough to see a body of this size. */
  lookAt(point: ArrayLike<number>, at: number, radius: number): void {
    const target = new THREE.Vector3(point[at]!, point[at + 1]!, point[at + 2]!);
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, Math.max(9 * radius, this.size / 40));
    this.controls.update();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const colors = SCENE_COLORS[theme];
    this.scene.background = null;
    this.scene.fog = new THREE.Fog(colors.ground, 6 * this.size, 26 * this.size);
    this.hemisphere.color.set(colors.hemisphere[0]);
    this.hemisphere.groundColor.set(colors.hemisphere[1]);
    this.hemisphere.intensity = colors.hemisphere[2];
    this.sun.intensity = colors.sun;
    (this.grid.material as THREE.LineBasicMaterial).dispose();
    this.grid.material = new THREE.LineBasicMaterial({ color: colors.grid, transparent: true, opacity: 0.55 });
    for (const plane of this.planes) (plane.material as THREE.MeshStandardMaterial).color.set(colors.fixed);
    this.boxes.lines.material.color.set(colors.box);
    this.windowBoxes.lines.material.color.set(colors.window);
    this.highlight.color(colors.highlight);
    this.kindColors.clear();
    this.colorsUpdate();
  }

  private kindColor(kind: number): THREE.Color {
    let color = this.kindColors.get(kind);
    if (!color) {
      color = new THREE.Color(kindOf(kind)[this.theme]);
      this.kindColors.set(kind, color);
    }
    return color;
  }

  private colorsUpdate(): void {
    for (const { mesh, bodies } of this.groups) {
      bodies.forEach((body, slot) => mesh.setColorAt(slot, this.colorOf(body)));
      mesh.instanceColor!.needsUpdate = true;
    }
    for (const { body, mesh } of this.deforming)
      (mesh.material as THREE.MeshStandardMaterial).color.copy(this.colorOf(body));
  }

  private colorOf(body: number): THREE.Color {
    if (this.run.keys.has(body)) {
      const drawn = this.deforming.find((d) => d.body === body);
      if (drawn?.mesh.geometry.hasAttribute("color")) this.color.set("#ffffff");
      else deformingColor(body, this.color);
    }
    else if (this.run.end === this.run.start) deformingColor(body, this.color);
    else bodyColor(body, this.isFixed(body), this.theme, this.color);
    if (body === this.selectedBody) this.color.lerp(new THREE.Color(this.theme === "dark" ? "#ffffff" : "#10151c"), 0.55);
    return this.color;
  }

  select(body: number): void {
    if (body === this.selectedBody) return;
    this.selectedBody = body;
    this.colorsUpdate();
  }

  follow(body: number): void {
    this.followed = body;
    if (body >= 0) this.bodyCenter(body, this.followedAt);
  }

  private readonly someBox = new THREE.Box3();
  private bodyCenter(body: number, to: THREE.Vector3): boolean {
    if (!this.bodyBox(body, this.someBox)) return false;
    this.someBox.getCenter(to);
    return true;
  }

  radiusOf(body: number): number {
    if (body === NONE || !this.bodyBox(body, this.someBox)) return this.size / 10;
    return Math.min(0.5 * this.someBox.getSize(new THREE.Vector3()).length(), this.size);
  }

  setWireframe(on: boolean): void {
    this.overlays.wireframe = on;
    for (const { mesh } of [...this.groups, ...this.deforming]) (mesh.material as THREE.MeshStandardMaterial).wireframe = on;
  }

  /** Sets everything to a time. `event` is the event to show in detail, or -1; `touchWindow` is how long, in time of the
   * run, a touch stays visible. */
  update(time: number, event: number, speed: number, playing: boolean, hidden: ReadonlySet<number>): void {
    this.poses.evaluate(time);
    const m = this.poses.matrices;
    for (let i = 0; i < this.poses.changedCount; i++) {
      const body = this.poses.changed[i]!, place = this.groupOf[body];
      if (!place) continue;
      const to = place.group.mesh.instanceMatrix.array as Float32Array;
      for (let k = 0, at = 16 * place.slot, from = 16 * body; k < 16; k++) to[at + k] = m[from + k]!;
      place.group.mesh.instanceMatrix.needsUpdate = true;
    }
    for (const d of this.deforming) {
      if (d.time === time) continue;
      d.time = time;
      verticesEvaluate(this.run.keys.get(d.body)!, time, d.positions);
      smoothNormals(d.positions, d.indices, d.normals);
      d.mesh.geometry.getAttribute("position").needsUpdate = true;
      d.mesh.geometry.getAttribute("normal").needsUpdate = true;
    }
    this.contactsUpdate(time, event, playing ? TOUCH_SECONDS * speed : 0, hidden);
    this.boxesUpdate();
    this.windowsUpdate(time);
    this.highlightUpdate(event);
    if (this.followed >= 0 && this.bodyCenter(this.followed, this.color3)) {
      const shift = this.color3.clone().sub(this.followedAt);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
      this.followedAt.copy(this.color3);
    }
  }
  private readonly color3 = new THREE.Vector3();

  private contactsUpdate(time: number, event: number, window: number, hidden: ReadonlySet<number>): void {
    const { events, contacts } = this.run;
    const distance = this.camera.position.distanceTo(this.controls.target), unit = Math.max(Math.min(0.0075 * distance, 0.11 * this.typical), 0.0025 * distance);
    this.marks.begin();
    if (this.overlays.contacts) {
      let low = 0, high = contacts.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (contacts[middle]!.time <= time) low = middle + 1;
        else high = middle;
      }
      const sample = contacts[low - 1];
      if (sample && !hidden.has(KINDS.begin))
        for (let i = 0; i < sample.count; i++) this.marks.add(sample.points, 7 * i, 0.45 * unit, this.kindColor(KINDS.begin));
      let i = upperBound(events.time, time) - 1;
      for (; i >= 0 && events.time[i]! > time - window; i--) {
        if (!events.hasPoint[i] || hidden.has(events.kind[i]!) || i === event) continue;
        const age = window > 0 ? (time - events.time[i]!) / window : 0;
        this.marks.add(events.points, 7 * i, unit * (1 - 0.75 * age), this.kindColor(events.kind[i]!));
      }
    }
    if (event >= 0 && events.hasPoint[event])
      this.marks.add(events.points, 7 * event, 1.15 * unit, this.kindColor(events.kind[event]!));
    this.marks.end();
  }

  private boxesUpdate(): void {
    this.boxes.begin();
    if (this.overlays.boxes) {
      const { someBox } = this;
      for (let b = 0; b < this.run.bodies.length; b++)
        if (this.boxLevel > 0 && this.boxes.shown < SHOWN_BOXES && this.treeDraw(b)) continue;
        else if (this.bodyBox(b, someBox)) this.boxes.add(someBox.min, someBox.max);
    }
    this.boxes.end();
  }

  /** Shows the boxes of a level of the tree of a mesh; false: the body is none. Those of a rigid body turn with it. */
  private treeDraw(body: number): boolean {
    const number = this.run.bodies[body]!.shape, shape = this.run.shapes[number];
    if (!shape || !MESH_TYPES.includes(shape.info.type)) return false;
    const deforming = this.deforming.find((d) => d.body === body);
    this.treeOf(number).boxes(this.boxLevel, deforming?.positions ?? shape.positions, (box) => {
      if (deforming) this.boxes.addBounds(box);
      else this.boxes.addBounds(box, this.poses.matrices, 16 * body);
    });
    return true;
  }
  private readonly trees = new Map<number, BoxTree>();
  private readonly treeOf = (shape: number): BoxTree => {
    let tree = this.trees.get(shape);
    if (!tree) {
      tree = new BoxTree(this.run.shapes[shape]!.positions, this.run.shapes[shape]!.indices);
      this.trees.set(shape, tree);
    }
    return tree;
  };

  /** the windows of time that are shown: those of an event */
  windows: readonly TimeWindow[] = [];
  private windowsEvent = -1;

  /** Shows the windows of time of an event, -1: none. Returns whether they have changed. */
  setWindows(event: number): boolean {
    if (event === this.windowsEvent) return false;
    this.windowsEvent = event;
    this.windows = event >= 0 ? windowsOf(this.run, event, this.treeOf) : [];
    return true;
  }

  /** The window at the level of boxes that is shown. */
  get windowShown(): TimeWindow | undefined {
    return this.windows[Math.min(this.boxLevel, this.windows.length - 1)];
  }

  /** Draws the two moving boxes of the window of the level that is shown, while they overlap. */
  private windowsUpdate(time: number): void {
    this.windowBoxes.begin();
    const window = this.windowShown;
    if (window && time >= window.low && time <= window.high)
      for (const box of [window.a, window.b]) this.windowBoxes.addBounds(boxAt(window, box, time, this.windowBox));
    this.windowBoxes.end();
  }
  private readonly windowBox = new Float64Array(6);

  /** The deepest level that the overlay of boxes can show. */
  get deepestLevel(): number {
    const largest = this.run.bodies.reduce((n, body) => {
      const shape = this.run.shapes[body.shape];
      return shape && MESH_TYPES.includes(shape.info.type) ? Math.max(n, shape.indices.length / 3) : n;
    }, 0);
    return largest > 4 ? Math.ceil(Math.log2(largest / 4)) : 0;
  }

  private shownEvent = -2;
  private shownTime = NaN;

  /** Shows the features of an event where they are now. */
  private highlightUpdate(event: number): void {
    if (event < 0) {
      if (this.shownEvent !== -1) this.highlight.set(this.intersecting(), this.segments());
      this.shownEvent = -1;
      return;
    }
    const time = this.deforming[0]?.time ?? 0;
    if (event === this.shownEvent && time === this.shownTime && this.poses.changedCount === 0) return;
    this.shownEvent = event;
    this.shownTime = time;
    const { events } = this.run;
    const triangles: number[] = [], segments: number[] = [];
    const a = events.bodies[2 * event]!, b = events.bodies[2 * event + 1]!, f = events.features.subarray(4 * event, 4 * event + 4);
    const kind = events.kind[event];
    if (kind === KINDS.vertexFace) this.faceAdd(b === NONE ? a : b, 0, f[1]!, triangles);
    else if (kind === KINDS.edgeEdge)
      for (const [body, v] of [[a, f[0]!], [a, f[1]!], [b === NONE ? a : b, f[2]!], [b === NONE ? a : b, f[3]!]] as const)
        segments.push(...this.corner(body, v));
    else if (kind === KINDS.segment) this.segmentAdd(event, segments);
    else if (kind === KINDS.touch || kind === KINDS.intersection) this.facesAdd(event, triangles);
    this.highlight.set(triangles, segments);
  }

  /** A vertex of a body, where it is now. */
  private corner(body: number, vertex: number): number[] {
    const deforming = this.deforming.find((d) => d.body === body);
    const p = deforming ? deforming.positions : this.run.shapes[this.run.bodies[body]!.shape]!.positions;
    const x = p[3 * vertex]!, y = p[3 * vertex + 1]!, z = p[3 * vertex + 2]!;
    if (deforming) return [x, y, z];
    const m = this.poses.matrices, at = 16 * body;
    return [0, 1, 2].map((r) => m[at + r]! * x + m[at + 4 + r]! * y + m[at + 8 + r]! * z + m[at + 12 + r]!);
  }

  /** Adds the triangles of a face. */
  private faceAdd(body: number, leaf: number, number: number, to: number[]): void {
    const shape = this.run.shapes[this.run.bodies[body]?.shape ?? NONE];
    if (!shape || leaf === NONE) return;
    for (let t = 0; t < shape.faces.length; t++)
      if (shape.faces[t] === number && shape.leaves[t] === leaf)
        for (let k = 0; k < 3; k++) to.push(...this.corner(body, shape.indices[3 * t + k]!));
  }

  /** Adds the faces of both bodies that an event names. */
  private facesAdd(event: number, to: number[]): void {
    const { events, bodies, shapes } = this.run;
    for (const k of [0, 1]) {
      const body = events.bodies[2 * event + k]!, f = 4 * event + 2 * k;
      const type = shapes[bodies[body]?.shape ?? NONE]?.info.type ?? "";
      if (MESH_TYPES.includes(type))
        this.faceAdd(body, events.features[f]!, events.features[f + 1]!, to);
    }
  }

  /** The faces of the first intersections (tact check). */
  private intersecting(): number[] {
    const { events } = this.run, to: number[] = [];
    for (let i = 0, n = 0; i < events.count && n < SHOWN_INTERSECTIONS; i++)
      if (events.kind[i] === KINDS.intersection) {
        this.facesAdd(i, to);
        n++;
      }
    return to;
  }

  private segmentAdd(event: number, to: number[]): void {
    const p = this.run.events.points.subarray(7 * event, 7 * event + 7);
    to.push(p[0]!, p[1]!, p[2]!, p[0]! + p[6]! * p[3]!, p[1]! + p[6]! * p[4]!, p[2]! + p[6]! * p[5]!);
  }

  /** The first segments (tact query). */
  private segments(): number[] {
    const { events } = this.run, to: number[] = [];
    for (let i = 0; i < events.count && to.length < 6 * SHOWN_INTERSECTIONS; i++)
      if (events.kind[i] === KINDS.segment) this.segmentAdd(i, to);
    return to;
  }

  /** The body at a place of the picture (-1 to 1 in both directions), or -1. */
  pick(x: number, y: number): number {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    let best = Infinity, body = -1;
    for (const { mesh, bodies } of this.groups) {
      mesh.computeBoundingSphere();
      for (const hit of ray.intersectObject(mesh))
        if (hit.distance < best && hit.instanceId !== undefined) {
          best = hit.distance;
          body = bodies[hit.instanceId]!;
        }
    }
    for (const d of this.deforming) {
      d.mesh.geometry.computeBoundingSphere();
      for (const hit of ray.intersectObject(d.mesh))
        if (hit.distance < best) {
          best = hit.distance;
          body = d.body;
        }
    }
    return body;
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  render(): void {
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }

  dispose(): void {
    this.controls.dispose();
    this.scene.traverse((object) => {
      if (object instanceof THREE.Mesh || object instanceof THREE.LineSegments) {
        (object.geometry as THREE.BufferGeometry).dispose();
        (object.material as THREE.Material).dispose();
      }
    });
  }
}

/** The first place in a rising array whose number is greater. */
export function upperBound(times: Float64Array, time: number): number {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
