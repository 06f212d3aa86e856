/**
 * Certificate store, by view.
 *
 * A Finalization or state certificate counts as the notarization of its block (rule 1). Beyond the lookahead only the highest view is
 * retained (rule 9), so far views use bounded memory.
 */
import { assert } from '@slipstream/primitives';
import type {
  BlockId,
  Certificate,
  Finalization,
  Notarization,
  Nullification,
  StateCertificate,
  SubjectKind,
  View,
} from '@slipstream/types';
import { hexOf, view } from '@slipstream/types';

interface ViewCertificates {
  notarization?: Notarization;
  nullification?: Nullification;
  finalization?: Finalization;
  state?: StateCertificate;
}

export interface CertificateStore {
  /** False when kind and view are known. Asserts that a view has one certified block. */
  add(certificate: Certificate): boolean;
  holds(id: Pick<Certificate['subject'], 'kind' | 'view'>): boolean;
  at(view: View): ViewCertificates;
  /** The only block of this view that may be built on, and its certificate. */
  notarized(view: View): { readonly blockId: BlockId; readonly certificate: Certificate } | undefined;
  nullified(view: View): boolean;
  /** The highest certified view, and the certificate that enters the next. */
  highest(): { readonly view: View; readonly certificate: Certificate } | undefined;
  /** First view in (from, to) that is not nullified. */
  firstGap(from: View, to: View): View | undefined;
  inRange(from: View, to: View, limit: number): readonly Certificate[];
  /** Newest of each kind that counts this member's vote. */
  newestSignedBy(member: number): readonly Certificate[];
  prune(below: View, above: View): void;
  readonly size: number;
  readonly state: CertificateStoreState;
}

/** Plain data. */
export interface CertificateStoreState {
  readonly views: Map<number, ViewCertificates>;
  highestView: number;
}

/** Enters the next view: the strongest statement first. */
function entryOf(entry: ViewCertificates): Certificate | undefined {
  return entry.notarization ?? entry.finalization ?? entry.state ?? entry.nullification;
}

function allOf({ notarization, nullification, finalization, state }: ViewCertificates): readonly Certificate[] {
  return [notarization, nullification, finalization, state].filter((certificate) => certificate !== undefined);
}

export function createCertificateStore(
  root: { readonly view: View; readonly blockId: BlockId },
  state: CertificateStoreState = { views: new Map(), highestView: -1 },
): CertificateStore {
  const { views } = state;
  const none: ViewCertificates = {};

  function add(certificate: Certificate): boolean {
    if (holds(certificate.subject)) return false;
    const at = certificate.subject.view;
    const entry = views.get(at) ?? {};
    const { subject } = certificate;
    if (subject.kind !== 'nullify') {
      const before = notarized(at);
      assert(
        before === undefined || hexOf(before.blockId) === hexOf(subject.blockId),
        `at most one block is notarized in view ${at} (more than a third of the weight is faulty)`,
      );
    }
    switch (subject.kind) {
      case 'notarize':
        entry.notarization = certificate as Notarization;
        break;
      case 'nullify':
        entry.nullification = certificate as Nullification;
        break;
      case 'finalize':
        entry.finalization = certificate as Finalization;
        break;
      case 'certify':
        entry.state = certificate as StateCertificate;
        break;
    }
    assert(
      !(entry.finalization && entry.nullification),
      `view ${at} is never both finalized and nullified (more than a third of the weight is faulty)`,
    );
    views.set(at, entry);
    state.highestView = Math.max(state.highestView, at);
    return true;
  }

  function holds({ kind, view: at }: Pick<Certificate['subject'], 'kind' | 'view'>): boolean {
    const entry = views.get(at);
    if (!entry) return false;
    switch (kind) {
      case 'notarize':
        return entry.notarization !== undefined;
      case 'nullify':
        return entry.nullification !== undefined;
      case 'finalize':
        return entry.finalization !== undefined;
      case 'certify':
        return entry.state !== undefined;
    }
  }

  function notarized(at: View) {
    const entry = views.get(at);
    const certificate = entry && (entry.notarization ?? entry.finalization ?? entry.state);
    return certificate && { blockId: certificate.subject.blockId, certificate };
  }

  return {
    add,
    holds,
    notarized,
    at: (of) => views.get(of) ?? none,
    nullified: (of) => views.get(of)?.nullification !== undefined,
    highest() {
      const entry = views.get(state.highestView);
      const certificate = entry && entryOf(entry);
      return certificate && { view: view(state.highestView), certificate };
    },
    firstGap(from, to) {
      for (let at = from + 1; at < to; at++) if (views.get(at)?.nullification === undefined) return view(at);
      return undefined;
    },
    inRange(from, to, limit) {
      const found: Certificate[] = [];
      const wanted = [...views.keys()].filter((at) => at >= from && at <= to).sort((a, b) => a - b);
      for (const at of wanted) {
        for (const certificate of allOf(views.get(at) as ViewCertificates)) {
          if (found.length < limit) found.push(certificate);
        }
      }
      return found;
    },
    newestSignedBy(member) {
      const newest = new Map<SubjectKind, Certificate>();
      for (const entry of views.values()) {
        for (const certificate of allOf(entry)) {
          const { kind, view: at } = certificate.subject;
          if (at <= (newest.get(kind)?.subject.view ?? -1) || !certificate.signers.includes(member)) continue;
          newest.set(kind, certificate);
        }
      }
      return [...newest.values()];
    },
    prune(below, above) {
      for (const at of views.keys()) {
        if (at !== root.view && (at < below || (at > above && at !== state.highestView))) views.delete(at);
      }
    },
    get size() {
      return views.size;
    },
    state,
  };
}
