/** Events and the ring they travel in. @module */
export * from "./event_bus.ts";
export * from "./event_ring.ts";
