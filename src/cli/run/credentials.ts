/** Where the API server is, from the flags: a kubeconfig, the Pod's own account, or an address alone. */
import { readFile } from "node:fs/promises";
import { type Credentials, findCredentials } from "../../kubernetes/index.ts";
import type { Flags } from "../flags.ts";

type CredentialFlags = Pick<Flags, "kubeconfig" | "apiserverHost" | "certificateAuthority"> & {
  /** Of the kubeconfig; the current one when not given. */
  readonly context?: string | undefined;
};

export type FoundCredentials =
  | { readonly ok: true; readonly credentials: Credentials }
  | { readonly ok: false; readonly why: string };

/** `env` brings KUBECONFIG and what a Pod is told. Fails with one sentence. */
export async function credentialsOf(flags: CredentialFlags, env: NodeJS.ProcessEnv): Promise<FoundCredentials> {
  const { kubeconfig, apiserverHost: server, context } = flags;
  const inPod = env.KUBERNETES_SERVICE_HOST !== undefined;
  if (server !== undefined && kubeconfig === undefined && env.KUBECONFIG === undefined && !inPod) {
    return { ok: true, credentials: anonymous(server, flags.certificateAuthority) };
  }
  try {
    return { ok: true, credentials: await findCredentials({ kubeconfig, server, context, env }) };
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
}

/** An API server that asks for no proof, or a proxy that brings it (`kubectl proxy`). */
function anonymous(server: string, authorityFile: string | undefined): Credentials {
  return {
    server: new URL(server),
    namespace: undefined,
    proof: async () => ({
      tls: authorityFile === undefined ? {} : { ca: await readFile(authorityFile) },
      headers: {},
    }),
  };
}
