/**
 * The host of the call in hand. Tables, events and coins are global in an application's file, so their host is, too. Programs of one
 * thread take turns: each enters with its own host.
 */
import type { Host } from '../host.ts';
import { freeRoom } from './room.ts';

let current: Host | undefined;
let calls = 0;

/** Of one action, declaration of keys, query, genesis or check of invariants. */
export function enterCall(host: Host): void {
  current = host;
  calls += 1;
  freeRoom();
}

export function hostInHand(): Host {
  if (current === undefined) throw new Error('state can be used only while an action, a query or genesis runs');
  return current;
}

/** Numbers of keys hold for one call. */
export function callInHand(): number {
  return calls;
}
