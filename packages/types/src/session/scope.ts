/**
 * Scopes: what a session may do, as bits. An action's bit is its wire tag; bit 8 + n is for calls of application n of the target chain.
 * Actions that change an identity have none: a session never adds a device or grants a session. `revokeSession` is in every scope.
 */
export const GRANTABLE_ACTIONS = { transfer: 1, transferMany: 2, setData: 3 } as const;
type GrantableKind = keyof typeof GRANTABLE_ACTIONS;
/** `call:0`: calls of the first application in the target's genesis. */
export type GrantableAction = GrantableKind | `call:${number}`;

const APPLICATIONS_FROM = 8;
const BITS = 32;
/** An application of a higher number has no bit: no session calls it. */
export const SCOPE_APPLICATIONS_MAX: number = BITS - APPLICATIONS_FROM;

const bits: readonly (readonly [GrantableAction, number])[] = [
  ...Object.entries(GRANTABLE_ACTIONS).map(([name, bit]) => [name as GrantableKind, bit] as const),
  ...Array.from({ length: SCOPE_APPLICATIONS_MAX }, (_, n) => [`call:${n}`, APPLICATIONS_FROM + n] as const),
];
const BITS_BY_NAME = new Map<string, number>(bits);
export const GRANTABLE_COUNT: number = bits.length;
/** For messages. */
export const GRANTABLE_NAMES = `${Object.keys(GRANTABLE_ACTIONS).join(', ')}, call:0 to call:${SCOPE_APPLICATIONS_MAX - 1}`;

export function isGrantable(name: string): name is GrantableAction {
  return BITS_BY_NAME.has(name);
}

/** Throws RangeError on a name without a bit. */
export function scopeOf(actions: readonly string[]): number {
  let scope = 0;
  for (const action of actions) {
    const bit = BITS_BY_NAME.get(action);
    if (bit === undefined)
      throw new RangeError(`a session cannot be granted "${action.slice(0, 32)}": choose from ${GRANTABLE_NAMES}`);
    scope |= 1 << bit;
  }
  return scope >>> 0;
}

export function scopeActions(scope: number): readonly GrantableAction[] {
  return bits.filter(([, bit]) => hasBit(scope, bit)).map(([name]) => name);
}

/** No unknown bit, at least one known. */
export function isScope(scope: number): boolean {
  return scope !== 0 && scope === scopeOf(scopeActions(scope));
}

/** Of a call: of some application. Which one its name is, the state of the target chain says (`isCallInScope`). */
export function isInScope(scope: number, kind: string): boolean {
  if (kind === 'revokeSession') return true;
  if (kind === 'call') return scope >>> APPLICATIONS_FROM !== 0;
  return Object.hasOwn(GRANTABLE_ACTIONS, kind) && hasBit(scope, GRANTABLE_ACTIONS[kind as GrantableKind]);
}

/** `application`: its number; undefined: the chain has none of the name. */
export function isCallInScope(scope: number, application: number | undefined): boolean {
  return (
    application !== undefined && application < SCOPE_APPLICATIONS_MAX && hasBit(scope, APPLICATIONS_FROM + application)
  );
}

/** Highest application in it; undefined: none. */
export function highestCallOf(scope: number): number | undefined {
  const calls = scope >>> APPLICATIONS_FROM;
  return calls === 0 ? undefined : Math.floor(Math.log2(calls));
}

function hasBit(scope: number, bit: number): boolean {
  return (scope & (1 << bit)) !== 0;
}
