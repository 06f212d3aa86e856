import type { EpochRecordJson, Epochs, Listed, ProposalPage, ValidatorView } from '@slipstream/schema';
import { useMemo } from 'react';
import { Failure, Loading } from '../../design/states.tsx';
import { relayedNode } from '../../node/chosen.ts';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { AwaitedPanel, EpochStats, NextPanel, RecentEpochs } from './epoch-panels.tsx';
import { MembersTable } from './members-table.tsx';
import { ProposalsPanel } from './proposals-panel.tsx';

interface CommitteeState {
  readonly epochs: Listed<Epochs>;
  readonly now: EpochRecordJson;
  readonly next: EpochRecordJson | undefined;
  readonly proposals: Listed<ProposalPage>;
  readonly validators: readonly ValidatorView[];
  /** The chain knows more validators. */
  readonly isPartial: boolean;
}

/** An epoch has at least 64 blocks. */
const ASK_EVERY_MS = 5_000;
const PAGE = 100;
/** Of validators: all members of the largest committee. */
const PAGES_MAX = 11;

export function CommitteeView() {
  const relayed = relayedNode();
  const { answer, again } = useQuery('committee', ask, ASK_EVERY_MS);
  return (
    <div className="view">
      <h1 className="hidden-label">Committee</h1>
      {relayed === undefined ? null : (
        <p className="small soft">
          As the node of this page knows it. The committee is the same at every node of the chain.
        </p>
      )}
      {answer.type === 'loading' ? <Loading what="the committee" /> : null}
      {answer.type === 'failed' ? <Failure title="No answer" detail={answer.reason} onRetry={again} /> : null}
      {answer.type === 'done' ? <Committee {...answer.value} /> : null}
    </div>
  );
}

function Committee({ epochs, now, next, proposals, validators, isPartial }: CommitteeState) {
  const byId = useMemo(() => new Map(validators.map((validator) => [validator.id, validator])), [validators]);
  return (
    <>
      <EpochStats epochs={epochs} record={now} />
      <div className="columns">
        <NextPanel now={now} next={next} />
        <AwaitedPanel validators={validators} isPartial={isPartial} />
      </div>
      <ProposalsPanel page={proposals} validators={byId} />
      <MembersTable record={now} validators={byId} />
      <RecentEpochs epochs={epochs} />
    </>
  );
}

async function ask(signal: AbortSignal): Promise<CommitteeState> {
  const [epochs, now, proposals, listed] = await Promise.all([
    client.epochs({ signal }),
    client.epoch('current', { signal }),
    client.proposals({ limit: PAGE, signal }),
    validatorsOf(signal),
  ]);
  const { epoch, sealed } = epochs.current;
  // The epoch may have begun meanwhile.
  const next = sealed === null || now.epoch !== epoch ? undefined : await client.epoch(epoch + 1, { signal });
  return { epochs, now, next, proposals, ...listed };
}

async function validatorsOf(signal: AbortSignal): Promise<Pick<CommitteeState, 'validators' | 'isPartial'>> {
  const validators: ValidatorView[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.validators({ limit: PAGE, signal, ...(cursor !== undefined && { cursor }) });
    validators.push(...page.items);
    if (page.next === null) return { validators, isPartial: false };
    cursor = page.next;
  }
  return { validators, isPartial: true };
}
