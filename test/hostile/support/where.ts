/**
 * The two ways in which nginx runs: started by the controller, or by another process as in a
 * container of its own, in both modes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nginxBeside } from "./nginx-beside.ts";
import { startWorld, type World, type WorldOptions } from "./world.ts";

export type PlaceOptions = Pick<WorldOptions, "flags" | "nameservers">;

export interface Place {
  readonly world: World;
  readonly end: () => Promise<void>;
}

async function here(mode: "dynamic" | "static", options: PlaceOptions): Promise<Place> {
  const world = await startWorld({ mode, ...options });
  return { world, end: () => world.stop() };
}

/** Starts nginx as in a container of its own, if another process than the controller runs it. */
async function beside(mode: "dynamic" | "static", options: PlaceOptions): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), "hostile-"));
  const { nginx, end } = await nginxBeside(root);
  const world = await startWorld({ mode, ...options, runFolder: root, nginx });
  return {
    world,
    end: async () => {
      await world.stop();
      await end();
      rmSync(root, { recursive: true });
    },
  };
}

export const places = {
  "in dynamic mode": (options: PlaceOptions) => here("dynamic", options),
  "in static mode": (options: PlaceOptions) => here("static", options),
  "in dynamic mode with nginx in a container of its own": (options: PlaceOptions) => beside("dynamic", options),
  "in static mode with nginx in a container of its own": (options: PlaceOptions) => beside("static", options),
} as const;
