import type { Block, BlockFacts } from '../block/block.ts'
import { isIdentity, isLessTrusted, type SourceClass } from '../block/source-class.ts'
import { isAtOnce, isLaterWord, isNewer, isPlanned, mayCarry, mayHide } from '../block/standing.ts'
import { hasBegun, hasEnded, holdsAt } from '../block/validity/validity.ts'
import type { BlockPair } from '../graph/edge.ts'

/**
 * Versions that somebody told: a block that was remembered with `supersedes`, or a pair of which the owner, the host agent or a
 * model said that the newer takes the older's place. Nothing else puts a block under another.
 */
export interface Tie {
  /** The block that takes the place of the other. */
  readonly newer: string
  readonly older: string
  /** `stated` by the one who remembered the newer, or `judged` by somebody who read both. */
  readonly how: 'stated' | 'judged'
  /** The class of the judge. */
  readonly by?: SourceClass
}

/** Finders of pairs who read both blocks. */
const JUDGES: ReadonlySet<string | undefined> = new Set(['model', 'host', 'owner'])

/** Returns what a pair tells about versions; undefined where nobody told anything. */
export function tieOf(
  { a, b, kind, foundBy }: BlockPair,
  blocks: ReadonlyMap<string, Block>,
): Tie | undefined {
  if (blocks.get(a)?.supersedes === b) return { newer: a, older: b, how: 'stated' }
  if (blocks.get(b)?.supersedes === a) return { newer: b, older: a, how: 'stated' }
  const [one, other] = [blocks.get(a), blocks.get(b)]
  if (kind !== 'supersession' || !JUDGES.has(foundBy) || !one || !other) return undefined
  const by = foundBy === 'owner' ? 'user' : 'agent'
  const ends = isLaterWord(one, other) ? { newer: a, older: b } : { newer: b, older: a }
  return { ...ends, how: 'judged', by }
}

/** Returns true if a tie says something at a time: nothing that has not begun or has ended takes another's place. */
export function countsAt(
  at: string,
  { newer, older, how }: Tie,
  blocks: ReadonlyMap<string, Block>,
): boolean {
  const [first, second] = [blocks.get(newer), blocks.get(older)]
  if (first === undefined || second === undefined) return true
  if (first.scope !== second.scope) return false
  if (!hasBegun(first, at) && hasBegun(second, at)) return false
  return !holdsAt(second, at) || holdsAt(first, at) || (how === 'stated' && hasEnded(first, at))
}

/** A block that stands under an entry of the answer. */
export interface Version {
  readonly id: string
  /**
   * `superseded` as its successor said; `proposed`: it was to take the place of what is trusted more, and nobody accepted that;
   * `earlier` and `later`: a judge took both for words about the same fact.
   */
  readonly why: 'superseded' | 'proposed' | 'earlier' | 'later'
  /** The block that took its place. */
  readonly by: string
}

/** A block that stands under an entry of the answer, as it was read. */
export type RecalledVersion = Pick<Version, 'why'> & { readonly block: Block }

/** The groups that blocks form, by their ids. */
export interface Grouped {
  /** The block that another one stands under; itself when it stands under none. */
  readonly headOf: (id: string) => string
  /** The versions under a block, newest first. */
  readonly under: ReadonlyMap<string, readonly Version[]>
}

/**
 * Groups blocks by what was told: each stands under the newest of its fact. Nothing stands under what is trusted less, nor under a
 * date ahead if it was remembered after it (`mayHide`): then both are entries.
 *
 * @param fixed blocks that stand under none
 */
export function groupVersions(
  blocks: readonly BlockFacts[],
  ties: readonly Tie[],
  fixed: ReadonlySet<string> = new Set(),
): Grouped {
  const facts = new Map(blocks.map((each) => [each.id, each]))
  const pairsOf = (how: Tie['how']) =>
    ties.flatMap((tie): Pair[] => {
      const [newer, older] = [facts.get(tie.newer), facts.get(tie.older)]
      return tie.how === how && newer && older ? [{ newer, older, by: tie.by ?? 'user' }] : []
    })
  const stated = pairsOf('stated')
  const groups = new Groups(facts, { fixed, proposals: proposalsAmong(stated) })
  for (const { newer, older } of stated) groups.join(newer, older)
  const judged = pairsOf('judged').sort((one, other) => (isNewer(one.newer, other.newer) ? -1 : 1))
  for (const { newer, older, by } of judged) {
    // Who the agent is has only versions that say so, too.
    const mayStandUnder = isIdentity(older) || !isIdentity(newer)
    if (mayStandUnder && mayCarry({ sourceClass: by }, older)) groups.put(older, newer, 'earlier')
  }
  return groups.result()
}

interface Pair {
  readonly newer: BlockFacts
  readonly older: BlockFacts
  readonly by: SourceClass
}

/** Returns the ids of blocks that are to take the place of what is trusted more, directly or through others. */
function proposalsAmong(stated: readonly Pair[]): ReadonlySet<string> {
  const replaces = new Map(stated.map(({ newer, older }) => [newer.id, older]))
  const isProposal = ({ newer }: Pair) => {
    const seen = new Set<string>()
    for (let next = replaces.get(newer.id); next && !seen.has(next.id); next = replaces.get(next.id)) {
      if (isLessTrusted(newer.sourceClass, next.sourceClass)) return true
      seen.add(next.id)
    }
    return false
  }
  return new Set(stated.filter(isProposal).map(({ newer }) => newer.id))
}

/** Groups of blocks while they are made; each has one head, which stands under none. */
class Groups {
  readonly #facts: ReadonlyMap<string, BlockFacts>
  readonly #fixed: ReadonlySet<string>
  readonly #proposals: ReadonlySet<string>
  readonly #replaced = new Map<string, Version>()

  constructor(
    facts: ReadonlyMap<string, BlockFacts>,
    { fixed, proposals }: Readonly<Record<'fixed' | 'proposals', ReadonlySet<string>>>,
  ) {
    this.#facts = facts
    this.#fixed = fixed
    this.#proposals = proposals
  }

  /**
   * Makes two groups one, under the later word of their heads; of the same time under that of the newer of the pair. They stay two if
   * that may not hide the other, or if this pair may not carry it there.
   */
  join(one: BlockFacts, other: BlockFacts): void {
    const [first, second] = [this.#headOf(one), this.#headOf(other)]
    if (first.id === second.id) return
    const isFirst = isAtOnce(first, second) || isLaterWord(first, second)
    const [newer, older] = isFirst ? [first, second] : [second, first]
    const [direct, replaced] = isFirst ? [one, other] : [other, one]
    const isDirect = replaced.id === older.id && isLaterWord(direct, older) && mayHide(direct, older)
    if (mayCarry(one, older) && mayCarry(other, older) && this.#mayGoUnder(older, newer))
      this.#put(older, isDirect ? direct : newer, 'superseded')
  }

  /** Puts a head under a block of another group, if that may hide it. */
  put(head: BlockFacts, by: BlockFacts, why: Version['why']): void {
    const isFree = !this.#replaced.has(head.id)
    if (isFree && this.#headOf(by).id !== head.id && this.#mayGoUnder(head, by)) this.#put(head, by, why)
  }

  result(): Grouped {
    const headOf = (id: string): string => {
      const version = this.#replaced.get(id)
      return version === undefined ? id : headOf(version.by)
    }
    const below = [...this.#replaced.keys()].flatMap((id) => this.#facts.get(id) ?? [])
    const newestFirst = below.sort((one, other) => (isNewer(one, other) ? -1 : 1))
    const versions = newestFirst.flatMap(({ id }) => this.#replaced.get(id) ?? [])
    return { headOf, under: Map.groupBy(versions, ({ id }) => headOf(id)) }
  }

  /** Returns true of a group's head if nothing in that group would be hidden by a block that may not hide it. */
  #mayGoUnder(head: BlockFacts, by: BlockFacts): boolean {
    if (!mayHide(by, head)) return false
    // Its head is trusted most of a group, but need not be what was remembered last.
    if (!isPlanned(by)) return true
    return [...this.#replaced.keys()]
      .flatMap((id) => this.#facts.get(id) ?? [])
      .every((block) => this.#headOf(block).id !== head.id || mayHide(by, block))
  }

  #put({ id }: BlockFacts, by: BlockFacts, kind: Version['why']): void {
    const why = kind === 'superseded' && this.#proposals.has(id) ? 'proposed' : kind
    if (!this.#fixed.has(id)) this.#replaced.set(id, { id, why, by: by.id })
  }

  #headOf(block: BlockFacts): BlockFacts {
    const by = this.#facts.get(this.#replaced.get(block.id)?.by ?? '')
    return by === undefined ? block : this.#headOf(by)
  }
}
