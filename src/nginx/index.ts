/**
 * The nginx edge: the installed nginx, the run folder, and the process that serves the rendered
 * configuration. nginx reads text from disk and reports little, so most code here finds out what
 * nginx has really done. A reload counts only when new workers answer and the old ones have stopped
 * listening.
 */

export { type AskedCapabilities, askCapabilities, type Capabilities } from "./capabilities.ts";
export { type ConfigurationFile, type Disk, machineDisk, writeAtomically } from "./folder/files.ts";
export { Journal } from "./folder/journal.ts";
export type { JournalState } from "./folder/journal-text.ts";
export { type OpenedFolder, openRunFolder } from "./folder/open.ts";
export { pathsOf, type RunFolder } from "./folder/paths.ts";
export type { Generations } from "./generations.ts";
export { type FoundNginx, type InstalledNginx, nginxHere } from "./installed.ts";
export { makeLogFolders, usualLogs } from "./log-folders.ts";
export { type Found, type Nginx, type NginxOptions, type OpenedNginx, openNginx } from "./nginx.ts";
export { openOrders, socketMistake } from "./order-server.ts";
export { Pass } from "./pass.ts";
export { placeHere } from "./place.ts";
export { portsInUse } from "./ports-in-use.ts";
export type { NginxEvent } from "./process/supervisor.ts";
export type { ReloadOutcome, RenderedConfiguration } from "./reload.ts";
export { remoteNginx } from "./remote.ts";
export { takeErrors } from "./upstream-errors.ts";
