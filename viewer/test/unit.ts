// Reading runs and evaluating motions, compared with the states that the tool computes.

import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { base64Decode, decodeRun, type Run } from "../src/run/decode";
import { EventFilter } from "../src/run/events";
import { Poses, verticesEvaluate } from "../src/run/pose";
import { creasedNormals } from "../src/scene/geometry";
import { BoxTree } from "../src/scene/tree";
import { boxAt, windowsOf } from "../src/scene/windows";
import { scaleStep, speedRead, speedText } from "../src/ui/format";
import { Clock } from "../src/clock";
import { bufferOf, expect, finish, folder, near, repository, test, toolRun } from "./harness";

interface State {
  t: number;
  bodies: { name: string; translate: number[]; rotate: number[] }[];
}

/** Compares all poses of a scene with its states. Returns their number. */
function compare(scene: string, order: (states: State[]) => State[]): number {
  toolRun("run", scene, "--json", "--out", "e", "--save", "scene.run", "--states", "states", "--every", "0.0613");
  const run = decodeRun(bufferOf("scene.run")), poses = new Poses(run);
  const states = readFileSync(join(folder, "states"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as State);
  let compared = 0;
  for (const state of order(states)) {
    poses.evaluate(state.t);
    state.bodies.forEach((body, b) => {
      const m = poses.matrices.subarray(16 * b, 16 * b + 16), [x, y, z, w] = body.rotate as [number, number, number, number];
      const axes = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
      ];
      for (let column = 0; column < 3; column++) {
        const length = Math.hypot(m[4 * column]!, m[4 * column + 1]!, m[4 * column + 2]!);
        for (let row = 0; row < 3; row++)
          near(m[4 * column + row]! / length, axes[column]![row]!, 1e-5, `axis ${column} of ${body.name} at ${state.t}`);
      }
      for (let row = 0; row < 3; row++) near(m[12 + row]!, body.translate[row]!, 3e-5, `position of ${body.name} at ${state.t}`);
      compared++;
    });
  }
  return compared;
}

const forward = (states: State[]): State[] => states;
const shuffled = (states: State[]): State[] => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  return states.map((s) => [random(), s] as const).sort((a, b) => a[0] - b[0]).map(([, s]) => s);
};

test("motions give the states of the tool, in order of time", () => {
  let compared = 0;
  for (const name of ["stack", "mixed", "spheres"]) compared += compare(`${repository}/examples/scenes/${name}.json`, forward);
  expect(compared > 10000, `${compared} poses`);
});

test("motions give the states of the tool, at times in any order", () => {
  const scene = {
    end: 4,
    bodies: [
      {
        shape: { type: "box", size: [1, 2, 3] },
        place: { translate: [1, 2, 3], rotate: [1, 2, 3, 4], scale: [2, 0.5, 3] },
        motion: { velocity: [1, 0, -1], acceleration: [0.1, 0.2, 0], spin: [1, 2, 0.5], pivot: [0.5, -1, 2] },
        motion_plan: [{ at: 1.5, motion: { spin: [0, 1, 0] } }, { at: 3, motion: { velocity: [0, 5, 0], spin: [0, 0, -7] } }],
      },
      { shape: { type: "cone", radius: 1, height: 3 }, place: { translate: [20, 0, 0] }, mass: 2, motion: { spin: [9, 0.1, 0.1] } },
    ],
  };
  writeFileSync(join(folder, "scene.json"), JSON.stringify(scene));
  expect(compare("scene.json", shuffled) > 100, "few states");
  expect(compare(`${repository}/examples/scenes/stack.json`, shuffled) > 100, "few states");
});

test("vertices move along straight lines between key frames", () => {
  const mesh = (z: number): string => `v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 ${z}\nv 1.2 0.2 1\nv 0.2 1.2 2\nf 1 2 3\nf 4 5 6\n`;
  for (const [i, z] of [1, -1, -1.5].entries()) writeFileSync(join(folder, `f${i}.obj`), mesh(z));
  toolRun("play", "f0.obj", "f*.obj", "--save", "play.run", "--json");
  const run = decodeRun(bufferOf("play.run")), keys = run.keys.get(0)!, to = new Float32Array(18);
  expect(keys.length === 3 && run.end === 2, `${keys.length} key frames until ${run.end}`);
  for (const [time, z] of [[0, 1], [0.25, 0.5], [0.5, 0], [1, -1], [1.5, -1.25], [2, -1.5], [3, -1.5], [-1, 1]] as const) {
    verticesEvaluate(keys, time, to);
    near(to[11]!, z, 1e-6, `z at ${time}`);
    near(to[12]!, 1.2, 1e-6, `x at ${time}`);
  }
  near(run.events.time[0]!, 0.5, 1e-9, "time of the contact");
  near(run.events.points[0]!, 0.2, 1e-6, "x of the contact");
  near(run.events.points[2]!, 0, 1e-6, "z of the contact");
});

test("damaged runs are rejected", () => {
  const whole = new Uint8Array(bufferOf("scene.run"));
  const rejects = (bytes: Uint8Array): boolean => {
    try {
      decodeRun(bytes.slice().buffer);
      return false;
    } catch {
      return true;
    }
  };
  expect(!rejects(whole), "the whole run");
  for (let size = 0; size < whole.length; size += Math.ceil(whole.length / 97)) expect(rejects(whole.subarray(0, size)), `${size} bytes`);
  const version = whole.slice();
  version[8] = 2;
  expect(rejects(version), "another version");
});

test("base64", () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 37) & 255);
  const decoded = new Uint8Array(base64Decode(Buffer.from(bytes).toString("base64")));
  expect(bytes.every((b, i) => decoded[i] === b) && decoded.length === 1000, "differs");
});

test("the filter of events", () => {
  const run = decodeRun(bufferOf("scene.run")), filter = new EventFilter(run), { time } = run.events;
  expect(filter.shown.length === run.events.count && run.events.count > 20, `${run.events.count} events`);
  for (let i = 0; i < time.length; i++) {
    const first = filter.place(time[i]!, true), after = filter.place(time[i]!, false);
    expect(first <= i && i < after && time[first] === time[i] && (after === time.length || time[after]! > time[i]!), `place of ${i}`);
  }
  filter.toggle(1);
  expect(filter.shown.every((e) => run.events.kind[e] !== 1) && filter.shown.length < run.events.count, "touches are hidden");
});

test("normals are smooth only across flat edges", () => {
  // two triangles in a plane and one at a right angle
  const positions = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]);
  const { normals } = creasedNormals(positions, new Uint32Array([0, 1, 2, 0, 2, 3, 0, 4, 1]));
  for (let corner = 0; corner < 6; corner++) near(normals[3 * corner + 2]!, 1, 1e-6, `z of corner ${corner}`);
  for (let corner = 6; corner < 9; corner++) near(Math.abs(normals[3 * corner + 1]!), 1, 1e-6, `y of corner ${corner}`);
});

test("speeds and scales", () => {
  for (const [text, speed] of [["1/100", 0.01], ["2×", 2], ["0.5", 0.5], ["1e-6", 1e-6], ["1/2,500×", 0.0004]] as const)
    near(speedRead(text), speed, 1e-12, text);
  for (const text of ["", "x", "0", "-1", "1/0", "1/"]) expect(Number.isNaN(speedRead(text)), text);
  for (const speed of [1, 0.001, 1e-6, 3, 0.37]) near(speedRead(speedText(speed)) / speed, 1, 0.006, speedText(speed));
  for (const [least, step] of [[0.9, 1], [1.1, 2], [2.1, 5], [0.03, 0.05], [6, 10]] as const) near(scaleStep(least), step, 1e-9, `${least}`);
});

test("boxes of a level contain the triangles, and those of the level below", () => {
  let seed = 7;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const positions = Float32Array.from({ length: 900 }, random), indices = Uint32Array.from({ length: 1500 }, () => Math.floor(300 * random()));
  const tree = new BoxTree(positions, indices), moved = positions.map((x) => 2 * x - 0.3 * x * x);
  let volume = Infinity;
  for (let level = 0; level < tree.levels.length; level++) {
    let triangles = 0, sum = 0;
    for (const [first, end] of tree.levels[level]!) triangles += end - first;
    tree.boxes(level, moved, (b) => (sum += (b[3]! - b[0]!) * (b[4]! - b[1]!) * (b[5]! - b[2]!)));
    expect(triangles === 500, `level ${level} has ${triangles} triangles`);
    if (level === 0) tree.boxes(0, moved, (b) => near(b[3]!, moved.reduce((m, x, i) => (i % 3 === 0 && indices.includes(i / 3) ? Math.max(m, x) : m), 0), 1e-6, "x"));
    expect(level === 0 || sum < 2 * volume, "boxes grow");
    volume = sum;
  }
  expect(tree.levels.length === 8, `${tree.levels.length} levels`);
});

/** The box of all vertices of a body at a time. */
function wholeBox(run: Run, body: number, time: number): number[] {
  const keys = run.keys.get(body), box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  const positions = run.shapes[run.bodies[body]!.shape]!.positions.slice();
  const poses = new Poses(run);
  poses.evaluate(time);
  const m = poses.matrices.subarray(16 * body);
  if (keys) verticesEvaluate(keys, time, positions);
  for (let i = 0; i < positions.length; i += 3)
    for (let k = 0; k < 3; k++) {
      const x = keys ? positions[i + k]! : m[k]! * positions[i]! + m[4 + k]! * positions[i + 1]! + m[8 + k]! * positions[i + 2]! + m[12 + k]!;
      box[k] = Math.min(box[k]!, x);
      box[k + 3] = Math.max(box[k + 3]!, x);
    }
  return box;
}

test("windows of time shrink from level to level and contain the event; outside the boxes are apart", () => {
  let rigid = 0, deforming = 0, narrowed = 0, apart = 0;
  const mesh = (s: number): string => {
    // two bent strips of triangles that pass through each other
    const vertices: string[] = [], faces: string[] = [];
    for (const part of [0, 1])
      for (let i = 0; i <= 20; i++)
        for (const z of [0, 1]) vertices.push(`v ${i / 10} ${part === 0 ? 0.1 * Math.sin(i) : 1.2 - s - 0.02 * i} ${z}`);
    for (const part of [0, 42])
      for (let i = 1 + part; i < 40 + part; i += 2) faces.push(`f ${i} ${i + 1} ${i + 2}`, `f ${i + 1} ${i + 3} ${i + 2}`);
    return [...vertices, ...faces].join("\n");
  };
  [0, 0.5, 2].forEach((s, i) => writeFileSync(join(folder, `strip${i}.obj`), mesh(s)));
  toolRun("play", "strip0.obj", "strip*.obj", "--save", "strip.run", "--json");
  toolRun("run", `${repository}/examples/scenes/mixed.json`, "--json", "--out", "e", "--save", "mixed.run");
  for (const name of ["strip.run", "mixed.run"]) {
    const run = decodeRun(bufferOf(name)), trees = new Map<number, BoxTree>();
    const treeOf = (shape: number): BoxTree => {
      if (!trees.has(shape)) trees.set(shape, new BoxTree(run.shapes[shape]!.positions, run.shapes[shape]!.indices));
      return trees.get(shape)!;
    };
    for (let event = 0; event < Math.min(run.events.count, 60); event++) {
      const time = run.events.time[event]!, windows = windowsOf(run, event, treeOf);
      windows.forEach((w, i) => {
        const slack = 1e-5 * Math.max(1, w.end - w.start);
        expect(w.level === i && w.low >= w.start && w.high <= w.end, `${name}, event ${event}, level ${i}`);
        if (run.keys.size > 0) expect(w.low <= time + slack && time <= w.high + slack, `event ${event} at ${time}, window ${w.low} to ${w.high}`);
        const before = windows[i - 1];
        if (before) expect(w.low >= before.low - slack && w.high <= before.high + slack, `${name}, event ${event}: level ${i} is wider`);
        if (before && w.high - w.low < 0.9 * (before.high - before.low)) narrowed++;
      });
      const first = windows[0];
      if (!first) continue;
      if (run.keys.size > 0) deforming++;
      else rigid++;
      const pair = [run.events.bodies[2 * event]!, run.events.bodies[2 * event + 1]!] as const;
      if (pair[0] === pair[1]) continue;
      for (let k = 0; k <= 10; k++) {
        const t = first.start + ((first.end - first.start) * k) / 10, [a, b] = pair.map((body) => wholeBox(run, body, t));
        for (const [box, moving] of [[a!, first.a], [b!, first.b]] as const) {
          const at = boxAt(first, moving, t, new Float64Array(6));
          for (let x = 0; x < 3; x++)
            expect(at[x]! <= box[x]! + 1e-4 && at[x + 3]! >= box[x + 3]! - 1e-4, `${name}, event ${event}: the box at ${t} does not contain the body`);
        }
        const overlap = [0, 1, 2].every((x) => a![x]! <= b![x + 3]! && b![x]! <= a![x + 3]!);
        if (t < first.low - 1e-4 || t > first.high + 1e-4) {
          apart++;
          expect(!overlap, `${name}, event ${event}: the boxes overlap at ${t}`);
        }
      }
    }
  }
  expect(deforming > 20 && rigid > 20 && narrowed > 20 && apart > 20, `${deforming} ${rigid} ${narrowed} ${apart}`);
});

test("a page of queries shows the answers", () => {
  const box = '{"type":"box","size":[2,2,2],"place":{"translate":[3,0.5,0]}}', ball = '{"type":"sphere","radius":1}';
  const requests = [
    `{"op":"distance","a":${ball},"b":${box}}`,
    `{"op":"toi","a":{"type":"sphere","radius":1,"motion":{"velocity":[4,0,0],"spin":[0,0,3],"pivot":[0,1,0]}},"b":${box}}`,
    `{"op":"ray","a":${box},"from":[-5,0.5,0],"dir":[2,0,0]}`,
    `{"op":"closest","a":${ball},"from":[3,4,0]}`,
    `{"op":"contacts","a":${ball},"b":${box},"max_separation":2}`,
    '{"op":"ccd_vf","t0":[[0.2,0.2,1],[0,0,0],[1,0,0],[0,1,0]],"t1":[[0.2,0.2,-1],[0,0,0],[1,0,0],[0,1,0]]}',
    '{"op":"ccd_ee","t0":[[0,0,0],[1,0,0],[0.5,1,-1],[0.5,1,1]],"t1":[[0,0,0],[1,0,0],[0.5,-3,-1],[0.5,-3,1]]}',
  ];
  writeFileSync(join(folder, "q.jsonl"), requests.join("\n"));
  const answers = toolRun("query", "q.jsonl", "--view", "q.html").trim().split("\n").map((line) => JSON.parse(line) as { [key: string]: never });
  const page = readFileSync(join(folder, "q.html"), "utf8");
  const runs = [...page.matchAll(/<script type="application\/x-tact-run" data-name="([^"]*)">([^<]*)</g)].map((m) => decodeRun(base64Decode(m[2]!)));
  expect(runs.length === requests.length, `${runs.length} runs`);
  const point = (run: Run, event: number): number[] => [...run.events.points.subarray(7 * event, 7 * event + 7)];
  const ends = (run: Run, event: number, from: number[], to: number[]): void => {
    const p = point(run, event);
    for (let k = 0; k < 3; k++) {
      near(p[k]!, from[k]!, 1e-6, "the point");
      near(p[k]! + p[6]! * p[3 + k]!, to[k]!, 1e-5, "the other point");
    }
  };
  ends(runs[0]!, 0, answers[0]!["pa"]!, answers[0]!["pb"]!);
  near(runs[1]!.events.time[0]!, answers[1]!["t"]!, 1e-12, "time of impact");
  const poses = new Poses(runs[1]!);
  poses.evaluate(0.5); // the pivot (0, 1, 0) has the velocity (4, 0, 0) + spin x (0, 1, 0) = (1, 0, 0)
  const [x, y] = [0.5 + Math.sin(1.5), 1 - Math.cos(1.5)];
  near(poses.matrices[12]!, x, 1e-5, "x at half time");
  near(poses.matrices[13]!, y, 1e-5, "y at half time");
  near(point(runs[2]!, 0)[0]!, 2, 1e-6, "x of the hit");
  ends(runs[3]!, 0, answers[3]!["point"]!, [3, 4, 0]);
  const [contact] = answers[4]!["contacts"] as unknown as { pa: number[]; pb: number[] }[];
  ends(runs[4]!, 0, contact!.pa, contact!.pb);
  for (const [k, kind, at] of [[5, 7, 0.5], [6, 8, 0.25]] as const) {
    expect(runs[k]!.events.kind[0] === kind && runs[k]!.keys.get(0)!.length === 2, `run ${k}`);
    near(runs[k]!.events.time[0]!, at, 1e-12, "time of the contact");
  }
});

test("the clock", () => {
  const clock = new Clock(1, 3);
  clock.speed = 0.5;
  expect(!clock.tick(1), "it is paused");
  clock.toggle();
  expect(clock.tick(1) && clock.time === 1.5, "half speed");
  clock.tick(4);
  near(clock.time, 1.5, 1e-12, "after a loop");
  clock.loop = false;
  clock.tick(10);
  near(clock.time, 3, 0, "the end");
  expect(!clock.playing, "it stops at the end");
  clock.toggle();
  near(clock.time, 1, 0, "it begins anew");
  clock.seek(99);
  near(clock.time, 3, 0, "within the run");
});

void finish();
