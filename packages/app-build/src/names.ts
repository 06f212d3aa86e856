/** Names that the build puts into a script. Sources may not begin a name so (rule `reserved-name`). */

/** Object.freeze */
export const FREEZE = '$$freeze';
/** The ticks left. */
export const TICKS = '$$ticks';
/** Ends the call. */
export const STOP = '$$stop';
/** What the bundle exports. */
export const BUNDLE = '$$bundle';
