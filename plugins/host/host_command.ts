/** How a program of the system ended. `code` 127: there is no such program. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program of the system to its end, without a shell. Never throws. */
export async function runHostCommand(argv: readonly string[]): Promise<CommandResult> {
  const [program = "", ...args] = argv;
  try {
    const { code, stdout, stderr } = await new Deno.Command(program, { args, stdin: "null" }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return { code: 126, stdout: "", stderr: String(error) };
    return { code: 127, stdout: "", stderr: `There is no program "${program}"` };
  }
}
