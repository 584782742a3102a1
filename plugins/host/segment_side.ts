import type { RpcFrame } from "../../core/wire/mod.ts";

/** Where frames go. */
export interface Lines {
  toHomed(frame: RpcFrame): void;
  toPlugin(frame: RpcFrame): void;
}

/** The script host's side of the shared segment: the plugin in its worker gets and gives everything inline; what lies in
 * the segment is read and written here. */
export class SegmentSide {
  fromHomed(frame: RpcFrame, lines: Lines): void {
    lines.toPlugin(frame);
  }

  fromPlugin(frame: RpcFrame, lines: Lines): void {
    lines.toHomed(frame);
  }
}
