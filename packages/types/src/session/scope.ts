/**
 * Scopes: the actions of a session, one bit per wire tag. Actions that change an identity have none: a session never adds a device or
 * grants a session. `revokeSession` is in every scope.
 */
export const GRANTABLE_ACTIONS = { transfer: 1, transferMany: 2, setData: 3 } as const;
export type GrantableAction = keyof typeof GRANTABLE_ACTIONS;

const NAMES = Object.keys(GRANTABLE_ACTIONS) as GrantableAction[];

export function scopeOf(actions: readonly GrantableAction[]): number {
  return actions.reduce((scope, action) => scope | (1 << GRANTABLE_ACTIONS[action]), 0);
}

export function scopeActions(scope: number): readonly GrantableAction[] {
  return NAMES.filter((name) => (scope & (1 << GRANTABLE_ACTIONS[name])) !== 0);
}

/** No unknown bit, at least one known. */
export function isScope(scope: number): boolean {
  return scope !== 0 && scope === scopeOf(scopeActions(scope));
}

export function isInScope(scope: number, kind: string): boolean {
  if (kind === 'revokeSession') return true;
  return Object.hasOwn(GRANTABLE_ACTIONS, kind) && (scope & (1 << GRANTABLE_ACTIONS[kind as GrantableAction])) !== 0;
}
