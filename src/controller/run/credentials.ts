/**
 * Finds the API server from the flags: by a kubeconfig, the Pod's own account, or an address alone.
 */
import { readFile } from "node:fs/promises";
import { fileError } from "../../base/file-errors.ts";
import { type Credentials, findCredentials } from "../../kube/index.ts";
import type { Flags } from "../flags.ts";

type CredentialFlags = Pick<Flags, "kubeconfig" | "apiserverHost" | "certificateAuthority"> & {
  /** The context of the kubeconfig. The default is its current one. */
  readonly context?: string | undefined;
};

export type FoundCredentials =
  | { readonly ok: true; readonly credentials: Credentials }
  | { readonly ok: false; readonly why: string };

/**
 * Finds the credentials. `env` has KUBECONFIG and the variables of a Pod. A failure is one
 * sentence.
 */
export async function credentialsOf(flags: CredentialFlags, env: NodeJS.ProcessEnv): Promise<FoundCredentials> {
  const { kubeconfig, apiserverHost: server, certificateAuthority, context } = flags;
  const hasAccount = kubeconfig !== undefined || Boolean(env.KUBECONFIG) || env.KUBERNETES_SERVICE_HOST !== undefined;
  try {
    const found =
      server !== undefined && !hasAccount
        ? anonymous(server)
        : await findCredentials({ kubeconfig, server, context, env });
    const trusting = server !== undefined && certificateAuthority !== undefined;
    return { ok: true, credentials: trusting ? await withAuthority(found, certificateAuthority) : found };
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
}

/**
 * Returns empty credentials, for an API server that needs none, or a proxy that adds them (`kubectl
 * proxy`).
 */
function anonymous(server: string): Credentials {
  return { server: new URL(server), proof: async () => ({ tls: {}, headers: {} }) };
}

/** Trusts only the authority in `file`, which is read again for each request. */
async function withAuthority(credentials: Credentials, file: string): Promise<Credentials> {
  await readFile(file).catch((error: Error) => {
    throw new Error(`--certificate-authority cannot be read: ${fileError(error)}`);
  });
  const proof = async () => {
    const own = await credentials.proof();
    return { ...own, tls: { ...own.tls, ca: await readFile(file) } };
  };
  return { ...credentials, proof };
}
