import { useMemo, useState } from 'react';
import { Failure, Loading } from '../../design/states.tsx';
import { relayedNode } from '../../node/chosen.ts';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { useStream } from '../../stream/use-stream.ts';
import { AwaitedPanel, EpochStats, LastChangePanel, NextPanel, RecentEpochs } from './epoch-panels.tsx';
import { MembersTable } from './members-table.tsx';
import { ProposalsPanel } from './proposals-panel.tsx';
import { type CommitteeState, createCommitteeReader } from './read-committee.ts';
import { readingPeriodMs } from './reading-period.ts';

const readCommittee = createCommitteeReader();

export function CommitteeView() {
  const relayed = relayedNode();
  const version = useStream((snapshot) => snapshot.governanceVersion);
  const epoch = useStream((snapshot) => snapshot.committee?.epoch);
  const [answered, setAnswered] = useState<number>();
  const ask = async (signal: AbortSignal) => {
    const state = await readCommittee(client, signal);
    setAnswered(state.epochs.current.epoch);
    return state;
  };
  const everyMs = readingPeriodMs(relayed === undefined ? undefined : epoch, answered);
  const { answer, again } = useQuery('committee', ask, { everyMs, version });
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

function Committee({ epochs, now, before, next, proposals, waiting, hasMoreWaiting, versions }: CommitteeState) {
  const nameOf = useMemo(() => {
    const named = [...now.members, ...(next?.members ?? [])].map(
      ({ validatorId, name }) => [validatorId, name] as const,
    );
    const names = new Map([...named, ...waiting.map(({ id, name }) => [id, name] as const)]);
    return (validatorId: string) => names.get(validatorId);
  }, [now, next, waiting]);
  const awaited = useMemo(() => new Map(waiting.map((validator) => [validator.id, validator])), [waiting]);
  return (
    <>
      <EpochStats epochs={epochs} record={now} />
      <div className="columns">
        <NextPanel now={now} next={next} />
        <AwaitedPanel waiting={waiting} hasMore={hasMoreWaiting} />
        {before === undefined ? null : <LastChangePanel before={before} now={now} />}
      </div>
      <ProposalsPanel page={proposals} now={now} next={next} waiting={awaited} nameOf={nameOf} versions={versions} />
      <MembersTable record={now} next={next} waiting={awaited} />
      <RecentEpochs epochs={epochs} />
    </>
  );
}
