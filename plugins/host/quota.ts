import { RPC_CODES, RpcError } from "../../core/wire/mod.ts";
import type { CoreCaller } from "./caller.ts";

/** What one plugin may have, so that no single one fills what all share. */
export const QUOTA = {
  tools: 128,
  outputs: 16,
  inputs: 16,
  apis: 64,
  settings: 256,
  /** Turns it has started that are not over. */
  turns: 16,
} as const;

/** How often it may do what is dear to homed or breaks into a conversation: so many at once, and then so many a second. */
const RATES = {
  interrupts: { burst: 5, perSecond: 0.5 },
  listings: { burst: 50, perSecond: 20 },
  changes: { burst: 100, perSecond: 20 },
} as const;

/** @throws {RpcError} −32006 when there are so many already */
export function checkQuota(caller: Pick<CoreCaller, "owner" | "capabilities">, what: keyof typeof QUOTA, have: number) {
  if (have < QUOTA[what] || caller.capabilities.has("host")) return;
  throw new RpcError(RPC_CODES.tooLarge, `Plugin "${caller.owner}" has ${have} ${what} already: it may have no more`);
}

interface Bucket {
  left: number;
  at: number;
}

interface Use {
  turns: number;
  buckets: Partial<Record<keyof typeof RATES, Bucket>>;
}

const uses = new WeakMap<CoreCaller, Use>();

function useOf(caller: CoreCaller): Use {
  let use = uses.get(caller);
  if (!use) uses.set(caller, use = { turns: 0, buckets: {} });
  return use;
}

/** Takes one of what comes at a limited rate. Built-in plugins are not counted.
 * @throws {RpcError} −32006 when it comes too fast */
export function checkRate(caller: CoreCaller, what: keyof typeof RATES): void {
  if (caller.capabilities.has("host")) return;
  const { burst, perSecond } = RATES[what];
  const now = caller.ports.clock.monotonic();
  const { buckets } = useOf(caller);
  const bucket = buckets[what] ??= { left: burst, at: now };
  bucket.left = Math.min(burst, bucket.left + (now - bucket.at) / 1000 * perSecond);
  bucket.at = now;
  if (bucket.left < 1) {
    throw new RpcError(
      RPC_CODES.tooLarge,
      `Plugin "${caller.owner}" sends ${what} too fast: ${burst} at once and then ${perSecond} a second are taken`,
    );
  }
  bucket.left--;
}

/** Holds a place among the turns of this plugin until it is disposed of.
 * @throws {RpcError} −32006 when all are taken */
export function takeTurn(caller: CoreCaller): Disposable {
  const use = useOf(caller);
  checkQuota(caller, "turns", use.turns);
  use.turns++;
  return { [Symbol.dispose]: () => void use.turns-- };
}
