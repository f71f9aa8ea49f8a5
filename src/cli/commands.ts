/**
 * The commands by name. Each loads its code only when it runs, so that `--help` does not wait for a
 * cluster client.
 */
import { didYouMean } from "../base/did-you-mean.ts";
import { startProgress } from "../base/progress.ts";
import { nearest } from "../core/kinds/nearest.ts";
import type { Command } from "./command.ts";
import type { Out } from "./out.ts";

export const commands: Readonly<Record<string, Command>> = {
  run: {
    usage: "run",
    doc: "Serves the Ingresses of a Kubernetes cluster.",
    run: onLinux("run", async (argv, out) => (await import("./run.ts")).run(argv, out, process)),
  },
  serve: {
    usage: "serve FOLDER",
    doc: "Serves the Kubernetes objects in a folder of YAML files, without a cluster.",
    run: onLinux("serve", async (argv, out) =>
      (await import("./serve.ts")).serve(argv, out, process, startProgress("sluice serve", process.stderr)),
    ),
  },
  nginx: {
    usage: "nginx",
    doc: "Runs nginx by itself, for a controller in another container.",
    run: onLinux("nginx", async (argv, out) => (await import("./nginx.ts")).nginx(argv, out, process)),
  },
  dbg: {
    usage: "dbg",
    doc: "Answers the commands of ingress-nginx's kubectl plugin in a Pod.",
    run: async (argv, out) => (await import("./dbg.ts")).dbg(argv, out, process.env),
  },
  check: {
    usage: "check FOLDER",
    doc: "Reports mistakes in the objects of a folder of YAML files, with file and line.",
    run: async (argv, out) =>
      announced("check", out, async (out) => (await import("./check.ts")).check(argv, out, coloured())),
  },
  diff: {
    usage: "diff OLD NEW",
    doc: "Shows the effect of a change from one folder to another, and whether nginx is reloaded.",
    run: async (argv, out) => (await import("./diff.ts")).diff(argv, out, coloured()),
  },
  render: {
    usage: "render FOLDER",
    doc: "Prints the nginx.conf that Sluice makes of a folder of YAML files.",
    run: async (argv, out) => (await import("./render.ts")).render(argv, out),
  },
  routes: {
    usage: "routes [FOLDER]",
    doc: "Lists where each host and path leads, with endpoints, canaries and certificates.",
    run: async (argv, out) => (await import("./routes.ts")).routes(argv, out, new Date(), coloured()),
  },
  status: {
    usage: "status",
    doc: "Shows the state of a running controller: the last changes, reloads, Problems and memory.",
    run: async (argv, out) => (await import("./status.ts")).status(argv, out, new Date(), coloured()),
  },
  why: {
    usage: "why URL [PATH]",
    doc: "Explains the answer to a request, step by step, and what would have to change.",
    run: async (argv, out) => (await import("./why.ts")).why(argv, out, new Date()),
  },
  compat: {
    usage: "compat PATH",
    doc: "Reports how much of a cluster can move from ingress-nginx unchanged, and what needs work.",
    run: async (argv, out) =>
      announced("compat", out, async (out) =>
        (await import("./compat.ts")).compat(argv, out, coloured(), process.stdout.columns),
      ),
  },
  compare: {
    usage: "compare OLD NEW",
    doc: "Sends the same requests to two addresses, and reports where the answers differ.",
    run: async (argv, out) => (await import("./compare.ts")).compare(argv, out, coloured()),
  },
  convert: {
    usage: "convert PATH",
    doc: "Writes Ingresses as objects of the Gateway API, and proves that they behave the same.",
    run: async (argv, out) =>
      announced("convert", out, async (out) => (await import("./convert.ts")).convert(argv, out)),
  },
  reference: {
    usage: "reference PAGE",
    doc: "Prints the page annotations, settings, flags or metrics, in Markdown.",
    run: async (argv, out) => (await import("./reference.ts")).reference(argv, out),
  },
  explain: {
    usage: "explain KEY",
    doc: "Explains an annotation, a ConfigMap key or a flag.",
    run: async (argv, out) => (await import("./explain.ts")).explain(argv, out),
  },
  completion: {
    usage: "completion SHELL",
    doc: "Prints a script with which bash, zsh or fish completes commands, flags and names.",
    run: async (argv, out) => (await import("./completion.ts")).completion(argv, commands, out),
  },
};

/** Runs a command that may take long. Its first output ends the line that shows that it works. */
async function announced(name: string, out: Out, run: (out: Out) => Promise<number>): Promise<number> {
  const end = startProgress(`sluice ${name}`, process.stderr);
  const ending =
    <A extends unknown[]>(write: (...args: A) => void) =>
    (...args: A) => {
      end();
      write(...args);
    };
  return run({ write: ending(out.write), fail: ending(out.fail) }).finally(end);
}

/** Makes a command that starts nginx, whose locks and signals are those of Linux. */
function onLinux(name: string, run: Command["run"]): Command["run"] {
  return async (argv, out) => {
    if (process.platform === "linux" || argv.includes("--help")) return run(argv, out);
    const needed = "it needs Linux with nginx 1.22 or newer and nginx's Lua and stream modules";
    out.fail(`sluice ${name}: ${needed}, and this is ${process.platform}; the image has all of it`);
    return 1;
  };
}

export function helpText(): string {
  const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length)) + 2;
  const lines = Object.values(commands).map(({ usage, doc }) => `  ${usage.padEnd(width)}${doc}\n`);
  return `Sluice, an NGINX ingress controller.

Usage: sluice COMMAND

Commands:
${lines.join("")}
sluice help COMMAND describes one command; sluice --version prints the release.
`;
}

export function unknownCommand(name: string): string {
  const similar = nearest(name, Object.keys(commands));
  const hint = similar === undefined ? "; see sluice --help" : didYouMean(similar);
  return `sluice: ${JSON.stringify(name)} is not a command${hint}`;
}

/** Whether standard output is a terminal with colours. */
function coloured(): boolean {
  return process.stdout.isTTY === true && process.stdout.hasColors();
}
