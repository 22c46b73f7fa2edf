import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted, isOwn } from '../../domain/block/source-class.ts'
import { isNewer } from '../../domain/block/standing.ts'
import { isIdentityTag, isProtectedTag, normaliseTags, tagNamespace } from '../../domain/block/tags.ts'
import { stripInvisible } from '../../domain/safety/visible.ts'
import { count } from '../../domain/text/count.ts'
import { codePointLength, splitWhitespace } from '../../domain/text/text.ts'
import { reindex } from '../blocks/reindex.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import type { Enrichment, GivenLabel } from './pair-labels.ts'

/** The tags and the cue an older block gained. */
export interface Evolved {
  readonly blockId: string
  readonly tags: readonly string[]
  readonly cue?: string
}

export interface EvolveRequest {
  readonly pairs: readonly { readonly from: string; readonly to: string; readonly label: GivenLabel }[]
  readonly blocks: ReadonlyMap<string, Block>
  readonly by: 'model' | 'host'
}

/** Tags one block may gain at once. */
const TAGS_MAX = 3
/** Longest cue that is taken, in code points. */
const CUE_MAX = 200

/**
 * Lets new blocks enrich the older ones they are related to: tags the new one was filed under, and a cue where there is
 * none. Contents never change, identity, protected and more trusted blocks neither, and the words of others enrich nothing. What was
 * before is in the log. A model's proposals count only with `llm.evolve`.
 */
export async function evolve(
  engine: Engine,
  { tx, log }: Pick<Mutation, 'tx' | 'log'>,
  { pairs, blocks, by }: EvolveRequest,
): Promise<Evolved[]> {
  const { settings, analysis } = engine
  if (by === 'model' && !settings.llm.evolve) return []
  const changed = new Map<string, { readonly before: Block; readonly after: Block }>()
  for (const { from, to, label } of pairs) {
    const [one, other] = [blocks.get(from), blocks.get(to)]
    if (label.enrichment === undefined || label.relation === 'unrelated' || !one || !other) continue
    const ends = [one, other] as const
    const [newer, older] = isNewer(...ends) ? ends : [ends[1], ends[0]]
    const known = changed.get(older.id)
    const after = enriched(engine, { newer, older: known?.after ?? older }, label.enrichment)
    if (after) changed.set(older.id, { before: known?.before ?? older, after })
  }
  const all = [...changed.values()]
  if (all.length === 0) return []
  await tx.saveBlocks(all.map(({ after }) => after))
  await reindex(
    tx,
    all.flatMap(({ before, after }) => (before.cue === after.cue ? [] : [after])),
    analysis,
  )
  await log({
    operation: 'evolve',
    blockIds: all.map(({ after }) => after.id),
    summary: `${count(all.length, 'older block')} gained tags or a cue, as the ${by} proposed`,
    before: all.map(({ before: { id, tags, cue } }) => ({ id, tags, cue })),
  })
  return all.map(({ before, after }) => gained(before, after))
}

function enriched(
  { settings }: Engine,
  { newer, older }: { readonly newer: Block; readonly older: Block },
  { tags, cue }: Enrichment,
): Block | undefined {
  const isIdentity = older.tags.some((tag) => isIdentityTag(tag) || isProtectedTag(tag))
  if (isIdentity || !isOwn(newer) || newer.scope !== older.scope) return undefined
  if (isLessTrusted(newer.sourceClass, older.sourceClass)) return undefined
  const asked = new Set(tags.map((tag) => splitWhitespace(tag).join(' ').toLowerCase()))
  const fresh = newer.tags.filter(
    (tag) => asked.has(tag) && tagNamespace(tag) === undefined && !older.tags.includes(tag),
  )
  const room = Math.max(0, settings.memory.maxTags - older.tags.length)
  const added = fresh.slice(0, Math.min(TAGS_MAX, room))
  const line = older.cue === undefined ? lineOf(cue) : undefined
  if (added.length === 0 && line === undefined) return undefined
  return {
    ...older,
    tags: normaliseTags([...older.tags, ...added]),
    ...(line === undefined ? {} : { cue: line }),
  }
}

/** A cue is one visible line. */
function lineOf(cue: string | undefined): string | undefined {
  const line = splitWhitespace(stripInvisible(cue ?? '').text).join(' ')
  return line === '' || codePointLength(line) > CUE_MAX ? undefined : line
}

function gained(before: Block, after: Block): Evolved {
  return {
    blockId: after.id,
    tags: after.tags.filter((tag) => !before.tags.includes(tag)),
    ...(before.cue === after.cue || after.cue === undefined ? {} : { cue: after.cue }),
  }
}
