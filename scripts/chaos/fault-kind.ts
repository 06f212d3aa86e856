import type { SeededRandom } from '@slipstream/simulator';
import type { Fault, Site } from './site.ts';

export interface Shape {
  readonly validators: readonly string[];
  readonly smallDiskNode: string;
}

export interface FaultKind {
  readonly kind: string;
  readonly about: string;
  draw(random: SeededRandom, shape: Shape): Omit<Fault, 'kind'>;
  /** Why the fault cannot be injected here; undefined when it can. */
  unavailable?(site: Site): string | undefined;
  /** Resolves when the fault is active, with a function that ends it. */
  inject(site: Site, fault: Fault): Promise<void | (() => Promise<void> | void)>;
}
