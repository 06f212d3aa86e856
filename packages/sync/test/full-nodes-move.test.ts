import { silentTelemetry } from '@slipstream/ports';
import { describe, expect, test } from 'vitest';
import { certificateOf, nullify } from '../../consensus/test/core-world.ts';
import type { Archive, ChainTip } from '../src/requests/archive.ts';
import { createSync } from '../src/sync.ts';

import { committee, committeeOfPeers, FOLLOWER, peerOf, subscriptions, world } from './full-nodes-world.ts';

describe('sync over a move of the committee', () => {
  function syncOf(self: number | undefined) {
    const here = world();
    const tip = { finalizedHeight: () => 0, newestCertificates: () => [] } as unknown as ChainTip;
    const sync = createSync(
      {
        ...here,
        telemetry: silentTelemetry,
        tip,
        archive: {} as Archive,
        onFetched: () => {},
        onMalformed: () => {},
      },
      { committee, self },
    );
    return { ...here, sync };
  }

  const relayed = certificateOf(nullify(1), [1, 2, 3]);

  test('a validator goes on forwarding certificates to its followers', () => {
    const { sync, sent } = syncOf(0);
    sync.onFrame(FOLLOWER, { name: 'subscribe', value: { certificates: true, members: [2] } });
    sync.moved({ committee: committeeOfPeers([0, 1, 2]), self: 0 });
    sync.relayCertificate(relayed);
    expect(sent.map(({ to }) => to)).toEqual([FOLLOWER]);
  });

  test('one that left the committee forwards nothing, and one that joined it follows no upstream', () => {
    const leaver = syncOf(0);
    leaver.sync.onFrame(FOLLOWER, { name: 'subscribe', value: { certificates: true, members: [] } });
    leaver.sync.moved({ committee: committeeOfPeers([1, 2, 3]), self: undefined });
    leaver.sync.relayCertificate(relayed);
    expect(leaver.sent).toEqual([]);
    const joiner = syncOf(undefined);
    joiner.connected.add(peerOf(1));
    joiner.sync.start();
    joiner.sync.moved({ committee: committeeOfPeers([0, 1, 2, 3]), self: 3 });
    joiner.sent.splice(0);
    joiner.turn(10_000);
    expect(joiner.sent).toEqual([]);
  });

  test('a full node keeps its upstream', () => {
    const { sync, sent, connected } = syncOf(undefined);
    for (const index of [1, 2]) connected.add(peerOf(index));
    sync.start();
    sent.splice(0);
    sync.moved({ committee: committeeOfPeers([2, 1, 0]), self: undefined });
    expect([...subscriptions(sent)]).toEqual([[peerOf(1), { certificates: true, members: [2] }]]);
  });
});
