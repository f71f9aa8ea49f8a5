/** Databases of GeoIP, which have to be in a volume, because Sluice downloads none. */
import { at } from "../../../tools/value-at.ts";
import { isForeign } from "./images.ts";

/** What tells whether a controller has databases. */
export interface GeoipSource {
  /** The folder that is read, by default that of ingress-nginx. */
  readonly folder: string;
  readonly mounts: readonly string[] | undefined;
  readonly image: string | undefined;
  /** Whether ingress-nginx downloads them. */
  readonly isDownloaded: boolean;
}

/** Whether one of these paths holds the folder, or is below it. */
export function isMounted(folder: string, mounts: readonly string[]): boolean {
  const [inside, ...paths] = [folder, ...mounts].map((path) => `${path.replace(/\/+$/, "")}/`);
  return paths.some((path) => inside!.startsWith(path) || path.startsWith(inside!));
}

/** Whether flags or values of the chart let ingress-nginx download databases. */
export function isDownloaded(flags: ReadonlyMap<string, string>, content: unknown): boolean {
  const key = at(content, "controller", "maxmindLicenseKey");
  return [flags.get("maxmind-license-key"), flags.get("maxmind-mirror"), key].some((one) => Boolean(one));
}

/**
 * Returns what follows for use-geoip2 where no volume holds the databases. It is work if
 * ingress-nginx may have them nevertheless; otherwise it switches the key off as well.
 */
export function withoutDatabases({ folder, mounts, image, isDownloaded }: GeoipSource) {
  if (mounts === undefined || isMounted(folder, mounts)) return undefined;
  return isDownloaded || (image !== undefined && isForeign(image.replace(/[:@].*$/, "")))
    ? { work: `the databases are not in the image: mount them at ${folder} with controller.extraVolumes` }
    : { idle: `key use-geoip2 has no effect: no volume is mounted at ${folder}, so there are no databases` };
}
