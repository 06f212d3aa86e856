import { ListCompositeType } from '@slipstream/primitives';
import { PROPOSAL_CHANGES_MAX } from '../actions/propose.ts';
import { changeType } from './changes.ts';

/** Of a proposal in the state. */
export const changesType = new ListCompositeType(changeType, PROPOSAL_CHANGES_MAX);
