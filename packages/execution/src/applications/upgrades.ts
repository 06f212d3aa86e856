/**
 * Upgrades of applications: the first block of an epoch whose record names another artifact runs it, with the next version
 * (applications.md, A13 to A16).
 */
import { type ApplicationEntry, applicationEntriesCodec, bindsArtifact } from '@slipstream/types';
import { decodePresent } from '../epochs/value.ts';
import type { Entries } from '../overlay.ts';
import { APPLICATIONS_KEY } from './keys.ts';

/** In the order of genesis. Throws ExecutionError `state-corrupt`. */
export function readApplications(entries: Pick<Entries, 'get'>): readonly ApplicationEntry[] {
  const value = entries.get(APPLICATIONS_KEY);
  return value === undefined ? [] : decodePresent(applicationEntriesCodec, value);
}

/** Call in the first block of an epoch, with the hashes that its record names. */
export function switchApplications(entries: Entries, hashes: readonly Uint8Array[]): void {
  const before = readApplications(entries);
  const isChanged = before.some((entry, number) => !bindsArtifact({ hash: hashes[number] as Uint8Array }, entry.hash));
  if (!isChanged) return;
  const after = before.map((entry, number) => {
    const hash = hashes[number] as Uint8Array;
    return bindsArtifact({ hash }, entry.hash) ? entry : { ...entry, hash, version: entry.version + 1 };
  });
  entries.set(APPLICATIONS_KEY, applicationEntriesCodec.encode(after));
}
