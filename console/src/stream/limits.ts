/** Memory stays constant whatever the node sends. */

/** Of the timeline: under a minute at 5 per second. */
export const VIEWS_MAX = 240;
/** Half a minute at 20 per second. */
export const CHECKS_MAX = 600;
export const BISECTIONS_MAX = 100;
export const EVIDENCE_MAX = 100;
/** Ten seconds at 20 per second. */
export const CHUNKS_MAX = 200;
/** One stream each. */
export const FLEET_MAX = 100;
/** Rows need no smooth motion. */
export const FLEET_INTERVAL_MS = 250;
export const ACTIVITY_MAX = 100;
export const PEERS_MAX = 2_000;
export const ALERTS_MAX = 50;

/** At most 30 per second, which a display shows smoothly. */
export const BATCH_INTERVAL_MS = 34;
/** Keeps a hidden page current. */
export const BATCH_INTERVAL_HIDDEN_MS = 1_000;

/** The node sends stats every second. */
export const STALE_AFTER_MS = 3_500;
export const STALE_CHECK_MS = 500;
/** The page shows seconds; smaller changes are not passed on. */
export const SKEW_STEP_MS = 20;
