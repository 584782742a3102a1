/** A server of files that can be asked for a range, can break off, and can change its mind. */
export interface FileServer extends AsyncDisposable {
  url: string;
  files: Map<string, Uint8Array<ArrayBuffer>>;
  /** Every request: its path and its range. */
  asked: { path: string; range: string | null }[];
  /** The next answer ends after so many bytes. */
  cutAfter?: number | undefined;
  /** The version of the files. */
  tag: string;
  /** Answers from here on are sent to this path. */
  redirect?: string | undefined;
}

export function fileServer(): FileServer {
  const state = {
    files: new Map<string, Uint8Array<ArrayBuffer>>(),
    asked: [] as FileServer["asked"],
    tag: '"one"',
  } as FileServer;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    const range = request.headers.get("range");
    state.asked.push({ path: pathname, range });
    if (state.redirect && pathname !== state.redirect) {
      return Response.redirect(new URL(state.redirect, request.url), 302);
    }
    const bytes = state.files.get(pathname);
    if (!bytes) return new Response("not here", { status: 404 });
    const isSame = (request.headers.get("if-range") ?? state.tag) === state.tag;
    const from = range && isSame ? Number(/^bytes=(\d+)-$/.exec(range)![1]) : 0;
    if (from >= bytes.length && bytes.length > 0) return new Response(null, { status: 416 });
    const body = bytes.subarray(from);
    const headers = { "content-length": String(body.length), etag: state.tag };
    const status = from > 0 ? 206 : 200;
    const cut = state.cutAfter;
    state.cutAfter = undefined;
    if (cut === undefined) return new Response(body, { status, headers });
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async start(controller) {
        controller.enqueue(body.slice(0, cut));
        // What was sent is to arrive before the connection breaks.
        await new Promise((resolve) => setTimeout(resolve, 100));
        controller.error(new Error("broken off"));
      },
    });
    return new Response(stream, { status, headers });
  });
  return Object.assign(state, {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}
