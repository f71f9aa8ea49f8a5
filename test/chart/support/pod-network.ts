/**
 * Makes a network namespace for a Pod, with an address that the test's own namespace and other Pods
 * can reach. So many Pods can listen on port 80, as in a cluster. A process that only sleeps keeps
 * the namespace. The test's namespace forwards between Pods; it is the one that `npm test` made,
 * not the machine's.
 */
import { execa } from "execa";

export interface PodNetwork {
  /** Words before a command that let it run in there. */
  readonly enter: readonly string[];
  close(): Promise<void>;
}

/** An address of the test's namespace. */
const gateway = "192.0.2.1";

export async function openPodNetwork(address: string): Promise<PodNetwork> {
  const holder = execa("unshare", ["--net", "sleep", "infinity"], { reject: false, stdio: "ignore" });
  const enter = ["nsenter", `--net=/proc/${holder.pid}/ns/net`];
  const link = `pod-${address.split(".").at(-1)}`;
  const inside = [
    `ip addr add ${address}/32 dev eth0`,
    "ip link set lo up",
    "ip link set eth0 up",
    `ip route add ${gateway} dev eth0`,
    `ip route add default via ${gateway}`,
  ];
  const script = [
    "echo 1 > /proc/sys/net/ipv4/ip_forward",
    // Before unshare has finished, the process is still in our namespace.
    `until [ "$(readlink /proc/${holder.pid}/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done`,
    `ip link add ${link} type veth peer name eth0 netns ${holder.pid}`,
    `ip link set ${link} up`,
    `ip route add ${address}/32 dev ${link}`,
    ...inside.map((command) => [...enter, command].join(" ")),
  ];
  await execa("sh", ["-ec", script.join("\n")]);
  return {
    enter,
    async close() {
      holder.kill("SIGKILL");
      await holder;
    },
  };
}
