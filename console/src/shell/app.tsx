/** Bar above, navigation beside (below on narrow screens), one view between. */
import './app.css';
import { Suspense, useEffect, useRef } from 'react';
import { Loading } from '../design/states.tsx';
import { useChosenPlace } from '../node/chosen.ts';
import { LiveChecks } from '../proof/live-checks.tsx';
import { useStream } from '../stream/use-stream.ts';
import { Announcer } from './announcer.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Navigation } from './navigation.tsx';
import { RefusedBanner } from './refused-banner.tsx';
import { useNavigations, useRoute } from './router.ts';
import { TopBar } from './top-bar.tsx';
import { prefetchViews, VIEWS } from './views.tsx';

export function App() {
  const { view, rest } = useRoute();
  const navigations = useNavigations();
  const { component: View, title, forget } = VIEWS[view];
  const node = useChosenPlace();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const name = useStream(({ status }) => status?.node.name);
  const fresh = useStream(({ connection }) => connection.type === 'live');

  useEffect(() => {
    document.title = name === undefined ? `${title} · Slipstream` : `${title} · ${name}`;
  }, [title, name]);

  useEffect(() => whenIdle(prefetchViews), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: focus moves when the address is followed
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [navigations]);

  return (
    <div className="app">
      <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar />
      <Navigation current={view} />
      <main ref={main} id="main" className="app-main" tabIndex={-1} data-fresh={fresh}>
        <ConnectionBanner />
        <RefusedBanner />
        <ErrorBoundary key={`${view} ${node}`} onCaught={forget}>
          <Suspense fallback={<Loading what={title.toLowerCase()} />}>
            <View rest={rest} />
          </Suspense>
        </ErrorBoundary>
      </main>
      <Announcer />
      <LiveChecks />
    </div>
  );
}

/** Safari lacks requestIdleCallback. */
const IDLE_AT_LEAST_MS = 1_000;

/** The result cancels. */
function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const asked = requestIdleCallback(run);
    return () => cancelIdleCallback(asked);
  }
  const timer = setTimeout(run, IDLE_AT_LEAST_MS);
  return () => clearTimeout(timer);
}
