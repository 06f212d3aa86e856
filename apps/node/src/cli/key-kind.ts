import { usageError } from '@slipstream/command-line';

const KINDS = ['account', 'validator', 'network'] as const;
export type KeyKind = (typeof KINDS)[number];

export function keyKindOf(text: string, invocation: string): KeyKind {
  const found = KINDS.find((kind) => kind === text);
  if (found === undefined) throw usageError(invocation, [`KIND must be ${KINDS.join(', ')}, not "${text}"`]);
  return found;
}
