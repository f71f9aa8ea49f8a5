/**
 * One full build in a process of its own, as a controller does it at its start: nothing is compiled
 * yet, no certificate was read before. Prints its CPU in ms. `full-build.ts HOSTS FILE`, where FILE
 * holds the Secrets as JSON, since making them takes longer than all else.
 */
import { readFileSync } from "node:fs";
import { plainHosts } from "./hosts.ts";
import { cpuOf, openPipeline } from "./pipeline.ts";

const [hosts = "", file = ""] = process.argv.slice(2);
const snapshot = plainHosts(Number(hosts), JSON.parse(readFileSync(file, "utf8")));
const pipeline = await openPipeline();
console.log(cpuOf(() => pipeline.turn(snapshot)));
