/** What a session may do. */
import { GRANTABLE_ACTIONS, SCOPE_APPLICATIONS_MAX } from '@slipstream/types';
import { Type } from 'typebox';

const KINDS = Object.keys(GRANTABLE_ACTIONS);

export const Scope = Type.Array(
  Type.String({ pattern: `^(${KINDS.join('|')}|call:(0|1?[1-9]|10|2[0-3]))$`, examples: ['transfer'] }),
  {
    minItems: 1,
    maxItems: KINDS.length + SCOPE_APPLICATIONS_MAX,
    description: `Actions that it may carry out: ${KINDS.join(', ')}, and \`call:0\` to \`call:${SCOPE_APPLICATIONS_MAX - 1}\`, calls of the application with this number in the target's genesis.`,
  },
);
