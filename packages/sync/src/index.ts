export { spareSlowFollowers } from './full-nodes/slow-followers.ts';
export type { Archive, SnapshotArchive } from './requests/archive.ts';
export { createSyncClient, type SyncAsk, type SyncClient } from './requests/client.ts';
export { createEpochArchive } from './requests/epochs.ts';
export { fetchArtifact } from './requests/fetch-artifact.ts';
export { watchHandovers } from './requests/missing-handovers.ts';
export { createSync, type Sync } from './sync.ts';
