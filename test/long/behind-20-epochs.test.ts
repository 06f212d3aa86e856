/** So long that a full node, as it is configured by default, takes over a state. */
import { testNodesBehind } from './nodes-behind.ts';

testNodesBehind({ epochs: 20, snapshotEvery: '200', syncing: [] });
