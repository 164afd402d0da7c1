// Requests to the server. Errors are one line and a remedy.

export class ApiError extends Error {
  /** A remedy that names the interface is for programs. */
  constructor(status, body) {
    super(body.remedy && !body.remedy.includes("/api/") ? `${body.error}; ${body.remedy}` : body.error);
    this.status = status;
    this.body = body;
  }
}

/** The server does not answer at all. */
export class AwayError extends Error {}

async function send(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["content-type"] = "application/json";
  }
  const answer = await fetch(`/api${path}`, options).catch(() => {
    throw new AwayError("the server does not answer; start it again with tiltless web");
  });
  if (answer.status === 204) return null;
  const data = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new ApiError(answer.status, data);
  return data;
}

export const get = (path) => send("GET", path);
export const remove = (path) => send("DELETE", path);

/**
 * Send a request that is applied once: it is repeated while the server is away or stopping, which is
 * safe because the server knows its number.
 */
export async function post(path, body) {
  for (let wait = 500; ; wait = Math.min(2 * wait, 15000)) {
    try {
      return await send("POST", path, body);
    } catch (problem) {
      if ((problem instanceof ApiError && problem.status !== 503) || body.seq === undefined) throw problem;
      await new Promise((done) => setTimeout(done, wait * (0.5 + Math.random())));
    }
  }
}
