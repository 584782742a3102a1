import { messageOf } from "../../core/base/mod.ts";
import { RPC_CODES, RpcError, type Stage, type StageContext, type StagePatch } from "../../core/wire/mod.ts";
import type { PluginConnection } from "./connection.ts";
import type { HostLimits } from "./ports.ts";
import { type SharedContext, StageRoom } from "./stage_room.ts";

export interface StageRunOptions {
  stage: Stage;
  ctx: StageContext;
  owners: string[];
  signal: AbortSignal;
}

/** How often a handler is called again because another changed the same field meanwhile. */
const MAX_TRIES = 5;

/** Runs stages: the handlers of one stage at once, on one shared context. */
export class Stages {
  readonly #rooms = new Map<number, StageRoom>();
  readonly #limits: () => HostLimits;
  readonly #connectionOf: (owner: string) => Promise<PluginConnection>;
  readonly #shared: () => SharedContext | undefined;
  #seq = 0;
  #sharedBusy = false;

  constructor(options: {
    limits: () => HostLimits;
    connectionOf: (owner: string) => Promise<PluginConnection>;
    /** Where the context of the running stage lies, while there is a segment. */
    shared: () => SharedContext | undefined;
  }) {
    this.#limits = options.limits;
    this.#connectionOf = options.connectionOf;
    this.#shared = options.shared;
  }

  room(seq: number): StageRoom | undefined {
    return this.#rooms.get(seq);
  }

  /** A plugin is gone: it loses the locks it holds. */
  drop(connection: PluginConnection): void {
    for (const room of this.#rooms.values()) room.drop(connection);
  }

  /** Runs the stage's handlers of these owners; one that fails is reported, and what the others did stands. */
  async run(options: StageRunOptions): Promise<{ patch: StagePatch; errors: { owner: string; message: string }[] }> {
    const { stage, ctx, owners, signal } = options;
    // The segment holds one stage; a second one at the same time goes inline.
    const useShared = !this.#sharedBusy;
    const room = new StageRoom({ seq: ++this.#seq, stage, ctx, shared: useShared ? this.#shared() : undefined });
    if (useShared) this.#sharedBusy = true;
    this.#rooms.set(room.seq, room);
    const errors: { owner: string; message: string }[] = [];
    try {
      await Promise.all(owners.map(async (owner) => {
        try {
          await this.#runOne(room, await this.#connectionOf(owner), signal);
        } catch (error) {
          errors.push({ owner, message: messageOf(error) });
        }
      }));
      return { patch: room.patch, errors };
    } finally {
      room.close();
      this.#rooms.delete(room.seq);
      if (useShared) this.#sharedBusy = false;
    }
  }

  async #runOne(room: StageRoom, connection: PluginConnection, signal: AbortSignal): Promise<void> {
    const { stage_timeout, cancel_grace } = this.#limits();
    try {
      for (let attempt = 1;; attempt++) {
        const entered = room.enter(connection);
        const answer = await connection.invoke("stage.invoke", { stage: room.stage, ...entered }, {
          signal,
          timeout: stage_timeout,
          grace: cancel_grace,
          what: `stage "${room.stage}"`,
        });
        const patch = answer?.patch;
        if (patch === undefined) return;
        try {
          return await room.apply(patch, answer.version ?? entered.version);
        } catch (error) {
          const conflict = error instanceof RpcError && error.code === RPC_CODES.conflict;
          if (!conflict || attempt === MAX_TRIES) throw error;
        }
      }
    } finally {
      room.drop(connection);
    }
  }
}
