/**
 * The fleet: nodes of the configuration (`fleet.nodes`), relayed by the API.
 *
 *   GET /v1/fleet                  all of them, with the last received status and stats
 *   event fleet.node               one of them changed (once per second while it is live)
 *   GET /v1/fleet/{node}/stream    the unchanged event stream of one of them: same protocol, same resume
 */
import { Type } from 'typebox';
import { StatusSchema } from './answers.ts';
import { type Json, orNull, TimeMs } from './scalars.ts';
import { StatsSchema } from './stats.ts';

export const FLEET_NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$';

export const FleetName = Type.String({
  title: 'FleetName',
  description: 'Name of a node, as the configuration of this one lists it.',
  pattern: FLEET_NAME_PATTERN,
  examples: ['validator-1'],
});

/** connecting: nothing received yet. live: its stream is open. stale: its stream was lost; values are the last received. */
const FLEET_STATES = ['connecting', 'live', 'stale'] as const;

export const FleetNodeSchema = Type.Object(
  {
    name: FleetName,
    url: Type.String({ description: 'Where this node reaches it.', examples: ['http://127.0.0.1:8081'] }),
    state: Type.Enum([...FLEET_STATES]),
    sinceMs: TimeMs,
    lastMessageMs: orNull(TimeMs),
    /** Why it is not live. */
    detail: orNull(Type.String()),
    status: orNull(StatusSchema),
    stats: orNull(StatsSchema),
  },
  {
    title: 'FleetNode',
    description:
      'A node of the fleet. connecting: no message has come yet; live; stale: it was lost, and status and stats are the last ones.',
  },
);
export type FleetNode = Json<typeof FleetNodeSchema>;

export const FleetSchema = Type.Object({ items: Type.Array(FleetNodeSchema) }, { title: 'Fleet' });
export type Fleet = Json<typeof FleetSchema>;
