/**
 * The votes of all honest members at the end of an epoch: the whole state of the model of the boundary.
 *
 * As in ../voting/ballot.ts a sent message may arrive at any time or never, and Byzantine members vote for everything and lead every
 * view. Here two epochs meet, so a block has an epoch and a kind.
 *
 * A set of members is three bits; a set by view has three bits for each view, from view 1 on. A set of views has one bit for each.
 */
export const HONEST = 3;
/** Of the honest members' votes; with the Byzantine one they are a quorum of three in four. */
const NEEDED = 2;
const ALL_MEMBERS = 0b111;
const COUNTS = [0, 1, 1, 2, 1, 2, 2, 3] as const;

/** A closing block names the next committee. Fillers are empty, stand above one, and are never delivered. */
export const Kind = { plain: 0, closing: 1, filler: 2 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export const KIND_NAMES = ['plain', 'closing', 'filler'] as const;
export const KINDS: readonly Kind[] = [Kind.plain, Kind.closing, Kind.filler];

/** The epoch that ends, and the one after it. */
export const Epoch = { ending: 0, next: 1 } as const;
export type Epoch = (typeof Epoch)[keyof typeof Epoch];

export interface Block {
  readonly epoch: Epoch;
  /** Both epochs begin with view 1. */
  readonly view: number;
  readonly parent: number;
  readonly kind: Kind;
  /** Members that sent Notarize: one at least, since the first honest vote creates a block. */
  readonly voters: number;
}

export interface BoundaryState {
  /** A block is its index; 0 is the root of the epoch that ends, and its own parent. */
  readonly blocks: readonly Block[];
  /** Members by view of the epoch that ends. */
  readonly nullify: number;
  readonly finalize: number;
  /** Views of the epoch that ends whose certificate of a kind some honest member holds, since it acted on it. */
  readonly heldNotarizations: number;
  readonly heldNullifications: number;
  readonly heldFinalizations: number;
  /** The closing block on which the next epoch stands; 0 before the first vote in it. */
  readonly root: number;
  /** Members by view of the next epoch. */
  readonly nextNullify: number;
}

const genesis: Block = { epoch: Epoch.ending, view: 0, parent: 0, kind: Kind.plain, voters: ALL_MEMBERS };

export const FIRST: BoundaryState = {
  blocks: [genesis],
  nullify: 0,
  finalize: 0,
  heldNotarizations: 0,
  heldNullifications: 0,
  heldFinalizations: 0,
  root: 0,
  nextNullify: 0,
};

export function blockAt(blocks: readonly Block[], index: number): Block {
  return blocks[index] as Block;
}

export function membersIn(byView: number, view: number): number {
  return (byView >> (3 * (view - 1))) & ALL_MEMBERS;
}

/** `members` join those of the view. */
export function withMembers(byView: number, view: number, members: number): number {
  return byView | (members << (3 * (view - 1)));
}

export function hasView(views: number, view: number): boolean {
  return ((views >> view) & 1) === 1;
}

export function hasMember(members: number, member: number): boolean {
  return ((members >> member) & 1) === 1;
}

export function isQuorum(members: number): boolean {
  return (COUNTS[members] as number) >= NEEDED;
}

export function areAll(members: number): boolean {
  return members === ALL_MEMBERS;
}

export function allBut(members: number): number {
  return ALL_MEMBERS & ~members;
}

export function heightOf(blocks: readonly Block[], block: number): number {
  let height = 0;
  for (let at = block; at !== 0; at = blockAt(blocks, at).parent) height++;
  return height;
}

/** `block` counts as its own ancestor. */
export function descends(blocks: readonly Block[], block: number, ancestor: number): boolean {
  let at = block;
  while (at !== ancestor && at !== 0) at = blockAt(blocks, at).parent;
  return at === ancestor;
}

export function onOneChain(blocks: readonly Block[], a: number, b: number): boolean {
  return descends(blocks, a, b) || descends(blocks, b, a);
}

/** The first closing block of the chain up to `block`; 0: none. */
export function boundaryOf(blocks: readonly Block[], block: number): number {
  let boundary = 0;
  for (let at = block; at !== 0; at = blockAt(blocks, at).parent) {
    if (blockAt(blocks, at).kind === Kind.closing) boundary = at;
  }
  return boundary;
}

/** Members that voted for some block of the view. */
export function votersIn(blocks: readonly Block[], epoch: Epoch, view: number): number {
  let voters = 0;
  for (const block of blocks) if (block.epoch === epoch && block.view === view) voters |= block.voters;
  return voters;
}

/** Another index than any yet creates the block. */
export function withVote(state: BoundaryState, block: Block, index: number, member: number): BoundaryState {
  const blocks = state.blocks.slice();
  const { epoch, view, parent, kind } = block;
  blocks[index] = { epoch, view, parent, kind, voters: block.voters | (1 << member) };
  return { ...state, blocks };
}
