/**
 * A view whose code is fetched when the page is idle, or when the view is opened.
 *
 *   idle --> prefetch --\
 *                        one fetch --> drawn
 *   opened -------------/         \--> failed --> forgotten: the next request fetches it again
 */
import { type ComponentType, use } from 'react';

export interface ViewProps {
  readonly rest: readonly string[];
}

export interface ViewCode {
  readonly component: ComponentType<ViewProps>;
  /** Afterwards the view opens even if the node is gone. */
  prefetch(): void;
  /** Forgets a failed fetch, so that it can be repeated. */
  forget(): void;
}

export function later(load: () => Promise<ComponentType<ViewProps>>): ViewCode {
  let fetched: Promise<ComponentType<ViewProps>> | undefined;

  function fetchOnce(): Promise<ComponentType<ViewProps>> {
    fetched ??= load();
    return fetched;
  }

  function forget(): void {
    fetched = undefined;
  }

  function Later(props: ViewProps) {
    const View = use(fetchOnce());
    return <View {...props} />;
  }

  return { component: Later, prefetch: () => void fetchOnce().catch(forget), forget };
}

/** A view whose code is part of the page. */
export function atOnce(component: ComponentType<ViewProps>): ViewCode {
  return { component, prefetch() {}, forget() {} };
}
