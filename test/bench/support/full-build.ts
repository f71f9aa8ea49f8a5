/**
 * One full build in a process of its own, like a controller's at its start: no code is compiled
 * yet, and no certificate was read. Prints its CPU in ms. `full-build.ts HOSTS FILE`, where FILE
 * holds the Secrets as JSON, because making them takes longer than all else.
 */
import { readFileSync } from "node:fs";
import { plainHosts } from "./hosts.ts";
import { cpuOf, openPipeline } from "./pipeline.ts";

const [hosts = "", file = ""] = process.argv.slice(2);
const snapshot = plainHosts(Number(hosts), JSON.parse(readFileSync(file, "utf8")));
const pipeline = await openPipeline();
console.log(cpuOf(() => pipeline.turn(snapshot)));
