import type { SegmentInfo } from "../../core/wire/mod.ts";
import type { Doorbell } from "./event_feed.ts";
import type { SliceStore } from "./payload.ts";
import type { SharedContext } from "./stage_room.ts";

/** The segment that homed and its plugin processes share. */
export interface Segment {
  readonly info: SegmentInfo;
  readonly slices: SliceStore;
  readonly events: Doorbell;
  readonly context: SharedContext;
  close(): void;
}
