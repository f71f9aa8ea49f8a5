/**
 * The packages of the image, by Debian suite. `wanted` lists what the image is for; dependencies
 * are found automatically, except those in `unneeded`, where each has the reason why the image does
 * not need it.
 */
export const suites = {
  testing: { release: "testing", security: "testing-security" },
  trixie: { release: "trixie", security: "trixie-security" },
} as const;
export type Suite = keyof typeof suites;
export const defaultSuite: Suite = "testing";

/** Debian's names of processors, with those that npm and the GNU tools have for them. */
export const processors = {
  amd64: { npm: "x64", gnu: "x86_64-linux-gnu", qemu: "x86_64" },
  arm64: { npm: "arm64", gnu: "aarch64-linux-gnu", qemu: "aarch64" },
} as const;
export type Processor = keyof typeof processors;

/** The C parts are compiled on this processor, for itself and for the other. */
export const builder: Processor = "amd64";

/**
 * Uses of packages: `runtime` and `debug` end up in an image, `headers` are those of nginx and
 * OpenSSL, `compiler` and `cross-compiler` run while the image is built, and `client` is a curl
 * with HTTP/3 for the tests.
 */
export const uses = ["runtime", "debug", "headers", "compiler", "cross-compiler", "client"] as const;
export type Use = (typeof uses)[number];

export const wanted: Readonly<Record<Use, readonly string[]>> = {
  runtime: [
    ...["base-files", "ca-certificates", "tzdata", "util-linux", "libcap-ng0", "nginx", "lua-cjson"],
    ...["libnginx-mod-http-lua", "libnginx-mod-stream", "libnginx-mod-stream-js"],
    ...["libnginx-mod-http-headers-more-filter", "libnginx-mod-http-brotli-filter"],
    ...["libnginx-mod-http-brotli-static", "libnginx-mod-http-geoip2", "libnginx-mod-stream-geoip2"],
    ...["libnginx-mod-http-modsecurity", "modsecurity-crs", "libnginx-mod-http-cache-purge"],
  ],
  debug: ["busybox-static"],
  headers: ["nginx-dev", "libssl-dev", "libpcre2-dev", "zlib1g-dev", "libcrypt-dev"],
  compiler: ["gcc", "libc6-dev", "dash", "coreutils", "sed", "grep"],
  "cross-compiler": ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
  client: ["curl", "ca-certificates"],
};

/** Uses whose packages come alone, without what they depend on. */
export const alone: readonly Use[] = ["headers", "debug"];

export const unneeded: Readonly<Record<string, string>> = {
  debconf: "asks questions while a package is installed",
  gawk: "an awk for scripts of base-files",
  mawk: "an awk for scripts of base-files",
  openssl: "the command; nginx uses the library",
  "libmodsecurity-dev": "headers, which Debian's module names by mistake",
  "libsasl2-modules-db": "passwords in a database, for LDAP that nothing here uses",
  "libdb5.3t64": "the database of libsasl2-modules-db",
  "libc-gconv-modules-extra": "character sets that no request is read in",
  "openssl-provider-legacy": "MD4, RC4 and the like",
  "krb5-locales": "translations",
  iproute2: "shows addresses; Debian's start script of nginx uses it",
  "lsb-base": "start scripts",
  "sysvinit-utils": "start scripts",
  perl: "scripts of packages",
  "perl-base": "scripts of packages",
  "libcap2-bin": "sets capabilities of files; the build writes them itself",
  libmount1: "only programs of util-linux that are left out use it",
  libblkid1: "only programs of util-linux that are left out use it",
  libsmartcols1: "only programs of util-linux that are left out use it",
  libuuid1: "only programs of util-linux that are left out use it",
  libudev1: "only programs of util-linux that are left out use it",
  "libpam-modules": "logins",
  "libpam-modules-bin": "logins",
  "libpam-runtime": "logins",
  "liblastlog2-2": "logins",
  "libsqlite3-0": "the database of logins",
  libpam0g: "only programs of util-linux that are left out use it",
  libaudit1: "only programs of util-linux that are left out use it",
  libsystemd0: "only programs of util-linux that are left out use it",
  libtinfo6: "only programs that are left out use it",
  libselinux1: "only programs of util-linux that are left out use it",
  "login.defs": "logins",
  "linux-libc-dev-arm64-cross": "links beside linux-libc-dev",
  "binfmt-support": "programs of other processors",
  libasan8: "a sanitizer of gcc",
  libtsan2: "a sanitizer of gcc",
  liblsan0: "a sanitizer of gcc",
  libubsan1: "a sanitizer of gcc",
  libhwasan0: "a sanitizer of gcc",
  "libasan8-arm64-cross": "a sanitizer of gcc",
  "libtsan2-arm64-cross": "a sanitizer of gcc",
  "liblsan0-arm64-cross": "a sanitizer of gcc",
  "libubsan1-arm64-cross": "a sanitizer of gcc",
  "libhwasan0-arm64-cross": "a sanitizer of gcc",
};
/** Packages named above that a compiler or the client needs, although the image does not. */
export const neededByTools: readonly string[] = ["libselinux1", "libc-gconv-modules-extra", "libtinfo6", "libsystemd0"];
