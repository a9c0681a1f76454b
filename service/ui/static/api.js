// The public API, and nothing else: what this screen can do, any program can.

export const API = "/api/v1";

/** What the service answered instead of what was asked for; `status` 0: it did not answer. */
export class ApiError extends Error {
  constructor(status, error) {
    super(error?.message ?? `The service answered ${status}.`);
    this.status = status;
    this.code = error?.code ?? "";
    this.details = error?.details ?? {};
  }
}

async function call(method, path, { body, headers = {}, signal } = {}) {
  const json = body !== undefined && !(body instanceof FormData);
  const answer = await fetch(API + path, {
    method,
    signal,
    headers: json ? { "Content-Type": "application/json", ...headers } : headers,
    body: json ? JSON.stringify(body) : body,
  }).catch((error) => { throw signal?.aborted ? error : new ApiError(0, { message: "The service does not answer; try again." }); });
  if (answer.status === 401) {
    location.assign("/sign-in");
    return new Promise(() => {}); // the page is being left
  }
  const said = await answer.json();
  if (!answer.ok) throw new ApiError(answer.status, said.error);
  return said;
}

export const get = (path, options) => call("GET", path, options);
export const post = (path, body, options) => call("POST", path, { body, ...options });
export const put = (path, body, options) => call("PUT", path, { body, ...options });
export const del = (path, options) => call("DELETE", path, options);

/** Address of the picture of a page, which is one of `file.pages`: turned as its places want it. */
export function picture(file, { page, rotation }, dpi) {
  return `${API}/files/${encodeURIComponent(file.id)}/pages/${page}/image?dpi=${dpi}&rotation=${rotation}`;
}

/** An id that no other operation has; also where the page is not served over TLS. */
export function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `ui-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
