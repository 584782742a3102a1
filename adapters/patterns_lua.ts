/** Lua's pattern functions within limits. */
export const PATTERNS_LUA = String.raw`
local spend = ...
`;
