/**
 * One node of a light client: its stream, and its exclusion when it lies.
 *
 *   stream --state, committed blocks--> what it reports
 *      \--another genesis, too many messages--> excluded --a minute, then twice as long each time--> stream
 */
import type { EventData, StreamEvent, StreamFullState } from '@slipstream/schema';
import type { Client } from '../client.ts';
import type { ConnectionState, EventStream } from '../event-stream.ts';
import { createNodeRecord, type NodeRecord, type ReportedBlock } from './node-record.ts';
import { HEIGHTS_MAX, MESSAGE_CHARACTERS_MAX, type NodeFaultCode, type NodeView } from './options.ts';

export interface LightNode {
  readonly url: string;
  readonly client: Client;
  readonly record: NodeRecord;
  fault(code: NodeFaultCode, detail: string): void;
  close(): void;
}

interface LightNodeOptions {
  readonly url: string;
  /** Of this node alone, without a genesis hash. */
  readonly client: Client;
  readonly genesisHash: string;
  /** It reported a block, or a height. */
  readonly onReport: (node: LightNode, block?: ReportedBlock) => void;
  readonly onChange: (view: NodeView) => void;
}

/** A stream of blocks has six events per block, some tens per second. */
const MESSAGES_MAX = 4_000;
const MESSAGES_WINDOW_MS = 10_000;
/** Newer nodes may send a few that this version does not understand. */
const MALFORMED_MAX = 32;

export function createLightNode({ url, client, genesisHash, onReport, onChange }: LightNodeOptions): LightNode {
  const record = createNodeRecord({ url, blocksMax: HEIGHTS_MAX, nowMs: Date.now, onChange });
  let stream: EventStream | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let windowMs = 0;
  let messages = 0;
  let malformed = 0;

  const node: LightNode = {
    url,
    client,
    record,
    fault(code, detail) {
      if (isClosed) return;
      const untilMs = record.fault(code, detail);
      if (untilMs === undefined) return;
      drop();
      clearTimeout(again);
      again = setTimeout(open, untilMs - Date.now());
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(again);
      drop();
      record.setState('closed');
    },
  };

  function drop(): void {
    const dropped = stream;
    stream = undefined;
    dropped?.close();
  }

  /** What a dropped stream still says counts no more. */
  function open(): void {
    record.setState('connecting');
    const isCurrent = () => opened !== undefined && opened === stream;
    let opened: EventStream | undefined;
    const current =
      <A extends readonly unknown[]>(take: (...args: A) => void) =>
      (...args: A) => {
        if (opened === undefined || isCurrent()) take(...args);
      };
    opened = client.events({
      topics: ['blocks'],
      messageMax: MESSAGE_CHARACTERS_MAX,
      onState: current(onState),
      onEvent: current(onEvent),
      onConnection: current(onConnection),
      onAlive: current(countMessage),
      onMalformed: current(onMalformed),
    });
    stream = opened;
  }

  function onConnection(state: ConnectionState): void {
    if (state.type === 'lost') record.setState('lost');
    if (state.type === 'live' && state.resumed) record.setState('following');
  }

  function onState({ state: { status, blocks } }: StreamFullState): void {
    if (status.genesisHash !== genesisHash) {
      return node.fault('other-chain', `it is of the chain ${status.genesisHash}`);
    }
    record.setState('following');
    for (const { block, stateDigest } of blocks.slice(0, HEIGHTS_MAX).reverse()) {
      report({ height: block.height, blockId: block.id, stateDigest: stateDigest ?? undefined });
    }
    record.reported({ height: status.height });
    onReport(node);
  }

  function onEvent({ event }: StreamEvent): void {
    if (event.type !== 'block.committed') return;
    const { height, blockId, stateDigest } = event.data as EventData<'block.committed'>;
    report({ height, blockId, stateDigest });
  }

  function report(block: ReportedBlock): void {
    record.reported(block);
    onReport(node, block);
  }

  function countMessage(): void {
    const nowMs = Date.now();
    if (nowMs - windowMs > MESSAGES_WINDOW_MS) {
      windowMs = nowMs;
      messages = 0;
    }
    messages += 1;
    if (messages > MESSAGES_MAX) node.fault('flood', `${messages} messages within ${MESSAGES_WINDOW_MS} ms`);
  }

  function onMalformed(detail: string): void {
    malformed += 1;
    if (malformed % MALFORMED_MAX === 0) node.fault('malformed', detail);
  }

  open();
  return node;
}
