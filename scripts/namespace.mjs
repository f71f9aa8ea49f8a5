/** A network namespace of its own for tests and benchmarks; plain JavaScript, because it is made before Node 24 starts in it. */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The addresses 192.0.2.1 to .120 are what the corpus expects; 10.96.77.77 plays a ClusterIP. */
export function inNamespace(command) {
  const rootless = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  const addresses = [
    "ip link set lo up",
    "ip addr add 192.0.2.1/24 dev lo",
    "for i in $(seq 2 120); do ip addr add 192.0.2.$i/32 dev lo; done",
    "ip addr add 10.96.77.77/32 dev lo",
    "ip -6 addr add 2001:db8::1/64 dev lo 2>/dev/null || true",
  ];
  const script = `set -e; ${addresses.join("; ")}; export PATH="${root}node_modules/.bin:$PATH:/usr/sbin:/sbin"; exec "$@"`;
  return ["unshare", ...rootless, "--net", "--", "sh", "-c", script, "sh", ...command];
}
