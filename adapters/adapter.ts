import { type AdapterTable, DEFAULT_LIMITS, type LuaHost, type LuaLimits, LuaVm, type TransformName } from "./vm.ts";

/** A machine that has grown over this is replaced when it is next used: WebAssembly memory is never given back. */
const LARGE = 96 * 1024 * 1024;

export interface AdapterOptions {
  wasm: Uint8Array;
  host: LuaHost;
  limits?: LuaLimits;
}

/** One source's script in a machine of its own, which is replaced when it died, so that one script's trouble is its own. */
export class Adapter {
  readonly name: string;
  readonly script: string;
  readonly #options: AdapterOptions;
  #loading: Promise<{ vm: LuaVm; table: AdapterTable }> | undefined;
  #running = 0;

  constructor(name: string, script: string, options: AdapterOptions) {
    this.name = name;
    this.script = script;
    this.#options = options;
  }

  /** What the script says of itself.
   * @throws what `LuaVm.load` throws */
  async table(): Promise<AdapterTable> {
    return (await this.#ready()).table;
  }

  /** @throws what `LuaVm.load` and `LuaVm.call` throw */
  async transform(method: TransformName, text: string): Promise<string> {
    const { vm } = await this.#ready();
    this.#running++;
    try {
      return await vm.call(this.name, method, text);
    } finally {
      this.#running--;
    }
  }

  async close(): Promise<void> {
    const loading = this.#loading;
    this.#loading = undefined;
    // One that failed to load has closed itself.
    await loading?.then(({ vm }) => vm.close(), () => {});
  }

  async #ready(): Promise<{ vm: LuaVm; table: AdapterTable }> {
    this.#loading ??= this.#load();
    const loading = this.#loading;
    const loaded = await loading.catch((error) => {
      if (this.#loading === loading) this.#loading = undefined;
      throw error;
    });
    const worn = loaded.vm.dead !== undefined || (loaded.vm.size > LARGE && this.#running === 0);
    if (!worn) return loaded;
    if (this.#loading === loading) this.#loading = undefined;
    if (loaded.vm.dead === undefined) loaded.vm.close();
    return await this.#ready();
  }

  async #load(): Promise<{ vm: LuaVm; table: AdapterTable }> {
    const vm = await LuaVm.create(this.#options.wasm, this.#options.host, this.#options.limits ?? DEFAULT_LIMITS);
    try {
      return { vm, table: await vm.load(this.name, this.script) };
    } catch (error) {
      if (vm.dead === undefined) vm.close();
      throw error;
    }
  }
}
