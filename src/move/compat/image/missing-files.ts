/**
 * Finds files that a snippet names and that Sluice's image does not have: those of a user's own
 * image, and modules, which have to be built for the image's nginx.
 */

/** Directives of nginx and of ModSecurity whose first word is a file that has to exist. */
const directives =
  /(?:^|[;{}])\s*(include|load_module|\w+_by_lua_file|\w*ssl_(?:trusted_|client_)?certificate(?:_key)?|ssl_dhparam|\w*ssl_crl|auth_basic_user_file|modsecurity_rules_file|geoip2)\s+["']?(\/[^\s;{}"']+)/gim;

/** Files of the image, and folders in which files come into being. */
const inImage =
  /^\/(etc\/nginx\/(mime\.types|(fastcgi|scgi|uwsgi)_params|fastcgi\.conf|modsecurity\/(modsecurity\.conf|unicode\.mapping)|owasp-modsecurity-crs\/(nginx-modsecurity\.conf|crs-setup\.conf|rules\/.*))$|etc\/ssl\/certs\/|usr\/lib\/nginx\/modules\/|dev\/|proc\/|tmp\/|run\/|var\/(run|log)\/)/;

/**
 * Returns sentences that say what to do. `mounts` are the paths at which the controller has
 * volumes; if they are not known, only modules are reported.
 */
export function missingFiles(text: string, mounts: readonly string[] | undefined): readonly string[] {
  const plain = text.replace(/^\s*#.*$/gm, "");
  const modules = /(?:^|[;{}])\s*load_module\s+([^\s;]+)/gm;
  const ofModules = [...plain.matchAll(modules)].map(
    ([, file]) =>
      `load_module ${file}: build it for the image's nginx 1.30 (Debian's, with glibc), because one for ingress-nginx cannot be loaded`,
  );
  const isMounted = (file: string) => mounts?.some((path) => `${file}/`.startsWith(`${path.replace(/\/$/, "")}/`));
  const named = [...plain.matchAll(directives)].filter(([, directive]) => directive !== "load_module");
  const files = mounts === undefined ? [] : named.flatMap(([, , file]) => (file!.includes("$") ? [] : [file!]));
  const missing = files.filter((file) => !inImage.test(file) && !isMounted(file));
  const ofFiles = [...new Set(missing)].map(
    (file) => `the image has no file ${file}: mount it with controller.extraVolumes, or nginx refuses the snippet`,
  );
  return [...ofModules, ...ofFiles];
}
