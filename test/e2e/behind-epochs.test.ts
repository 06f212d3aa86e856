import { testNodesBehind } from './nodes-behind.ts';

testNodesBehind({ epochs: 3, snapshotEvery: '100', syncing: ['--sync-distance', '100'] });
