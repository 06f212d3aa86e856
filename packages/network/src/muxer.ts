/**
 * Yamux with bounds (docs/decisions/0004).
 *
 * Yamux buffers a data frame of any declared length (up to 4 GiB) before it checks the window, and answers every ping and excess stream
 * even if no answer is read. So a watch on the decrypted bytes closes the connection at the header of such a frame, and counts frames
 * (muxer-meter.ts).
 */
import { yamux } from '@chainsafe/libp2p-yamux';
import type { MessageStream, StreamMuxerFactory } from '@libp2p/interface';
import { LANES } from '@slipstream/ports';
import { LANE_WINDOW_BYTES, type Quota } from './limits.ts';
import { createMuxerMeter, type MuxerMeter, type MuxerMeterComponents } from './muxer-meter.ts';
import { boundStreamAnswers } from './negotiations.ts';
import { guardRecords } from './patches/noise-records.ts';
import { spareWindowUpdates } from './patches/yamux-streams.ts';

/** Lanes and ping each way, and one being refused. */
const STREAMS_MAX = LANES.length + 2;
/** Honest nodes send none: ping.ts measures. */
const PINGS_MAX = 16;
/** Over a connection's life; honest nodes open each once. */
const OPENED_MAX = 4 * STREAMS_MAX;
const HEADER_BYTES = 12;
const TYPE_DATA = 0;
const TYPE_PING = 2;
const FLAG_SYN = 1;

export function boundedYamux(metering: MuxerMeterComponents, quota: Quota): () => StreamMuxerFactory {
  const createYamux = yamux({
    enableKeepAlive: false,
    maxInboundStreams: STREAMS_MAX,
    maxOutboundStreams: STREAMS_MAX,
    streamOptions: {
      initialStreamWindowSize: LANE_WINDOW_BYTES,
      maxStreamWindowSize: LANE_WINDOW_BYTES,
      // A paused stream holds one window at most; twice that, to pass the check at exactly that size.
      maxReadBufferLength: LANE_WINDOW_BYTES * 2,
    },
  });
  return () => {
    const factory = createYamux();
    return {
      protocol: factory.protocol,
      createStreamMuxer(connection) {
        guardRecords(connection);
        watch(connection, createMuxerMeter(connection, metering, quota));
        const muxer = spareWindowUpdates(factory.createStreamMuxer(connection));
        return boundStreamAnswers(muxer, () => connection.abort(new Error('a flood of questions')));
      },
    };
  };
}

function watch(connection: MessageStream, meter: MuxerMeter): void {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  let filled = 0;
  let skip = 0;
  let pings = 0;
  let opened = 0;
  let frames = 0;

  function follow(bytes: Uint8Array): string | undefined {
    for (let at = 0; at < bytes.length; ) {
      if (skip > 0) {
        const length = Math.min(skip, bytes.length - at);
        skip -= length;
        at += length;
        continue;
      }
      header[filled++] = bytes[at++] as number;
      if (filled < HEADER_BYTES) continue;
      filled = 0;
      frames += 1;
      const breach = judge();
      if (breach !== undefined) return breach;
    }
    return undefined;
  }

  function judge(): string | undefined {
    const type = header[1];
    const length = view.getUint32(8);
    if (type === TYPE_PING) return ++pings > PINGS_MAX ? 'a flood of muxer pings' : undefined;
    if ((view.getUint16(2) & FLAG_SYN) !== 0 && ++opened > OPENED_MAX) return 'a flood of muxer streams';
    if (type !== TYPE_DATA) return undefined;
    if (length > LANE_WINDOW_BYTES) return `a muxer frame of ${length} bytes`;
    skip = length;
    return undefined;
  }

  connection.addEventListener('message', (event) => {
    const parts = event.data instanceof Uint8Array ? [event.data] : event.data;
    for (const part of parts) {
      const breach = follow(part);
      if (breach !== undefined) return connection.abort(new Error(breach));
    }
    meter.count(event.data.byteLength, frames);
    frames = 0;
  });
}
