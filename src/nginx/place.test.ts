import { expect, test } from "vitest";
import { cpuQuota } from "./place.ts";

test.each([
  [{ "cpu.max": "150000 100000" }, 2],
  [{ "cpu.max": "max 100000" }, undefined],
  [{ "cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "100000" }, 1],
  [{ "cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000" }, undefined],
  [{}, undefined],
])("the files %j mean a quota of %s CPUs", (files: Readonly<Record<string, string>>, cpus) => {
  expect(cpuQuota((path) => files[path.replace("/sys/fs/cgroup/", "")] ?? "")).toBe(cpus);
});
