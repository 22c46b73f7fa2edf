import type { BlockFacts } from '../../domain/block/block.ts'
import { isIdentity, isLessTrusted, isOwn, SOURCE_CLASSES } from '../../domain/block/source-class.ts'
import { isAtOnce, isLaterWord, isNewer, isPlanned, mayHide, saidAt } from '../../domain/block/standing.ts'
import { confidenceOf } from '../../domain/score/experience.ts'

/** Says that two blocks are about the same thing. */
export interface Tie {
  readonly one: string
  readonly other: string
  /** A supersession was said by whoever remembered the one, of the other. */
  readonly kind: 'near_duplicate' | 'supersession' | 'contradiction'
}

/** What ties blocks, and the words of each that the question names, sorted; the same for all without a question. */
export interface Ties {
  readonly ties: readonly Tie[]
  readonly namedIn: (id: string) => readonly string[]
}

/** A block that stands under another one of the answer: an older one, one that reads alike, or one believed less. */
export interface Version {
  readonly id: string
  readonly why: 'superseded' | 'near_duplicate' | 'contradicted'
  /** The block that took its place. */
  readonly by: string
  /** When that one was said, ISO-8601 UTC. */
  readonly until: string
}

/** Two blocks of which the less trusted speaks against the other and stands beside it, after it. */
interface Beside {
  readonly more: string
  readonly less: string
}

interface Grouped {
  /** The block that another one stands under; itself when it stands under none. */
  readonly headOf: (id: string) => string
  /** What stands under a block, newest first. */
  readonly under: ReadonlyMap<string, readonly Version[]>
  /** Blocks that read alike, whatever the question names of them. */
  readonly kin: readonly (readonly BlockFacts[])[]
  /** What a less trusted block is to replace or contradicts. */
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
  const groups = new Groups(facts, fixed)
  const pairsOf = (wanted: Tie['kind']) =>
    ties.flatMap(({ one, other, kind }) => {
      const [first, second] = [facts.get(one), facts.get(other)]
      return kind === wanted && first && second ? [{ one: first, other: second }] : []
    })
  const beside: Beside[] = []
  const noteBeside = (less: BlockFacts, more: BlockFacts) => {
    if (isLessTrusted(less.sourceClass, more.sourceClass)) beside.push({ more: more.id, less: less.id })
  }
  for (const { one, other } of pairsOf('supersession')) {
    groups.join(one, other, 'superseded')
    noteBeside(one, other)
  }
  const disputes = pairsOf('contradiction')
    .map(
      ({ one, other }) => (isBelievedMore(one, other, isLaterWord) ? [one, other] : [other, one]) as Dispute,
    )
    .filter(([winner, loser]) => namedIn(loser.id).every((word) => namedIn(winner.id).includes(word)))
    .sort(([one], [other]) => (isBelievedMore(one, other) ? -1 : 1))
  for (const [winner, loser] of disputes) {
    noteBeside(winner, loser)
    if (groups.isFree(winner) && groups.isFree(loser) && mayStandUnder(loser, winner))
      groups.put(loser, winner, 'contradicted')
  }
  const kin = kinOf(pairsOf('near_duplicate'))
  for (const each of kin)
    for (const alike of Map.groupBy(each, ({ id }) => namedIn(id).join(' ')).values())
      joinAlike(
        groups,
        alike.filter((each) => !groups.isOutvoted(each)),
      )
  return { ...groups.result(), kin, beside }
}

/** Joins what reads alike, first among those trusted alike: what is trusted less joins none that are older. */
function joinAlike(groups: Groups, alike: readonly BlockFacts[]): void {
  const byClass = Map.groupBy(alike, ({ sourceClass }) => sourceClass)
  const classes = SOURCE_CLASSES.flatMap((each) => [byClass.get(each) ?? []]).filter(
    ({ length }) => length > 0,
  )
  for (const [first, ...others] of classes)
    for (const other of others) groups.join(first as BlockFacts, other, 'near_duplicate')
  for (const [i, [one]] of classes.entries())
    for (const [other] of classes.slice(i + 1))
      groups.join(one as BlockFacts, other as BlockFacts, 'near_duplicate')
}

type Dispute = readonly [winner: BlockFacts, loser: BlockFacts]

/** Groups of blocks while they are made; each has one head, which stands under none. */
class Groups {
  readonly #facts: ReadonlyMap<string, BlockFacts>
  readonly #fixed: ReadonlySet<string>
  readonly #replaced = new Map<string, Version>()

  constructor(facts: ReadonlyMap<string, BlockFacts>, fixed: ReadonlySet<string>) {
    this.#facts = facts
    this.#fixed = fixed
  }

  isFree({ id }: BlockFacts): boolean {
    return !this.#replaced.has(id)
  }

  isOutvoted({ id }: BlockFacts): boolean {
    return this.#replaced.get(id)?.why === 'contradicted'
  }

  /**
   * Makes two groups one, under the later word of their heads; of the same moment under that of the one that supersedes, or
   * of the one trusted more. They stay two if that may not hide the other.
   */
  join(one: BlockFacts, other: BlockFacts, why: Version['why']): void {
    const [first, second] = [this.#headOf(one), this.#headOf(other)]
    if (first.id === second.id) return
    const [newer, older] = isHead(first, second, why) ? [first, second] : [second, first]
    const [direct, replaced] = newer === first ? [one, other] : [other, one]
    const isDirect = replaced.id === older.id && isLaterWord(direct, older) && mayHide(direct, older)
    if (this.#mayGoUnder(older, newer)) this.#put(older, isDirect ? direct : newer, why)
  }

  /** Puts a head under a block of another group, if that may hide it. */
  put(head: BlockFacts, by: BlockFacts, why: Version['why']): void {
    if (this.#mayGoUnder(head, by)) this.#put(head, by, why)
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

  #put({ id }: BlockFacts, by: BlockFacts, why: Version['why']): void {
    if (!this.#fixed.has(id)) this.#replaced.set(id, { id, why, by: by.id, until: saidAt(by) })
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

interface Pair {
  readonly one: BlockFacts
  readonly other: BlockFacts
}

/** Blocks that read alike, directly or through others; what others say is not taken for the agent's own. */
function kinOf(pairs: readonly Pair[]): BlockFacts[][] {
  const kinById = new Map<string, BlockFacts[]>()
  for (const { one, other } of pairs) {
    if (isOwn(one) !== isOwn(other) || isIdentity(one) !== isIdentity(other)) continue
    const [first, second] = [kinById.get(one.id) ?? [one], kinById.get(other.id) ?? [other]]
    if (first === second) continue
    const [more, fewer] = first.length < second.length ? [second, first] : [first, second]
    more.push(...fewer)
    for (const { id } of [one, other, ...fewer]) kinById.set(id, more)
  }
  return [...new Set(kinById.values())]
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
