/** Bounds of the live data: memory stays flat whatever the node sends. */

/** Views that the timeline can show: at 5 views a second, a little under a minute. */
export const VIEWS_MAX = 240;
/** Quorum checks retained: half a minute at 20 per second. */
export const CHECKS_MAX = 600;
export const BISECTIONS_MAX = 100;
export const EVIDENCE_MAX = 100;
/** Certified chunks retained: about ten seconds at 20 per second. */
export const CHUNKS_MAX = 200;
/** Nodes of a fleet that are watched at once: a stream each. */
export const FLEET_MAX = 100;
/** Of the fleet's rows: they are for comparing, not for counting frames. */
export const FLEET_INTERVAL_MS = 250;
/** Lines of the activity list. */
export const ACTIVITY_MAX = 100;
export const PEERS_MAX = 2_000;
export const ALERTS_MAX = 50;

/** At most 30 batches a second reach the page: more than a display shows, less than it costs to draw. */
export const BATCH_INTERVAL_MS = 34;
/** A hidden page is updated once per second, so that it is current when shown. */
export const BATCH_INTERVAL_HIDDEN_MS = 1_000;

/** The node sends stats every second: after this much silence what is shown is called stale. */
export const STALE_AFTER_MS = 3_500;
export const STALE_CHECK_MS = 500;
/** What the page shows by the node's clock is in seconds: smaller changes of the difference to it are not handed on. */
export const SKEW_STEP_MS = 20;
