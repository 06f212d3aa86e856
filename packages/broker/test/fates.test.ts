/** Blocks, skips, epochs, withheld shares and reconnections in any order: each row ends once, and is in no header after that (Q9). */
import { batchIdOf, ROW_BYTES, type Row, rowFromBytes } from '@slipstream/distilled';
import { toHex } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import { describe, expect, it } from 'vitest';
import { GENESIS } from '../../distilled/test/world.ts';
import { type Behaviour, createWorld, row } from './world.ts';

/** Byte of an outcome: another row of the sequence ran before. */
const SEQUENCE_USED = 132;
/** Accounts of each client. */
const CLIENTS = [[0, 1], [2], [3]];
const STEPS = 60;

type World = ReturnType<typeof createWorld>;
type Client = ReturnType<World['connect']>;
type Message = Client['messages'][number];

const nameOf = ({ sender, sequence }: Pick<Row, 'sender' | 'sequence'>) => `${sender}/${sequence}`;

/** What a client knows, over all its streams. */
function createRecord(indices: readonly number[]) {
  const rowsOf = new Map<string, readonly string[]>();
  const ends = new Map<string, string[]>();
  const faults: string[] = [];

  function headerRows(message: Message): readonly Row[] {
    if (message.name === 'headerWithColumns') throw new Error('these batches are small');
    if (message.name !== 'headerWithPaths') return [];
    return message.value.leaves.flatMap(({ rows }) =>
      Array.from({ length: rows.length / ROW_BYTES }, (_, i) => rowFromBytes(rows, ROW_BYTES * i)),
    );
  }

  function end(name: string, how: string): void {
    ends.set(name, [...(ends.get(name) ?? []), how]);
  }

  return {
    ends,
    faults,
    take(message: Message): void {
      if (message.name === 'headerWithPaths') {
        const own = headerRows(message).filter(({ sender }) => indices.includes(sender));
        rowsOf.set(toHex(batchIdOf(GENESIS, message.value.header)), own.map(nameOf));
        for (const name of own.map(nameOf)) if (ends.has(name)) faults.push(`${name} is shown after its end`);
      }
      if (message.name === 'dropped') for (const one of message.value.rows) end(nameOf(one), one.reason);
      if (message.name !== 'outcomes') return;
      const names = rowsOf.get(toHex(message.value.batchId)) ?? [];
      for (const [i, name] of names.entries()) {
        const outcome = message.value.outcomes[i] as number;
        // It had the outcome of an older batch before.
        if (outcome !== SEQUENCE_USED || !ends.has(name)) end(name, `${outcome}`);
      }
    },
  };
}

async function play(seed: number) {
  const random = createRandom(`fates ${seed}`);
  const world = createWorld();
  const ran = new Set<string>();
  const decided = new Set<number>();
  const sent: string[] = [];
  let behaviour: Behaviour = 'honest';
  let height = 30;
  let epoch = 3;
  const open = (indices: readonly number[]) => world.connect(indices, { behaviour: () => behaviour });
  const clients = CLIENTS.map((indices) => ({
    indices,
    record: createRecord(indices),
    streams: [open(indices)],
    read: [0],
    next: 1,
  }));

  function readAll(): void {
    for (const { streams, read, record } of clients) {
      for (const [i, { messages }] of streams.entries()) {
        for (const message of messages.slice(read[i])) record.take(message);
        read[i] = messages.length;
      }
    }
  }

  function outcomeOf(one: Row): number {
    if (ran.has(nameOf(one))) return SEQUENCE_USED;
    ran.add(nameOf(one));
    return 0;
  }

  function block(isSkip: boolean): void {
    const open = world.offered.flatMap(({ batch }, i) =>
      !decided.has(i) && batch.header.expiryMs > world.nowMs() ? [i] : [],
    );
    const one = open[random.below(Math.max(1, open.length))];
    if (one === undefined) return world.commit([], { height: height++, epoch });
    if (!isSkip) decided.add(one);
    const given = { height: height++, epoch, outcomeOf };
    world.commit(isSkip ? [] : [one], { ...given, skipped: isSkip ? [one] : [] });
  }

  function send(client: (typeof clients)[0]): void {
    const sequence = client.next++;
    const rows = client.indices.map((index) => row(index, 5, 1, sequence));
    sent.push(...rows.map(nameOf));
    client.streams.at(-1)?.rows(rows, { signed: random.below(2) === 0, number: sequence });
  }

  function reconnect(client: (typeof clients)[0]): void {
    if (random.below(2) === 0) client.streams.at(-1)?.disconnect();
    client.streams.push(open(client.indices));
    client.read.push(0);
  }

  function moveEpoch(): void {
    epoch++;
    world.setChain({ epoch });
    world.commit([], { height: height++, epoch });
  }

  await world.run(100);
  world.commit([], { epoch });
  for (let step = 0; step < STEPS; step++) {
    const client = clients[random.below(clients.length)] as (typeof clients)[0];
    const choice = random.below(20);
    behaviour = choice === 0 ? 'withholds' : 'honest';
    if (choice < 9) send(client);
    else if (choice < 12) block(false);
    else if (choice < 14) block(true);
    else if (choice === 14) reconnect(client);
    else if (choice === 15) moveEpoch();
    if (choice === 16) world.answers.push({ type: 'later', retryAfterMs: 700, reason: 'queue-full' });
    await world.run([20, 120, 600, 2_000][random.below(4)] as number);
    readAll();
  }
  world.broker.stop();
  await world.run(100);
  readAll();
  return { world, records: clients.map(({ record }) => record), sent, ran };
}

describe('a row', () => {
  it.each(Array.from({ length: 12 }, (_, i) => 1 + i))(
    'ends once, and is not shown after that: seed %i',
    async (seed) => {
      const { world, records, sent, ran } = await play(seed);
      expect(records.flatMap(({ faults }) => faults)).toEqual([]);
      expect(world.logged).toEqual([]);
      expect(world.broker.stats()).toMatchObject({ rows: 0, offered: 0, gathering: 0, waiting: 0 });
      const ends = new Map(records.flatMap((record) => [...record.ends]));
      expect([...ends].filter(([, of]) => of.length !== 1)).toEqual([]);
      // Nor is one given back that runs later.
      expect([...ends].filter(([name, [how]]) => ran.has(name) !== (how === '0'))).toEqual([]);
      expect(sent.length).toBeGreaterThan(10);
    },
  );
});
