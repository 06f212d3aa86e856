/** Protocol ids: `/slipstream/<first 16 hex digits of the genesis hash>/<lane>/<version>`. */
import { LANES, type Lane } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import { PROTOCOL_VERSION } from './limits.ts';

const GENESIS_BYTES = 8;

export interface Protocols {
  readonly lanes: ReadonlyMap<Lane, string>;
  readonly ping: string;
}

export function protocolsOf(genesisHash: Uint8Array): Protocols {
  const chain = toHex(genesisHash.subarray(0, GENESIS_BYTES));
  const id = (stream: string) => `/slipstream/${chain}/${stream}/${PROTOCOL_VERSION}`;
  return { lanes: new Map(LANES.map((lane) => [lane, id(lane)])), ping: id('ping') };
}
