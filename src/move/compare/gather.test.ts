import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gather } from "./gather.ts";

const sources = { hosts: [], credentials: false, limit: 10 };

test("lines of a log that are not sent are counted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gather-"));
  try {
    const log = join(folder, "access.log");
    const line = (request: string) => `192.0.2.1 - - [x] "${request} HTTP/1.1" 200 1 "-" "-" 1 1 [] [] - - - - -`;
    writeFileSync(log, [line("GET /a"), line("POST /b"), "something else", "", line("GET /c")].join("\n"));
    const named = await gather({ ...sources, log, hosts: [{ name: "shop.example", scheme: "http" }] });
    expect(named).toMatchObject({
      ok: true,
      requests: [{ target: "/a" }, { target: "/c" }],
      notes: ["2 lines of the log left out, because only GETs that can be read are sent again"],
    });
    const { notes } = (await gather({ ...sources, log })) as { readonly notes: readonly string[] };
    expect(notes[1]).toBe(
      "2 of 2 GETs of the log name no host; --host NAME, --routes FOLDER or --kubeconfig gives them one",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(["log", "requests"])("a file of --%s that cannot be opened is named in plain words", async (option) => {
  const read = await gather({ ...sources, [option]: "/nowhere/at-all" });
  expect(read).toEqual({ ok: false, why: "/nowhere/at-all cannot be read: it does not exist" });
  const folder = await gather({ ...sources, [option]: tmpdir() });
  expect(folder).toEqual({ ok: false, why: `${tmpdir()} cannot be read: it is a folder` });
});
