/**
 * The route table, from which server, OpenAPI and client types derive. Paths are relative to the server; `{name}` is a parameter. Every
 * route may answer with the problems of COMMON_PROBLEMS.
 */
import type { TSchema } from 'typebox';
import type { Json } from '../scalars.ts';
import { APPLICATION_ROUTES } from './applications.ts';
import { CHAIN_ROUTES } from './chain.ts';
import { EPOCH_ROUTES } from './epochs.ts';
import { HANDOVER_ROUTES } from './handovers.ts';
import { NODE_ROUTES } from './node.ts';
import { OPERATOR_ROUTES } from './operator.ts';
import type { Route } from './route.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { TRANSACTION_ROUTES } from './transactions.ts';

export const ROUTES = {
  ...TRANSACTION_ROUTES,
  ...CHAIN_ROUTES,
  ...APPLICATION_ROUTES,
  ...EPOCH_ROUTES,
  ...HANDOVER_ROUTES,
  ...SESSION_ROUTES,
  ...NODE_ROUTES,
  ...OPERATOR_ROUTES,
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof ROUTES;
export const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];

/** With entries of type Route, for code that treats all alike. */
export const ROUTE_TABLE: Readonly<Record<RouteName, Route>> = ROUTES;

/** Undefined where the success answer is not JSON. */
export type AnswerOf<N extends RouteName> = (typeof ROUTES)[N]['answers'] extends {
  readonly 200: infer S extends TSchema;
}
  ? Json<S>
  : undefined;

export function routePath(name: RouteName, params: Readonly<Record<string, string>> = {}): string {
  return ROUTES[name].path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
}

export * from './route.ts';
