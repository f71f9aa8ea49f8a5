/** Sends requests to the controller. The page shows the last answers. */

/** A failed request; its message is a sentence with the reason. */
export class ApiError extends Error {}

/**
 * Whether the page itself has aborted the request, because it sent another one in its place.
 * @param {unknown} error
 */
export const isAbort = (error) => error instanceof DOMException && error.name === "AbortError";

/**
 * @param {string} name below `/ui/api/v1/`
 * @param {URLSearchParams} [params]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(name, params = new URLSearchParams(), signal) {
  const query = params.size === 0 ? "" : `?${params}`;
  const response = await fetch(`/ui/api/v1/${name}${query}`, signal ? { signal } : {}).catch((error) => {
    if (isAbort(error)) throw error;
    throw new ApiError("The controller does not answer. Is the port still forwarded?");
  });
  const answer = await response.json().catch((error) => {
    if (isAbort(error)) throw error;
    if (response.ok) throw new ApiError("The answer of the controller broke off.");
    return {};
  });
  if (!response.ok) throw new ApiError(answer.why ?? `The controller answers ${response.status}.`);
  return answer;
}
