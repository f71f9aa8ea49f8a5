/**
 * Headers that tell backends where a request came from. Sluice sets them for all backends; a route
 * may set or remove them for its own. A value that is added to one would stand behind a value that
 * clients can forge, so it is not sent.
 */
const names =
  /^x-(forwarded-(for|host|port|proto|scheme)|original-(forwarded-(for|host)|uri)|real-ip|scheme|request-id)$/i;

export function isOriginHeader(name: string): boolean {
  return names.test(name);
}
