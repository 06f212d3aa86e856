import { Type } from 'typebox';
import { CredentialSchema, IdentitySchema, SessionViewSchema } from '../sessions.ts';
import { AnyAccount, AnyId, CLOSED, NONE, ProofQuery, type Route } from './route.ts';

export const SESSION_ROUTES = {
  identity: {
    method: 'GET',
    path: '/v1/identities/{account}',
    tag: 'sessions',
    summary: 'The devices of an identity',
    params: Type.Object({ account: AnyAccount }, CLOSED),
    query: NONE,
    answers: { 200: IdentitySchema },
    problems: [],
  },
  session: {
    method: 'GET',
    path: '/v1/sessions/{id}',
    tag: 'sessions',
    summary: 'A session by the id of its grant: what this chain knows of it',
    params: Type.Object({ id: AnyId }, CLOSED),
    query: ProofQuery,
    answers: { 200: SessionViewSchema },
    problems: ['session-unknown', 'proof-not-ready', 'conflict'],
  },
  credential: {
    method: 'GET',
    path: '/v1/sessions/{id}/credential',
    tag: 'sessions',
    summary: 'The credential of a grant that this chain certified',
    params: Type.Object({ id: AnyId }, CLOSED),
    query: NONE,
    answers: { 200: CredentialSchema },
    tagged: true,
    problems: ['session-unknown', 'proof-not-ready', 'pruned', 'conflict'],
  },
} as const satisfies Readonly<Record<string, Route>>;
