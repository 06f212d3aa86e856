/** Bounds of an application's script. A node that changed one would give other receipts. */

/** Ticks of one declared unit of compute. A loop's step takes 1 to 10 ns of a tick's work, so a unit is about a microsecond. */
export const TICKS_PER_UNIT = 256;

/** Of one action. */
export const TICKS_MAX = 250_000;

/** Of one query, outside the chain. */
export const QUERY_TICKS_MAX = 1_000_000;

/** Of the definitions that a script evaluates while it is loaded. */
export const LOAD_TICKS_MAX = 1_000_000;

/**
 * Nodes of syntax that one tick of a function or a loop's body pays for; each begun hundred more costs one more. A frame has at most a slot of
 * 8 bytes for each node, so 250,000 ticks fill less than `STACK_MIB`, and a recursion ends for want of ticks.
 */
export const SYNTAX_NODES_PER_TICK = 100;

/** Stack of a thread that runs actions, as `resourceLimits.stackSizeMb` of its Worker. It must be the same on all nodes. */
export const STACK_MIB = 256;

export const ARTIFACT_BYTES_MAX = 1024 * 1024;

/** Of an application's genesis function, with up to 1 MiB of input: it runs once, and a chain that exceeds it does not start. */
export const GENESIS_TICKS_MAX = 2_000_000_000;
