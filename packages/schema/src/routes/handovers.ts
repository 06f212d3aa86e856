import { Type } from 'typebox';
import { HANDOVERS_LIMIT_DEFAULT, HANDOVERS_LIMIT_MAX, HandoverPageSchema } from '../handovers.ts';
import { EPOCH_MAX } from '../scalars.ts';
import { CLOSED, NONE, type Route } from './route.ts';

export const HANDOVER_ROUTES = {
  handovers: {
    method: 'GET',
    path: '/v1/handovers',
    tag: 'chain',
    summary: 'Handovers of epochs, oldest first: they lead from a committee to the newest',
    description:
      'Each is verified with the committee of its own epoch. `from` is an epoch whose committee the client trusts, 0 for genesis.',
    params: NONE,
    query: Type.Object(
      {
        from: Type.Optional(Type.Integer({ minimum: 0, maximum: EPOCH_MAX, default: 0 })),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: HANDOVERS_LIMIT_MAX, default: HANDOVERS_LIMIT_DEFAULT }),
        ),
      },
      CLOSED,
    ),
    answers: { 200: HandoverPageSchema },
    problems: [],
  },
} as const satisfies Readonly<Record<string, Route>>;
