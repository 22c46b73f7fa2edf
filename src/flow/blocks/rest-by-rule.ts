import type { Block } from '../../domain/block/block.ts'
import type { Ground } from '../../domain/block/grounds.ts'
import { saidAt } from '../../domain/block/standing.ts'
import { lostWords, restsOnLost, statedIn } from '../../domain/conflict/resting.ts'
import { dot } from '../../domain/score/vector.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { blocksById } from './look-up.ts'

/** A block whose place another takes. */
export interface Replaced {
  readonly older: Block
  readonly newer: Block
}

/** Of so many blocks with lost words each is compared. */
const COMPARED_MOST = 64

/** A word that more blocks have names what they are about, and is no value that one of them lost. */
const OF_VALUE_MOST = 4

/** Which blocks a rule compares with what was lost. */
interface Among {
  /** Blocks that this process does not hold yet. */
  readonly fresh?: readonly Block[]
  /** Those alone. */
  readonly freshOnly?: boolean
}

/**
 * Notes which earlier blocks rest on what was replaced, as far as words tell: they have a word of the lost value, and a cosine
 * of at least `conflicts.restingCosine` with the statement that had it. Nothing is changed in them. Blocks are found where this
 * process holds the index. No statement where no word leads to any; else three and a write.
 */
export async function noteResting(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  replaced: readonly Replaced[],
  among: Among = {},
): Promise<void> {
  const { analysis, settings } = engine
  const found = replaced.flatMap(({ older, newer }) => {
    const [before, now] = [older, newer].map(({ content }) => statedIn(content, analysis.language))
    if (!before || !now) return []
    const lost = lostWords(before, now).filter((word) => engine.index.holding([word], OF_VALUE_MOST))
    return [{ older, newer, before, now, lost }]
  })
  const holders = found.map(({ lost }) => (among.freshOnly ? [] : holding(engine, lost)))
  const read = await blocksById(tx, [...new Set(holders.flat())])
  const resting = found.flatMap(({ older, newer, ...words }, i) =>
    [...(among.fresh ?? []), ...(holders[i] ?? []).flatMap((id) => read.get(id) ?? [])]
      .filter((block) => mayRest(block, { older, newer }))
      .filter(({ content }) => restsOnLost(statedIn(content, analysis.language), words))
      .map((block) => ({ block, older })),
  )
  if (resting.length === 0) return
  const vectors = await tx.vectors([...new Set(resting.flatMap(({ block, older }) => [block.id, older.id]))])
  const grounds = resting.flatMap(({ block, older }): Ground[] => {
    const [one, other] = [vectors.get(block.id), vectors.get(older.id)]
    const isNear = one && other && dot(one, other) >= settings.conflicts.restingCosine
    return isNear ? [{ blockId: block.id, ground: older.id, foundBy: 'rule', createdAt: moment.at }] : []
  })
  await tx.saveGrounds(grounds)
}

function holding({ index }: Engine, words: readonly string[]): string[] {
  const ids = new Set(words.flatMap((word) => index.holding([word], OF_VALUE_MOST) ?? []))
  return [...ids].slice(0, COMPARED_MOST)
}

/** True for a block that was said before the change and is not one of its two. */
function mayRest(block: Block, { older, newer }: Replaced): boolean {
  const isAside = block.id !== older.id && block.id !== newer.id && block.scope === older.scope
  const isChain = block.supersedes === older.id || older.supersedes === block.id
  return isAside && !isChain && block.status !== 'archived' && saidAt(block) < saidAt(newer)
}

/**
 * Notes what rests on lost values when blocks become active: on what they replace, and on what was replaced near them, which
 * others said later. Two statements at most before those of `noteResting`.
 */
export async function noteRestingOfNew(
  engine: Engine,
  mutation: Pick<Mutation, 'tx' | 'moment'>,
  newcomers: readonly { readonly block: Block; readonly neighbours: readonly { readonly block: Block }[] }[],
): Promise<void> {
  const { tx } = mutation
  const fresh = newcomers.map(({ block }) => block)
  const taking = fresh.filter(({ supersedes }) => supersedes !== undefined)
  const olderOf = await blocksById(
    tx,
    taking.flatMap(({ supersedes }) => supersedes ?? []),
  )
  const replaced = taking.flatMap((newer): Replaced[] => {
    const older = olderOf.get(newer.supersedes ?? '')
    return older?.supersededAt === undefined ? [] : [{ older, newer }]
  })
  if (replaced.length > 0) await noteResting(engine, mutation, replaced, { fresh })
  const ended = newcomers.flatMap(({ block, neighbours }) =>
    neighbours.flatMap(({ block: older }) =>
      older.supersededAt !== undefined && saidAt(block) < older.supersededAt ? [older] : [],
    ),
  )
  if (ended.length === 0) return
  const ids = [...new Set(ended.map(({ id }) => id))]
  const later = await tx.replacing(ids, ids.length * 2)
  const pairs = later.flatMap((newer): Replaced[] => {
    const older = ended.find(({ id }) => id === newer.supersedes)
    return older === undefined ? [] : [{ older, newer }]
  })
  await noteResting(engine, mutation, pairs, { fresh, freshOnly: true })
}
