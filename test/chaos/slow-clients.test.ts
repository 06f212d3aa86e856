import { eventually } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Crowd, sendCrowd } from './hostile/sockets.ts';
import { type AttackedNetwork, attackedNetwork } from './under-attack.ts';

const VICTIM = 'validator-0';
const COUNT = 1_000;

let attacked: AttackedNetwork;

beforeAll(async () => {
  attacked = await attackedNetwork();
});

afterAll(() => attacked?.remove());

const POST_HEAD =
  'POST /v1/transactions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/octet-stream\r\ncontent-length: 100000\r\n\r\n';

const WAYS: readonly { readonly what: string; readonly says?: string; readonly deaf?: boolean }[] = [
  { what: 'send nothing' },
  { what: 'stop in the middle of a header', says: 'GET /v1/status HTTP/1.1\r\nhost: loc' },
  { what: 'stop in the middle of a body', says: POST_HEAD },
  {
    what: 'ask for more than they read',
    says: 'GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(20),
    deaf: true,
  },
];

test.each(WAYS)('serves clients beside a thousand connections that $what', async ({ says, deaf }) => {
  const { network, during } = attacked;
  const victim = network.node(VICTIM);
  await during([VICTIM], async () => {
    const crowd: Crowd = sendCrowd({
      port: victim.apiPort,
      count: COUNT,
      persistent: true,
      ...(says === undefined ? {} : { says }),
      ...(deaf === undefined ? {} : { deaf }),
    });
    await crowd.arrived;
    for (let asked = 0; asked < 5; asked++) {
      const { height } = await eventually('an honest client is answered', 30_000, () => victim.client.status());
      expect(height).toBeGreaterThan(0);
    }
    return () => crowd.stop();
  });
});

test('the node closes these connections, and logs no error', async () => {
  const { process, apiPort } = attacked.network.node(VICTIM);
  const crowd = sendCrowd({ port: apiPort, count: COUNT, says: 'GET / HTTP/1.1\r\nhost: ' });
  await crowd.arrived;
  await eventually('all half-open connections are closed', 60_000, async () => (crowd.open === 0 ? true : undefined));
  expect(process.running).toBe(true);
  expect(await process.errors()).toEqual([]);
});
