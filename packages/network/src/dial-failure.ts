/** Explains to the operator why a dial or a listen failed. */
import { peerIdFromString } from '@libp2p/peer-id';
import { peerKeyFromId } from './identity.ts';
import type { LinkEnd } from './link.ts';

/** Library and system texts may be unbounded. */
const WORDS_MAX = 200;
/** libp2p names the answering key only in its message. */
const OTHER_KEY = /identity key (\S+) does not match/;

export function dialFailure(cause: unknown): string {
  const words = String(cause).slice(0, WORDS_MAX);
  if (words.includes('ENOTFOUND')) return 'its name does not resolve (ENOTFOUND)';
  if (words.includes('EAI_AGAIN')) return 'the name server does not answer (EAI_AGAIN)';
  if (words.includes('ECONNREFUSED')) return 'nothing listens at its address (ECONNREFUSED)';
  if (words.includes('EHOSTUNREACH') || words.includes('ENETUNREACH')) return 'no route leads to its address';
  if (words.includes('ETIMEDOUT') || words.includes('timed out')) return 'no answer from its address in time';
  const other = OTHER_KEY.exec(words)?.[1];
  return other === undefined ? words : `another key answers at its address: ${keyOf(other)}`;
}

/** Ended before it opened; undefined: by this node. */
export function openFailure(end: LinkEnd): string | undefined {
  switch (end) {
    case 'another chain':
      return 'it runs another chain (compare the genesis files) or another version';
    case 'closed by the peer':
      return 'it ended the connection before it was open: its log and its refusals say why';
    case 'not opened':
    case 'no sign of life':
      return 'it took the connection and said nothing';
    case 'offence':
      return 'it broke the protocol';
    case 'another connection took over':
    case 'blocked':
    case 'displaced':
    case 'unfinished frame':
    case 'another role':
    case 'not admitted any more':
    case 'stopped':
      return undefined;
    default:
      return end satisfies never;
  }
}

const OF_SYSTEM = /listen (E[A-Z]+): (.+)/;

export function listenFailure(cause: unknown): string {
  const [, code, said] = OF_SYSTEM.exec(String(cause)) ?? [];
  switch (code) {
    case 'EADDRINUSE':
      return 'the port is in use: stop what uses it, or set network.listen to another';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address: set network.listen to one of its own, or to 0.0.0.0 and the port';
    case 'EACCES':
      return 'not permitted: ports below 1024 need a right, so set network.listen to another';
    default:
      return said === undefined ? String(cause).slice(0, WORDS_MAX) : `${said} (${code})`;
  }
}

function keyOf(peerId: string): string {
  try {
    return peerKeyFromId(peerIdFromString(peerId)) ?? peerId;
  } catch {
    return peerId;
  }
}
