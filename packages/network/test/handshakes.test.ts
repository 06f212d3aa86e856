import type { MultiaddrConnection } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import { expect, test } from 'vitest';
import { createHandshakes } from '../src/handshakes.ts';
import { applyDefaults } from '../src/options.ts';
import { createRecorder, genesisHash, realClock, seedOf } from './cluster.ts';

const PER_ADDRESS = 2;

function handshakesOf() {
  const options = {
    seed: seedOf(0),
    genesisHash,
    listen: [],
    peers: [],
    frameLimits: new Map(),
    admit: () => undefined,
  };
  const { limits } = applyDefaults({ ...options, limits: { handshakesPerAddressMax: PER_ADDRESS } });
  return createHandshakes({ clock: realClock, telemetry: createRecorder() }, limits);
}

/** Addresses of ended connections. */
function begin(handshakes: ReturnType<typeof handshakesOf>, addresses: readonly string[]) {
  const ended: string[] = [];
  for (const address of addresses) {
    handshakes.begin({
      remoteAddr: multiaddr(`/ip6/${address}/tcp/1`),
      addEventListener() {},
      send: () => true,
      abort: () => void ended.push(address),
    } as unknown as MultiaddrConnection);
  }
  return ended;
}

test.each([
  { what: 'of one IPv6 network count as those of one address', last: '2001:db8::ffff', ended: ['2001:db8::1'] },
  { what: 'of two IPv6 networks count separately', last: '2001:db8:0:1::1', ended: [] },
])('pending handshakes $what', ({ last, ended }) => {
  const handshakes = handshakesOf();
  expect(begin(handshakes, ['2001:db8::1', '2001:db8::2', last])).toEqual(ended);
  handshakes.stop();
});
