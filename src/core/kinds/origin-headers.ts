/**
 * Headers that tell backends where a request came from. Sluice sets them for all backends, and a
 * route may set or remove them for its own. A route cannot add a value, because the value would
 * follow one that clients can forge.
 */
const names =
  /^x-(forwarded-(for|host|port|proto|scheme)|original-(forwarded-(for|host)|uri)|real-ip|scheme|request-id)$/i;

export function isOriginHeader(name: string): boolean {
  return names.test(name);
}
