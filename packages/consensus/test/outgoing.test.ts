/** I3: what is signed is in the log and synced before it leaves, in the order of the steps. */
import type { SignState, Wal } from '@slipstream/wal';
import { describe, expect, it } from 'vitest';
import type { Event } from '../src/index.ts';
import { createLogMarks } from '../src/log-marks.ts';
import { createOutgoing } from '../src/outgoing.ts';
import { blockOn, finalize, GENESIS, GENESIS_HASH, mark, notarize, nullify } from './core-world.ts';

/** A log whose syncs end when the test says so, and a network that writes down what leaves. Signatures are immediate unless held. */
function workbench({ holdsSignatures = false } = {}) {
  const signatures: PromiseWithResolvers<void>[] = [];
  const happened: string[] = [];
  const syncs: PromiseWithResolvers<void>[] = [];
  const reported: Event[] = [];
  const failed: unknown[] = [];
  const wal = {
    durableSequence: 0,
    append(kind: string, _payload: Uint8Array, statement: unknown) {
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      return { sequence: happened.push(`append ${kind}`), durable: sync.promise.then(() => statement) };
    },
  } as unknown as Wal;
  const signState = {
    async reserve({ view }: { view?: number }) {
      happened.push(`reserve ${view}`);
    },
  } as unknown as SignState;
  async function sign(messages: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    const held = Promise.withResolvers<void>();
    signatures.push(held);
    if (!holdsSignatures) held.resolve();
    await held.promise;
    return messages.map(() => mark(192));
  }
  const outgoing = createOutgoing(
    {
      signState,
      signerOf: () => ({ publicKey: new Uint8Array(48), sign }),
      wal,
      marks: createLogMarks(),
      transport: { broadcast: (lane) => happened.push(`send on ${lane}`), send: () => true },
      report: (event) => reported.push(event),
      fail: (error) => failed.push(error),
    },
    GENESIS_HASH,
  );
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const endSyncs = async () => {
    for (const sync of syncs.splice(0)) sync.resolve();
    await turn();
  };
  return { happened, reported, failed, outgoing, signatures, syncs, turn, endSyncs };
}

const block = blockOn(GENESIS, 1, 0);

describe('a signed message', () => {
  it('is reserved, logged and synced before it leaves, and returns to the core afterwards', async () => {
    const { outgoing, happened, reported, turn, endSyncs } = workbench();
    outgoing.perform({ type: 'cast', signer: 0, votes: [notarize(block)], certificates: [], confirm: undefined });
    await turn();
    expect(happened).toEqual(['reserve 1', 'append own-notarize']);
    expect(reported).toEqual([]);
    await endSyncs();
    expect(happened.at(-1)).toBe('send on consensus');
    expect(reported.map(({ type }) => type)).toEqual(['cast-done']);
  });

  it('leaves in the order of its decision', async () => {
    const { outgoing, happened, turn, endSyncs } = workbench();
    outgoing.perform({ type: 'cast', signer: 0, votes: [finalize(block)], certificates: [], confirm: undefined });
    const propose = { kind: 'normal', block, blockId: notarize(block).blockId, justification: [] } as const;
    outgoing.perform({ type: 'propose', ...propose });
    outgoing.perform({ type: 'cast', signer: 0, votes: [nullify(2)], certificates: [], confirm: undefined });
    for (let i = 0; i < 3; i++) {
      await turn();
      await endSyncs();
    }
    expect(happened.filter((what) => what.startsWith('append'))).toEqual([
      'append own-finalize',
      'append own-proposal',
      'append own-nullify',
    ]);
    expect(happened.filter((what) => what.startsWith('send'))).toEqual([
      'send on consensus',
      'send on proposal',
      'send on consensus',
    ]);
  });

  it('never leaves when the sync fails, and neither do later ones', async () => {
    const { outgoing, happened, failed, syncs, turn, endSyncs } = workbench();
    outgoing.perform({ type: 'cast', signer: 0, votes: [nullify(1)], certificates: [], confirm: undefined });
    await turn();
    for (const sync of syncs.splice(0)) sync.reject(new Error('the disk is gone'));
    await turn();
    outgoing.perform({ type: 'cast', signer: 0, votes: [nullify(2)], certificates: [], confirm: undefined });
    await turn();
    expect(failed[0]).toMatchObject({ message: 'the disk is gone' });
    expect(happened.filter((what) => what.startsWith('send'))).toEqual([]);
    await endSyncs();
  });

  it('is not needed for certificates, which leave without a sync', () => {
    const { outgoing, happened } = workbench();
    outgoing.perform({ type: 'cast', signer: 0, votes: [], certificates: [], confirm: undefined });
    expect(happened).toEqual(['send on consensus']);
  });
});

describe('steps that are signed at the same time', () => {
  const cast = (view: number) =>
    ({ type: 'cast', signer: 0, votes: [nullify(view)], certificates: [], confirm: undefined }) as const;

  it('are appended in one turn, in the order of their decision, so that they share a sync', async () => {
    const { outgoing, happened, signatures, turn } = workbench({ holdsSignatures: true });
    outgoing.perform(cast(1));
    outgoing.perform({ type: 'propose', kind: 'normal', block, blockId: notarize(block).blockId, justification: [] });
    await turn();
    signatures[1]?.resolve();
    await turn();
    expect(happened.filter((what) => what.startsWith('append'))).toEqual([]);
    signatures[0]?.resolve();
    await turn();
    expect(happened.filter((what) => what.startsWith('append'))).toEqual(['append own-nullify', 'append own-proposal']);
  });

  it('wait for at most three others', async () => {
    const { outgoing, happened, signatures, turn } = workbench({ holdsSignatures: true });
    for (let view = 1; view <= 5; view++) outgoing.perform(cast(view));
    await turn();
    for (const signed of signatures.slice(0, 3)) signed.resolve();
    await turn();
    expect(happened.filter((what) => what.startsWith('append'))).toHaveLength(0);
    signatures[3]?.resolve();
    await turn();
    expect(happened.filter((what) => what.startsWith('append'))).toHaveLength(4);
  });

  it('leave without the one that cannot be signed', async () => {
    const { outgoing, happened, failed, signatures, turn, endSyncs } = workbench({ holdsSignatures: true });
    outgoing.perform(cast(1));
    outgoing.perform(cast(2));
    await turn();
    signatures[0]?.resolve();
    signatures[1]?.reject(new Error('the signer is gone'));
    await turn();
    await endSyncs();
    expect(happened.filter((what) => what.startsWith('send'))).toEqual(['send on consensus']);
    expect(failed).toEqual([new Error('the signer is gone')]);
  });
});
