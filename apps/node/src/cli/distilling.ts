/** Options of the commands for distilled batches: brokers, the trusted chain, keys, native signing. */
import { type BlsKeyPair, blsKeyPairFrom } from '@slipstream/client';
import type { BrokerEvent, TransferResult } from '@slipstream/client/distillery';
import { inFolder, required, type Terminal, text } from '@slipstream/command-line';
import { createBlsSigner, ed25519Sign } from '@slipstream/crypto/native';
import { readGenesis, readSecret } from '@slipstream/node-home';
import { genesisToJson } from '@slipstream/types';
import { clientFor } from './node-url.ts';

export const brokerOptions = {
  genesis: required('FILE', "The chain's genesis file, not from a broker: outcomes and indices are verified with it."),
  url: text('URL[,URL...]', 'URLs of brokers. Default: SLIPSTREAM_URL, or http://127.0.0.1:8080.'),
};

export function urlsOf({ url }: { readonly url: string | undefined }, terminal: Terminal): readonly string[] {
  return url === undefined ? [clientFor(undefined, terminal).url] : url.split(',');
}

/** JSON of the genesis file. */
export async function chainOf({ genesis }: { readonly genesis: string }, terminal: Terminal): Promise<unknown> {
  return genesisToJson(await readGenesis(inFolder(terminal, genesis)));
}

export async function readBlsKey(file: string, terminal: Terminal): Promise<BlsKeyPair> {
  return blsKeyPairFrom(await readSecret(inFolder(terminal, file), 'secret of a BLS key'));
}

/** Options of a distillery in Node. */
export const nativeSigning = {
  signShare: (message: Uint8Array, secret: Uint8Array): Uint8Array => createBlsSigner(secret).sign(message),
  signRow: ed25519Sign,
};

/** Says each thing once: a broker that is not reached is tried until the rows expire. */
export function reportBroker(terminal: Terminal): (event: BrokerEvent) => void {
  const lost = new Map<string, string>();
  return (event) => {
    if (event.type === 'live') lost.delete(event.url);
    if (event.type === 'withheld') terminal.err(`${event.url}: no share: ${event.reason}`);
    if (event.type !== 'lost') return;
    const { url, code, reason } = event;
    const text = `${url}: ${code}: ${reason}; ${hintOn(reason)}trying again`;
    if (lost.get(url) !== text) terminal.err(text);
    lost.set(url, text);
  };
}

function hintOn(reason: string): string {
  if (!reason.startsWith('index-unknown')) return '';
  return 'brokers take an account some blocks after its registration, which "slipstream account register" names; ';
}

export function resultText({ proof, ...result }: TransferResult, isJson: boolean): string {
  if (isJson) return JSON.stringify({ ...result, fee: String(result.fee), proven: proof !== undefined });
  const { status, code, rowId, height, sequence, fee } = result;
  return [
    `${code === undefined ? status : `${status}: ${code}`}, ${proof === undefined ? 'NOT PROVEN' : 'proven'}`,
    `  row       ${rowId}`,
    `  height    ${height}`,
    `  sequence  ${sequence}`,
    `  fee       ${fee}`,
  ].join('\n');
}
