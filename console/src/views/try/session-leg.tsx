/** Sign in, act with the session key alone, see the refusals. */
import type { KeyPair, Session } from '@slipstream/client';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { duration } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { client, explain } from '../../node/client.ts';
import { useStream } from '../../stream/use-stream.ts';
import { Leg } from './leg.tsx';
import { overstep, revoke, type SessionNote, type SessionWorld, signIn, write } from './session-journey.ts';

const NOTES_MAX = 6;

interface State {
  readonly session: Session | null;
  readonly tookMs: number | null;
  readonly revoked: boolean;
  readonly notes: readonly SessionNote[];
  readonly busy: boolean;
  readonly failure: string | null;
}

const START: State = { session: null, tookMs: null, revoked: false, notes: [], busy: false, failure: null };

/** `device`: null until there is a key; another key restarts the step (React key). */
export function SessionLeg({ number, device }: { readonly number: number; readonly device: KeyPair | null }) {
  const { state, grant, note } = useSession();
  const { session, busy, notes, failure, revoked, tookMs } = state;
  const isDone = notes.some(({ kind }) => kind === 'done');
  return (
    <Leg
      number={number}
      title="Use a session"
      state={isDone ? 'done' : device === null ? 'later' : 'now'}
      tookMs={tookMs}
    >
      {session === null ? (
        <Grant busy={busy} device={device} onGrant={grant} />
      ) : (
        <Actions session={session} busy={busy} revoked={revoked} device={device} note={note} />
      )}
      <Notes notes={notes} />
      {failure === null ? null : (
        <p className="small" role="alert">
          {failure}
        </p>
      )}
    </Leg>
  );
}

type Step = (world: SessionWorld, session: Session) => Promise<SessionNote>;
/** `then`: further state changes after success. */
type TakeNote = (step: Step, then?: Partial<State>) => Promise<void>;

interface SessionControl {
  readonly state: State;
  readonly grant: (device: KeyPair) => Promise<void>;
  readonly note: TakeNote;
}

function useSession(): SessionControl {
  const [state, setState] = useState(START);
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const change = (fields: Partial<State>) => setState((before) => ({ ...before, ...fields }));

  async function run(act: (world: SessionWorld) => Promise<Partial<State>>): Promise<void> {
    const controller = new AbortController();
    abort.current = controller;
    const { signal } = controller;
    change({ busy: true, failure: null });
    try {
      change({ ...(await act({ client, nodeNowMs: () => Date.now() - skewMs, signal })), busy: false });
    } catch (error) {
      if (!signal.aborted) change({ busy: false, failure: explain(error) });
    }
  }

  return {
    state,
    grant: (device) =>
      run(async (world) => {
        const startMs = performance.now();
        const session = await signIn(world, device);
        return { session, tookMs: performance.now() - startMs };
      }),
    note: (step, then = {}) =>
      run(async (world) => {
        if (state.session === null) return {};
        const made = await step(world, state.session);
        return { ...then, notes: [...state.notes, made].slice(-NOTES_MAX) };
      }),
  };
}

interface GrantProps {
  readonly busy: boolean;
  readonly device: KeyPair | null;
  readonly onGrant: (device: KeyPair) => void;
}

function Grant({ busy, device, onGrant }: GrantProps) {
  return (
    <>
      <p className="small soft">
        Sign in once: your key grants a session key that may set data for ten minutes, under a pseudonym.
      </p>
      <div>
        <Button kind="primary" disabled={device === null || busy} onClick={() => onGrant(device as KeyPair)}>
          {busy ? 'Waiting for the grant …' : 'Grant a session'}
        </Button>
      </div>
    </>
  );
}

interface ActionProps extends Pick<State, 'busy' | 'revoked'> {
  readonly session: Session;
  readonly device: KeyPair | null;
  readonly note: TakeNote;
}

function Actions({ session, busy, revoked, device, note }: ActionProps) {
  return (
    <>
      <Facts facts={[['Acts for', <Hex key="account" value={session.accountText} what="account" />]]} />
      <div className="row">
        <Button kind="primary" disabled={busy} onClick={() => note(write)}>
          Set data with the session key
        </Button>
        <Button disabled={busy} onClick={() => note(overstep)}>
          Try a transfer
        </Button>
        <Button
          disabled={busy || revoked || device === null}
          onClick={() => note((world, of) => revoke(world, of, device as KeyPair), { revoked: true })}
        >
          Revoke it
        </Button>
      </div>
    </>
  );
}

function Notes({ notes }: { readonly notes: readonly SessionNote[] }) {
  return (
    <ul className="small" aria-label="What the session did" aria-live="polite">
      {notes.map(({ kind, text, tookMs }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: notes are only added, and two may be equal
        <li key={i} data-kind={kind}>
          {text} <span className="soft">({duration(tookMs)})</span>
        </li>
      ))}
    </ul>
  );
}
