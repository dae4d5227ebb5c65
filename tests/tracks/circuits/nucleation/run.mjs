// Runs builds in mc-tick, the per-game-tick engine of nucleation. In: a JSON file with a list of
// {size, cells: [[x, y, z, state], ...], button, ticks}, positions from 0. Out: for each, the states of
// its lamps and dust at every tick after the press, and the milliseconds that the ticks took.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const found = createRequire(process.env.NODE_PATH + "/").resolve("nucleation");
const { TickSimulation, TickSettleMode } = await import(pathToFileURL(found));

function snbt(build) {
  const palette = [...new Set(build.cells.map((c) => c[3]))];
  const entry = (state) => {
    const [, name, , properties] = state.match(/^([^[]+)(\[(.*)\])?$/);
    const pairs = properties ? properties.split(",").map((p) => p.split("=")) : [];
    const inside = pairs.map(([k, v]) => `${k}:"${v}"`).join(",");
    return inside ? `{Name:"${name}",Properties:{${inside}}}` : `{Name:"${name}"}`;
  };
  const blocks = build.cells.map((c) => `{pos:[${c[0]},${c[1]},${c[2]}],state:${palette.indexOf(c[3])}}`);
  return `{DataVersion:3120,size:[${build.size}],palette:[${palette.map(entry)}],blocks:[${blocks}],entities:[]}`;
}

function read(state) {
  const value = state.match(/power=(\d+)/) ?? state.match(/lit=(true|false)/);
  return value[1] === "true" ? 1 : value[1] === "false" ? 0 : Number(value[1]);
}

const builds = JSON.parse(readFileSync(process.argv[2], "utf8"));
const answers = builds.map((build) => {
  const world = TickSimulation.fromSnbt(snbt(build), TickSettleMode.InWorld, 0, 0, 0, "");
  const probes = build.cells.filter((c) => /lamp|wire/.test(c[3])).map((c) => c.slice(0, 3));
  const where = JSON.stringify(probes);
  world.useBlock(...build.button);
  const rows = [JSON.parse(world.readProbes(where)).map(read)];
  let ms = 0;
  for (let t = 0; t < build.ticks; t++) {
    const start = process.cpuUsage();
    world.step();
    const used = process.cpuUsage(start);
    ms += (used.user + used.system) / 1000;
    rows.push(JSON.parse(world.readProbes(where)).map(read));
  }
  return { probes, rows, ms };
});
process.stdout.write(JSON.stringify(answers));
