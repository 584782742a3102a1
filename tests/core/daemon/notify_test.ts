import assert from "node:assert/strict";
import { ServiceNotifier } from "../../../core/daemon/notify.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

Deno.test({
  name: "systemd is told READY, signs of life, and STOPPING",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await tempFolder();
    const path = `${folder.path}/notify`;
    const socket = Deno.listenDatagram({ transport: "unixpacket", path });
    const receive = async () => new TextDecoder().decode((await socket.receive())[0]);
    const notifier = new ServiceNotifier({ NOTIFY_SOCKET: path, WATCHDOG_USEC: "60000" });
    await notifier.ready();
    assert.equal(await receive(), "READY=1");
    assert.equal(await receive(), "WATCHDOG=1");
    assert.equal(await receive(), "WATCHDOG=1");
    await notifier.stopping();
    for (;;) if (await receive() === "STOPPING=1") break;
    socket.close();
  },
});

Deno.test("without systemd nothing happens, also when its socket is gone", async () => {
  for (
    const env of [{}, { NOTIFY_SOCKET: "/no/such/socket" }, { NOTIFY_SOCKET: "@abstract" }] as Record<string, string>[]
  ) {
    const notifier = new ServiceNotifier(env);
    await notifier.ready();
    await notifier.stopping();
  }
});
