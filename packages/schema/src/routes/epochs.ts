import { Type } from 'typebox';
import { CommitteeSchema } from '../answers.ts';
import {
  EpochRecordSchema,
  EpochsSchema,
  ProposalPageSchema,
  ProposalSchema,
  ValidatorPageSchema,
  ValidatorReference,
  ValidatorSchema,
} from '../epochs.ts';
import { EPOCH_MAX } from '../scalars.ts';
import { AnyId, CLOSED, NONE, PageQuery, ProofQuery, type Route, ValidatorsQuery } from './route.ts';

export const EPOCH_ROUTES = {
  epochs: {
    method: 'GET',
    path: '/v1/epochs',
    tag: 'epochs',
    summary: 'The current epoch, the sealed one, and those before, newest first',
    params: NONE,
    query: PageQuery,
    answers: { 200: EpochsSchema },
    problems: [],
  },
  epoch: {
    method: 'GET',
    path: '/v1/epochs/{epoch}',
    tag: 'epochs',
    summary: 'The record of an epoch: its committee and parameters',
    params: Type.Object(
      { epoch: Type.String({ pattern: '^(current|0|[1-9][0-9]{0,8})$', examples: ['current'] }) },
      CLOSED,
    ),
    query: NONE,
    answers: { 200: EpochRecordSchema },
    problems: ['epoch-unknown'],
  },
  validators: {
    method: 'GET',
    path: '/v1/validators',
    tag: 'epochs',
    summary: 'All validators: members, candidates and removed ones, in the order in which the chain learned of them',
    params: NONE,
    query: ValidatorsQuery,
    answers: { 200: ValidatorPageSchema },
    problems: [],
  },
  validator: {
    method: 'GET',
    path: '/v1/validators/{validator}',
    tag: 'epochs',
    summary: 'A validator by its id or a BLS key',
    params: Type.Object({ validator: ValidatorReference }, CLOSED),
    query: ProofQuery,
    answers: { 200: ValidatorSchema },
    problems: ['validator-unknown', 'proof-not-ready', 'conflict'],
  },
  proposals: {
    method: 'GET',
    path: '/v1/proposals',
    tag: 'epochs',
    summary: 'Open proposals, their approvals, and why each waits',
    params: NONE,
    query: PageQuery,
    answers: { 200: ProposalPageSchema },
    problems: [],
  },
  proposal: {
    method: 'GET',
    path: '/v1/proposals/{id}',
    tag: 'epochs',
    summary: 'An open proposal',
    params: Type.Object({ id: AnyId }, CLOSED),
    query: NONE,
    answers: { 200: ProposalSchema },
    problems: ['proposal-unknown'],
  },
  committee: {
    method: 'GET',
    path: '/v1/committee',
    tag: 'epochs',
    summary: 'The validators of an epoch and their weights',
    params: NONE,
    query: Type.Object(
      {
        epoch: Type.Optional(
          Type.Integer({ minimum: 0, maximum: EPOCH_MAX, description: 'Default: the current one.', examples: [0] }),
        ),
      },
      CLOSED,
    ),
    answers: { 200: CommitteeSchema },
    tagged: true,
    problems: ['epoch-unknown'],
  },
} as const satisfies Readonly<Record<string, Route>>;
