import type {
  BlockPair,
  Disconnection,
  Edge,
  Ends,
  PendingConnection,
  StagedPair,
} from '../../domain/graph/edge.ts'

/** The surroundings of some blocks in the graph. */
export interface Links {
  /** Edges with at least one end among the ids, strongest stored weight first. */
  readonly edges: readonly Edge[]
  /** Unresolved pairs with at least one end among the ids. */
  readonly pairs: readonly BlockPair[]
}

/** An edge with what its decay needs of both ends. */
export interface EdgeWithDecay {
  readonly edge: Edge
  readonly fromLambda: number
  readonly toLambda: number
}

/** The note of an edge, which is about both of its blocks. */
export interface EdgeNote {
  readonly from: string
  readonly to: string
  readonly note: string
}

/** How well some blocks are joined, and where the corpus stands. */
export interface Strengths {
  /** The strongest blocks, strongest first; ties by id. */
  readonly strongest: readonly { readonly id: string; readonly strength: number }[]
  /** Strength of the block at the rank asked for; 0 when fewer blocks are joined. */
  readonly atRank: number
}

/** Queries of the graph. */
export interface GraphReader {
  /** Reads what is around some blocks; the pairs of some kinds alone, if they are given. `TOLD_KINDS` costs a look a block. */
  links(ids: readonly string[], kinds?: readonly BlockPair['kind'][]): Promise<Links>
  /**
   * Open pairs among the ids and the blocks that supersessions and near-duplicates join with them, directly or through
   * others; at most `limit` blocks, those of the ids among them, the nearest first. In (a, b) order. Cost: their pairs.
   */
  groupedPairs(ids: readonly string[], limit: number): Promise<BlockPair[]>
  /** Edges with at least one end among the ids and the decay of both ends, in (from, to) order. */
  edgesAround(ids: readonly string[]): Promise<EdgeWithDecay[]>
  /** Number of edges at each id; ids without edges are 0. */
  degrees(ids: readonly string[]): Promise<Map<string, number>>
  /**
   * Sum of the effective weights (`effectiveEdgeWeight`) of the edges at each id, each to nine decimals; ids without an
   * edge are left out. Kept with every change of an edge, so that asking costs one look per id.
   */
  strengths(ids: readonly string[]): Promise<Map<string, number>>
  /** The `limit` strongest blocks, and the strength at the 1-based `rank`. Walks an index as far as the rank. */
  strongest(limit: number, rank: number): Promise<Strengths>
  /** Notes of the newest edges that have one; of one time in (from, to) order. */
  edgeNotes(limit: number): Promise<EdgeNote[]>
  /** Edges after the pair in (from, to) order, for walks over all. */
  edgePage(after: Ends, limit: number): Promise<Edge[]>
  /** Edges of greatest stored weight first, ties in (from, to) order. Cost: all edges. */
  heaviestEdges(limit: number): Promise<Edge[]>
  /**
   * Unresolved pairs, of one kind if it is given, oldest first. Cost: that of the limit.
   *
   * @param behind begins after this pair, resolved or not; the answer is undefined if there is no such pair
   */
  openPairs(limit: number): Promise<BlockPair[]>
  openPairs(
    limit: number,
    behind: Ends | undefined,
    kind?: BlockPair['kind'],
  ): Promise<BlockPair[] | undefined>
  /** Returns the given pairs that somebody has decided about, so that both blocks stay as they are. Cost: one look a block. */
  settledPairs(pairs: readonly Ends[]): Promise<BlockPair[]>
  /** Staged pairs counted at least `atLeast` times, the most counted first, then the oldest; `among` are the ids of both ends. */
  stagedPairs(filter: {
    readonly atLeast: number
    readonly limit: number
    readonly among?: readonly string[]
  }): Promise<StagedPair[]>
  /** Connections that wait because of the degree cap, oldest first. */
  pendingConnections(limit: number): Promise<PendingConnection[]>
  /** Disconnections later than `since` with both ends among the ids, in (from, to) order. */
  disconnections(ids: readonly string[], since: number): Promise<Disconnection[]>
}

/** Changes of the graph. Pairs may have their ends in any order; unknown blocks are never joined. */
export interface GraphWriter {
  /** Inserts or overwrites by pair. */
  saveEdges(edges: readonly Edge[]): Promise<void>
  /** Returns the edges that were there. */
  removeEdges(pairs: readonly Ends[]): Promise<Edge[]>
  /** Removes those that still have the weight, count and anchor given, so that a use meanwhile saves one. Returns them. */
  removeUnusedEdges(edges: readonly Edge[]): Promise<Edge[]>
  /** Edges with both ends among the ids: count + 1 and anchor = hours. Returns how many. */
  reinforceEdgesAmong(ids: readonly string[], hours: number): Promise<number>
  /**
   * Counts each pair once more unless one of `sameAs` (the mark alone unless given) counted it already, an edge joins it,
   * or it was disconnected later than `disconnectedSince`. A pair keeps the marks that counted it, as far as there are few;
   * returns the pairs whose count is now at or above `threshold`. Beyond `limit` rows the
   * lowest counts, oldest first, are dropped; that call returns none, the next one does. An edge of origin
   * `co_retrieval` takes its pair off the list.
   */
  stagePairs(
    pairs: readonly Ends[],
    options: {
      /** Of the question or session in which they came together; a short text. */
      readonly mark: string
      readonly sameAs?: readonly string[] | undefined
      readonly threshold: number
      readonly limit: number
      readonly disconnectedSince: number
    },
  ): Promise<Ends[]>
  /** Drops staged pairs that an edge joins by now or with an end that is not active; returns how many. */
  removeStaleStaging(): Promise<number>
  /**
   * Inserts pairs that are not there yet, or that say more than the one that is there; with `reopens` also in the place of those
   * that somebody has decided about.
   */
  savePairs(pairs: readonly BlockPair[], options?: { readonly reopens?: boolean }): Promise<void>
  /** Marks open pairs as resolved, of some kinds if they are given; returns how many. */
  resolvePairs(pairs: readonly Ends[], kinds?: readonly BlockPair['kind'][]): Promise<number>
  /** Inserts at the end of the list, or overwrites by the two blocks and keeps the place. */
  savePendingConnections(connections: readonly PendingConnection[]): Promise<void>
  /** Returns those that waited, oldest first. */
  removePendingConnections(pairs: readonly Ends[]): Promise<PendingConnection[]>
  /** Inserts or overwrites by pair. */
  saveDisconnections(disconnections: readonly Disconnection[]): Promise<void>
  removeDisconnections(pairs: readonly Ends[]): Promise<void>
  /** Forgets those not later than `since`; returns how many. */
  trimDisconnections(since: number): Promise<number>
}
