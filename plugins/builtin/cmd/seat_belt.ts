/** Commands that are refused whatever the policy says. A seat belt against accidents, not a wall: whoever wants to get
 * round it can, and the approval policy is what decides. */
const REFUSED: [RegExp, string][] = [
  [/\brm\s+(-\S+\s+)*(--no-preserve-root\s+)?(-\S+\s+)*\/(\*|\s|$)/, "it would delete everything"],
  [/\b(mkfs(\.\w+)?|wipefs)\b/, "it would erase a disk"],
  [/\bdd\b.*\bof=\/dev\/(sd|nvme|vd|hd|disk|mmcblk)/, "it would overwrite a disk"],
  [/>\s*\/dev\/(sd|nvme|vd|hd|disk|mmcblk)/, "it would overwrite a disk"],
  [/:\s*\(\s*\)\s*\{.*:\s*\|\s*:/, "it would start processes without end"],
  [/\b(shutdown|reboot|halt|poweroff)\b/, "it would stop the machine"],
  [/\bchmod\s+(-\S+\s+)*0?777\s+\/(\s|$)/, "it would open the whole system to everybody"],
];

/** Why this command is refused, or undefined when it is not. */
export function refusal(command: string): string | undefined {
  const found = REFUSED.find(([pattern]) => pattern.test(command));
  return found && `This command is refused whatever the policy: ${found[1]}. A person can run it by hand.`;
}
