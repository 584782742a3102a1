/** Tells systemd how the service is: `READY=1`, `STOPPING=1`, and signs of life for its watchdog. Does nothing where there
 * is no systemd that listens. */
export class ServiceNotifier {
  readonly #path: string | undefined;
  readonly #watchdog: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(env: Readonly<Record<string, string>>) {
    const path = env.NOTIFY_SOCKET;
    // An abstract socket's name begins with @; Deno cannot send to one.
    this.#path = path?.startsWith("/") ? path : undefined;
    this.#watchdog = Number(env.WATCHDOG_USEC ?? 0) / 1000;
  }

  async ready(): Promise<void> {
    await this.#send("READY=1");
    if (this.#path && this.#watchdog > 0) {
      this.#timer = setInterval(() => void this.#send("WATCHDOG=1"), this.#watchdog / 3);
    }
  }

  async stopping(): Promise<void> {
    clearInterval(this.#timer);
    await this.#send("STOPPING=1");
  }

  async #send(state: string): Promise<void> {
    if (!this.#path) return;
    const own = await Deno.makeTempFile({ prefix: "homed-notify-" });
    await Deno.remove(own);
    let socket: Deno.DatagramConn | undefined;
    try {
      socket = Deno.listenDatagram({ transport: "unixpacket", path: own });
      await socket.send(new TextEncoder().encode(state), { transport: "unixpacket", path: this.#path });
    } catch {
      // systemd is not there to hear it: homed works all the same.
    } finally {
      socket?.close();
      await Deno.remove(own).catch(() => {
        // It was never made.
      });
    }
  }
}
