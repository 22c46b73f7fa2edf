import type { Block, BlockFacts } from '../block/block.ts'
import { isIdentity, isLessTrusted, type SourceClass } from '../block/source-class.ts'
import { isAtOnce, isLaterWord, isNewer, isPlanned, mayCarry, mayHide } from '../block/standing.ts'
import { type Kin, kinOf, type Pair } from '../graph/kin.ts'
import { confidenceOf } from '../score/experience.ts'

/** Says that two blocks are about the same thing. */
export interface Tie {
  readonly one: string
  readonly other: string
  /**
   * A supersession was said by whoever remembered the one, of the other; a slot was seen by rule: the one is a later word
   * than the other about what is asked.
   */
  readonly kind: 'near_duplicate' | 'supersession' | 'contradiction' | 'slot'
  /** Of what somebody asserted or judged: what they could claim at most. */
  readonly by?: SourceClass
}

/** The ties of blocks, and the words of each that the question names, sorted; the same for all without a question. */
export interface Ties {
  readonly ties: readonly Tie[]
  readonly namedIn: (id: string) => readonly string[]
}

/** A block that stands under another one of the answer: an older one, one that reads alike, or one believed less. */
export interface Version {
  readonly id: string
  /**
   * `proposed`: it was to take the place of what is trusted more, and nobody accepted that; `earlier` and `later`: by rule, a
   * word about the same, said before or after.
   */
  readonly why: 'superseded' | 'proposed' | 'near_duplicate' | 'contradicted' | 'earlier' | 'later'
  /** The block that took its place. */
  readonly by: string
}

/** A block that stands under an entry of the answer, as it was read. */
export type RecalledVersion = Pick<Version, 'why'> & { readonly block: Block }

/** Two blocks of which the less trusted speaks against the other and stands beside it, after it. */
interface Beside {
  readonly more: string
  readonly less: string
}

/** The groups that candidates form, by the ids of their blocks. */
export interface Grouped {
  /** The block that another one stands under; itself when it stands under none. */
  readonly headOf: (id: string) => string
  /** The versions under a block, newest first. */
  readonly under: ReadonlyMap<string, readonly Version[]>
  /** Blocks that read alike, whatever the question names of them. */
  readonly kin: readonly Kin[]
  /** The blocks that a less trusted block is to replace or contradicts. */
  readonly beside: readonly Beside[]
}

/**
 * Groups blocks that are versions of each other, in this order. What was superseded stands under the newest. Of two that
 * contradict each other the one believed less stands under the other, decided from the most believed down, so that a
 * block stands only under one that answers itself, unless the question names what only the weaker has. What reads
 * alike stands under the newest, where the question names the same of both. Nothing stands under what is trusted less, nor
 * under a date ahead if it was remembered after it (`mayHide`): then both are entries.
 *
 * @param fixed blocks that stand under none
 */
export function versionsAmong(
  blocks: readonly BlockFacts[],
  { ties, namedIn }: Ties,
  fixed: ReadonlySet<string> = new Set(),
): Grouped {
  const facts = new Map(blocks.map((each) => [each.id, each]))
  const pairsOf = (wanted: Tie['kind']): readonly (Pair & Pick<Tie, 'by'>)[] =>
    ties.flatMap(({ one, other, kind, by }) => {
      const [first, second] = [facts.get(one), facts.get(other)]
      return kind === wanted && first && second ? [{ one: first, other: second, ...(by && { by }) }] : []
    })
  const supersessions = pairsOf('supersession')
  const groups = new Groups(facts, { fixed, proposals: proposalsAmong(supersessions) })
  const beside: Beside[] = []
  const noteBeside = (less: BlockFacts, more: BlockFacts) => {
    if (isLessTrusted(less.sourceClass, more.sourceClass)) beside.push({ more: more.id, less: less.id })
  }
  for (const { one, other } of supersessions) {
    groups.join(one, other, 'superseded')
    noteBeside(one, other)
  }
  const disputes = pairsOf('contradiction')
    .map(
      ({ one, other, by = 'user' }): Dispute =>
        isBelievedMore(one, other, isLaterWord) ? [one, other, by] : [other, one, by],
    )
    .filter(([winner, loser]) => namedIn(loser.id).every((word) => namedIn(winner.id).includes(word)))
    .sort(([one], [other]) => (isBelievedMore(one, other) ? -1 : 1))
  for (const [winner, loser, by] of disputes) {
    noteBeside(winner, loser)
    if (!mayCarry({ sourceClass: by }, loser)) continue
    if (groups.isFree(winner) && groups.isFree(loser) && mayStandUnder(loser, winner))
      groups.put(loser, winner, 'contradicted')
  }
  const kin = kinOf(pairsOf('near_duplicate'))
  for (const each of kin) joinKin(groups, each, namedIn)
  joinSlots(groups, pairsOf('slot'))
  return { ...groups.result(), kin, beside }
}

/** Ids of blocks that are to take the place of what is trusted more, directly or through others. */
function proposalsAmong(supersessions: readonly Pair[]): ReadonlySet<string> {
  const replaces = new Map(supersessions.map(({ one, other }) => [one.id, other]))
  const isProposal = ({ one }: Pair) => {
    const seen = new Set<string>()
    for (let next = replaces.get(one.id); next && !seen.has(next.id); next = replaces.get(next.id)) {
      if (isLessTrusted(one.sourceClass, next.sourceClass)) return true
      seen.add(next.id)
    }
    return false
  }
  return new Set(supersessions.filter(isProposal).map(({ one }) => one.id))
}

/** Puts earlier words about what is asked under a later one, from the latest on. */
function joinSlots(groups: Groups, slots: readonly (Pair & Pick<Tie, 'by'>)[]): void {
  const latestFirst = slots.toSorted((first, second) => (isNewer(first.one, second.one) ? -1 : 1))
  for (const { one, other, by = 'user' } of latestFirst) {
    if (!mayStandUnder(other, one) || !mayCarry({ sourceClass: by }, other)) continue
    // What stands under another because that is believed more outdates nothing.
    if (groups.isFree(other) && !groups.isOutvoted(one)) groups.put(other, one, 'earlier')
  }
}

/** Joins what reads alike and of which the question names the same. */
function joinKin(groups: Groups, { own, across }: Kin, namedIn: Ties['namedIn']): void {
  const namesOf = ({ id }: BlockFacts) => namedIn(id).join(' ')
  const counts = (one: BlockFacts) => !groups.isOutvoted(one)
  for (const [first, ...others] of Map.groupBy(own.filter(counts), namesOf).values())
    for (const other of others) groups.join(first as BlockFacts, other, 'near_duplicate')
  for (const { less, more } of across)
    if (counts(less) && counts(more) && namesOf(less) === namesOf(more))
      groups.join(more, less, 'near_duplicate')
}

type Dispute = readonly [winner: BlockFacts, loser: BlockFacts, by: SourceClass]

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

  isFree({ id }: BlockFacts): boolean {
    return !this.#replaced.has(id)
  }

  isOutvoted({ id }: BlockFacts): boolean {
    return this.#replaced.get(id)?.why === 'contradicted'
  }

  /**
   * Makes two groups one, under the later word of their heads; of the same time under that of the one that supersedes, or
   * of the one trusted more. They stay two if that may not hide the other, or if this pair may not carry it there.
   */
  join(one: BlockFacts, other: BlockFacts, why: Version['why']): void {
    const [first, second] = [this.#headOf(one), this.#headOf(other)]
    if (first.id === second.id) return
    const [newer, older] = isHead(first, second, why) ? [first, second] : [second, first]
    const [direct, replaced] = newer === first ? [one, other] : [other, one]
    const isDirect = replaced.id === older.id && isLaterWord(direct, older) && mayHide(direct, older)
    if (mayCarry(one, older) && mayCarry(other, older) && this.#mayGoUnder(older, newer))
      this.#put(older, isDirect ? direct : newer, why)
  }

  /** Puts a head under a block of another group, if that may hide it. */
  put(head: BlockFacts, by: BlockFacts, why: Version['why']): void {
    if (this.#headOf(by).id !== head.id && this.#mayGoUnder(head, by)) this.#put(head, by, why)
  }

  result(): Pick<Grouped, 'headOf' | 'under'> {
    const headOf = (id: string): string => {
      const version = this.#replaced.get(id)
      return version === undefined ? id : headOf(version.by)
    }
    const below = [...this.#replaced.keys()].flatMap((id) => this.#facts.get(id) ?? [])
    const newestFirst = below.sort((one, other) => (isNewer(one, other) ? -1 : 1))
    const versions = newestFirst.flatMap(({ id }) => this.#replaced.get(id) ?? [])
    return { headOf, under: Map.groupBy(versions, ({ id }) => headOf(id)) }
  }

  /** True of a group's head if nothing in that group would be hidden by what may not hide it. */
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

/** True if the first of two heads is to be the head of both groups. */
function isHead(first: BlockFacts, second: BlockFacts, why: Version['why']): boolean {
  if (!isAtOnce(first, second)) return isLaterWord(first, second)
  if (why === 'superseded' || isLessTrusted(second.sourceClass, first.sourceClass)) return true
  return first.sourceClass === second.sourceClass && isNewer(first, second)
}

/** Who the agent is has only versions that say so, too. */
function mayStandUnder(version: BlockFacts, entry: BlockFacts): boolean {
  return isIdentity(version) || !isIdentity(entry)
}

/** True if the first is believed more; of two believed alike the one trusted more, then the newer. */
function isBelievedMore(one: BlockFacts, other: BlockFacts, isLater = isNewer): boolean {
  const difference = confidenceOf(one) - confidenceOf(other)
  if (difference !== 0) return difference > 0
  if (one.sourceClass !== other.sourceClass) return isLessTrusted(other.sourceClass, one.sourceClass)
  return isLater(one, other)
}
