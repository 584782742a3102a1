/** Whether this machine has a Python: what needs one is skipped where it has none. */
export const hasPython: boolean = await new Deno.Command("python3", {
  args: ["--version"],
  stdout: "null",
  stderr: "null",
}).output().then(({ success }) => success, () => false);
