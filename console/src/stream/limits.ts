/** Bounds of the live data: memory stays constant whatever the node sends. */

/** Views of the timeline: at 5 views per second, a little under a minute. */
export const VIEWS_MAX = 240;
/** Quorum checks retained: half a minute at 20 per second. */
export const CHECKS_MAX = 600;
export const BISECTIONS_MAX = 100;
export const EVIDENCE_MAX = 100;
/** Certified chunks retained: about ten seconds at 20 per second. */
export const CHUNKS_MAX = 200;
/** Nodes of a fleet that are watched at once: one stream each. */
export const FLEET_MAX = 100;
/** Update interval of the fleet's rows, which need no smooth motion. */
export const FLEET_INTERVAL_MS = 250;
export const ACTIVITY_MAX = 100;
export const PEERS_MAX = 2_000;
export const ALERTS_MAX = 50;

/** At most 30 batches per second reach the page, which a display shows smoothly and cheaply. */
export const BATCH_INTERVAL_MS = 34;
/** A hidden page is updated once per second, so that it is current when shown. */
export const BATCH_INTERVAL_HIDDEN_MS = 1_000;

/** The node sends stats every second: after this long without a message the data counts as stale. */
export const STALE_AFTER_MS = 3_500;
export const STALE_CHECK_MS = 500;
/** The page shows the node's time in seconds, so smaller changes of the clock difference are not passed on. */
export const SKEW_STEP_MS = 20;
