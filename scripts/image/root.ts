/**
 * The selected root of the image: the files of Debian's packages that it holds, and the results of
 * the packages' scripts, which never run here. There is no shell, no package manager, and no
 * program except those below.
 */

import type { Pin } from "./lock.ts";
import { fileOf } from "./store.ts";
import { file, folder, link, readArchive, type Tree } from "./tree.ts";

/**
 * The only programs that packages bring. Everything else in a bin folder is left out. The
 * controller locks its run folder with flock.
 */
const programs = ["usr/sbin/nginx", "usr/bin/setpriv", "usr/bin/flock"];

/** The user that everything runs as; the numbers are those of ingress-nginx's image. */
export const user = { uid: 101, gid: 82 } as const;

const unwanted = [
  /^usr\/s?bin\//,
  /^usr\/share\/(man|info|locale|lintian|bug|bash-completion|vim|apport|perl5|gcc|gdb|debhelper|base-files|dict|pam|menu|doc-base|zsh)\//,
  /^usr\/share\/doc\/(?!.*\/copyright$)/,
  /^usr\/share\/(pixmaps|applications|metainfo|polkit-1|initramfs-tools|keyrings|common-licenses\/GFDL)/,
  /^usr\/share\/zoneinfo\/(right|posix)\//,
  /^usr\/share\/modsecurity-crs\/util\//,
  /^usr\/share\/modsecurity-crs\/owasp-crs\.load$/,
  /^usr\/include\//,
  /^usr\/lib\/(systemd|sysctl\.d|tmpfiles\.d|sysusers\.d|udev|gcc|debug|pam\.d|valgrind|init|mime|pkgconfig)\//,
  /^usr\/lib\/[^/]*\/(pkgconfig|cmake|audit|security|gconv|perl|perl-base|engines-3|libexec|krb5|sasl2|lua\/5\.[2-9])\//,
  /\.(a|la|o|py)$/,
  /^etc\/(init\.d|cron|logrotate\.d|ufw|apport|systemd|pam\.d|security|default|update-motd\.d|skel|profile\.d|apparmor\.d|dpkg|gss|motd|issue)/,
  /^etc\/nginx\/(sites-|modules-|snippets\/|conf\.d)/,
  /^etc\/modsecurity\/modsecurity\.conf-recommended$/,
  /^(var\/(backups|cache|local|mail|spool|opt)|home|boot|media|mnt|srv|opt|root|usr\/(games|src|local))\//,
  /^\.usr-is-merged/,
];

/** Paths at which ingress-nginx has files that Debian's packages put elsewhere. */
const moved: Readonly<Record<string, string>> = {
  "etc/nginx/modsecurity.conf": "etc/nginx/modsecurity/modsecurity.conf",
  "etc/nginx/unicode.mapping": "etc/nginx/modsecurity/unicode.mapping",
};

function kept(path: string): string | undefined {
  if (programs.includes(path)) return path;
  return unwanted.some((pattern) => pattern.test(path)) ? undefined : (moved[path] ?? path);
}

/**
 * Debian's part of the image. Each package leaves its entry in `var/lib/dpkg/status.d`, where
 * scanners look.
 */
export async function debianRoot(pins: readonly Pin[]): Promise<Tree> {
  const tree: Tree = new Map();
  for (const pin of pins) {
    await readArchive(["dpkg-deb", "--fsys-tarfile", fileOf(pin)], tree, kept);
    tree.set(`var/lib/dpkg/status.d/${pin.name}`, file(statusOf(pin)));
  }
  addFolders(tree);
  addAccounts(tree);
  addCertificates(tree);
  addNginxFiles(tree);
  addRuleLinks(tree);
  return tree;
}

const statusOf = ({ name, version, processor }: Pin) =>
  `Package: ${name}\nStatus: install ok installed\nVersion: ${version}\nArchitecture: ${processor}\n`;

function addFolders(tree: Tree): void {
  for (const name of ["bin", "sbin", "lib"]) tree.set(name, link(`usr/${name}`));
  if ([...tree.keys()].some((path) => path.startsWith("usr/lib64/"))) tree.set("lib64", link("usr/lib64"));
  for (const name of ["proc", "sys", "dev", "run", "home", "opt", "usr/bin", "usr/local/bin"]) tree.set(name, folder());
  tree.set("tmp", folder(0o1777));
  tree.set("root", folder(0o700));
  tree.set("var/run", link("/run"));
  tree.set("etc/localtime", link("/usr/share/zoneinfo/Etc/UTC"));
  tree.set("run/sluice", folder(0o700, user));
  tree.set("etc/ingress-controller", folder(0o755, user));
}

function addAccounts(tree: Tree): void {
  const nologin = "/usr/sbin/nologin";
  const users = [
    `root:x:0:0:root:/root:${nologin}`,
    `www-data:x:33:33:www-data:/var/www:${nologin}`,
    `sluice:x:${user.uid}:${user.gid}::/nonexistent:${nologin}`,
    `nobody:x:65534:65534:nobody:/nonexistent:${nologin}`,
  ];
  const groups = ["root:x:0:", "www-data:x:33:", `sluice:x:${user.gid}:`, "nogroup:x:65534:"];
  tree.set("etc/passwd", file(`${users.join("\n")}\n`));
  tree.set("etc/group", file(`${groups.join("\n")}\n`));
  tree.set("etc/nsswitch.conf", file("passwd: files\ngroup: files\nhosts: files dns\n"));
}

/**
 * Does the work of update-ca-certificates: all authorities go into one file, and a link with the
 * name that OpenSSL expects leads to it.
 */
function addCertificates(tree: Tree): void {
  const names = [...tree.keys()].filter((path) => /^usr\/share\/ca-certificates\/.*\.crt$/.test(path)).toSorted();
  const bodies = names.map((name) => {
    const entry = tree.get(name)!;
    return entry.kind === "file" ? entry.body.toString("latin1").replace(/\n?$/, "\n") : "";
  });
  tree.set("etc/ssl/certs/ca-certificates.crt", file(bodies.join("")));
  for (const name of names) tree.delete(name);
  tree.set("usr/lib/ssl/cert.pem", link("/etc/ssl/certs/ca-certificates.crt"));
}

function addNginxFiles(tree: Tree): void {
  tree.set("usr/bin/nginx", link("../sbin/nginx"));
  // Settings and rules may name files here. A volume of the chart hides these folders, and the
  // controller makes them again there.
  for (const name of ["var/log", "var/log/nginx", "var/log/audit", "tmp/nginx"]) tree.set(name, folder(0o755, user));
  tree.set("var/log/nginx/access.log", link("/dev/stdout"));
  tree.set("var/log/nginx/error.log", link("/dev/stderr"));
  tree.set("var/lib/nginx", folder());
  const rules = "etc/nginx/modsecurity/modsecurity.conf";
  const entry = tree.get(rules);
  if (entry?.kind !== "file") throw new Error("Debian's ModSecurity package has no settings any more.");
  // The log of audits goes to the place of the other logs. `SecAuditLogType Concurrent` writes a
  // file for each request into the folder that ingress-nginx has for them.
  const text = entry.body.toString("utf8").replace(/^SecAuditLog .*$/m, "SecAuditLog /dev/stdout");
  tree.set(rules, file(`${text}\nSecAuditLogStorageDir /var/log/audit/\n`));
  // setpriv may pass NET_BIND_SERVICE on to the program that it starts. nginx itself has no
  // capability, because then it could not start if the container drops all capabilities.
  const setpriv = tree.get("usr/bin/setpriv");
  if (setpriv?.kind !== "file") throw new Error("Debian's util-linux has no setpriv any more.");
  tree.delete("usr/bin/setpriv");
  tree.set("usr/lib/sluice/with-net-bind-service", { ...setpriv, capability: mayBind });
}

/**
 * Adds the paths that the OWASP rules have in ingress-nginx's image, because rules of users include
 * them: `Include /etc/nginx/owasp-modsecurity-crs/rules/*.conf`.
 */
export function addRuleLinks(tree: Tree): void {
  const home = "etc/nginx/owasp-modsecurity-crs";
  for (const path of [...tree.keys()]) {
    const [, name] = /^(?:usr\/share\/modsecurity-crs\/rules|etc\/modsecurity\/crs)\/([^/]+)$/.exec(path) ?? [];
    if (name !== undefined)
      tree.set(name === "crs-setup.conf" ? `${home}/${name}` : `${home}/rules/${name}`, link(`/${path}`));
  }
}

/**
 * The kernel's form of `cap_net_bind_service=p`: revision 2, permitted bit 10, nothing inheritable.
 */
const mayBind = Buffer.from([0, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** The extra layer of a `-debug` tag: a shell and the usual small tools, all of them busybox. */
export async function debugRoot(pins: readonly Pin[]): Promise<Tree> {
  const tree: Tree = new Map();
  for (const pin of pins) {
    await readArchive(["dpkg-deb", "--fsys-tarfile", fileOf(pin)], tree, (path) =>
      path === "usr/bin/busybox" || path.endsWith("/copyright") ? path : undefined,
    );
    tree.set(`var/lib/dpkg/status.d/${pin.name}`, file(statusOf(pin)));
  }
  for (const name of tools) tree.set(`usr/bin/${name}`, link("busybox"));
  return tree;
}

const tools =
  "sh ash awk base64 basename cat chmod cp cut date dd df dirname du env expr false find free grep gunzip gzip head hexdump hostname id kill killall ln ls mkdir mktemp more mv nc netstat nslookup od pgrep pidof ping printf ps pwd readlink rm rmdir sed seq sleep sort stat strings tail tar tee telnet test time timeout top touch tr true uname uniq uptime vi watch wc wget which whoami xargs".split(
    " ",
  );
