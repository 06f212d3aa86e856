/** Signing history: a text that moves to another machine and bounds what a validator may have signed. */
import { WalError } from './errors.ts';
import { countField, openSealedJson, sealJson } from './sealed-json.ts';

const KIND = 'slipstream-signing-history';
const FORMAT_VERSION = 1;

export interface SigningHistory {
  /** 64 hex digits. */
  readonly genesisHash: string;
  /** Nothing was signed for a view above it. */
  readonly mark: number;
  readonly chunkMark: number;
}

export function formatHistory(history: SigningHistory): string {
  return sealJson({ kind: KIND, format: FORMAT_VERSION, ...history });
}

/** Throws WalError `history-malformed`, or `history-foreign` for the history of another chain. */
export function parseHistory(text: string, genesisHash: string): SigningHistory {
  const sealed = openSealedJson(text);
  const mark = sealed === undefined ? undefined : countField(sealed, 'mark');
  const chunkMark = sealed === undefined ? undefined : countField(sealed, 'chunkMark');
  if (sealed?.kind !== KIND || sealed.format !== FORMAT_VERSION || mark === undefined || chunkMark === undefined) {
    const message = 'not a signing history, or a damaged one: export it again with slipstream keys export-history';
    throw new WalError('history-malformed', message);
  }
  if (sealed.genesisHash !== genesisHash) {
    const message = `the history is of another chain (genesis ${sealed.genesisHash})`;
    throw new WalError('history-foreign', message, { genesisHash: sealed.genesisHash });
  }
  return { genesisHash, mark, chunkMark };
}
