import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { isLaterWord, isNewer, mayHide } from '../../domain/block/standing.ts'
import { isConstitutional, isProtectedTag } from '../../domain/block/tags.ts'
import { REDACTED } from '../../domain/safety/secrets/secrets.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { archive, endedBy } from '../blocks/archive.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { checkTags } from '../guard/check-input.ts'
import { notFound, resolveIds } from '../guard/resolve-ids.ts'
import { type Admitted, type Draft, textOf } from './admit.ts'

/** The block an id or prefix stands for, if another may take its place; throws why it may not. */
type Replaceable = (given: string) => Block

/**
 * Looks up blocks whose place new ones are to take. Two statements, however many there are. What is returned throws
 * `NOT_FOUND`, `AMBIGUOUS_ID`, `WRONG_STATUS` for an archived block, `PROTECTED` for a principle, and `INVALID_INPUT` for
 * a block of another scope.
 */
export async function readReplaceable(
  engine: Pick<Engine, 'scope'>,
  tx: StoreReader,
  given: readonly string[],
): Promise<Replaceable> {
  const { ids, byGiven, ambiguous } = await resolveIds(tx, given, { ambiguous: 'report' })
  const blocks = new Map((await tx.blocks(ids)).map((block) => [block.id, block]))
  return (one) => {
    const unclear = ambiguous.get(one.trim())
    if (unclear) throw unclear
    const block = blocks.get(byGiven.get(one.trim()) ?? '')
    if (block === undefined) throw notFound([one])
    refuse(engine, block)
    return block
  }
}

function refuse({ scope }: Pick<Engine, 'scope'>, { id, status, tags, scope: other }: Block): void {
  const details = { blockId: id }
  if (isConstitutional(tags))
    throw new ElfmemError('PROTECTED', 'A principle is not replaced by remembering something.', {
      recovery: 'The owner changes it with edit() and allowConstitutional.',
      details,
    })
  if (other !== scope)
    throw new ElfmemError(
      'INVALID_INPUT',
      `Block ${id} belongs to the scope ${other}, the new one does not.`,
      {
        recovery: `Remember it there: remember({ …, scope: '${other}' }).`,
        details,
      },
    )
  if (status === 'archived')
    throw new ElfmemError('WRONG_STATUS', `Block ${id} is archived: recall shows it no more.`, {
      recovery: 'Leave supersedes out; nothing is left to replace.',
      details,
    })
}

/** Refuses that a text takes the place of the very block that says it. */
export function refuseItself(replaced: Block, by: Block): void {
  if (replaced.id !== by.id) return
  // Two passwords leave the same words.
  if (by.content.includes(REDACTED))
    throw new ElfmemError(
      'INVALID_INPUT',
      'Without what was taken out as secret the words are those of the block that they were to replace.',
      {
        recovery: `Keep secrets elsewhere, and remember where. To note the change, say it: "The password changed on 3 March" with supersedes: '${by.id}'.`,
        details: { blockId: by.id },
      },
    )
  throw new ElfmemError('INVALID_INPUT', 'A block cannot supersede itself: the contents are the same.', {
    recovery: 'Leave supersedes out, or use edit() to change the block that is there.',
    details: { blockId: by.id },
  })
}

/** A draft, and the block whose place it is to take, if any. */
interface Replacement {
  readonly draft: Draft
  readonly replaced: Block | undefined
}

/** The drafts as they are to be admitted, and the older block each follows as a later life. */
interface MadeWay {
  readonly drafts: readonly Draft[]
  readonly earlier: readonly (Block | undefined)[]
}

/**
 * Archives what says the same as a draft but is older than what the draft is to replace, so that a later life of the
 * text follows and is the newest: the fact is again as it was. It keeps its tags and its cue.
 */
export async function makeWay(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  replacements: readonly Replacement[],
): Promise<MadeWay> {
  const drafts = replacements.map(({ draft }) => draft)
  const asked = replacements.filter(({ replaced }) => replaced !== undefined)
  const living = await tx.sameTexts(asked.map(({ draft }) => textOf(engine, draft)))
  const earlier = replacements.map(({ draft, replaced }) =>
    living.find((block) => replaced !== undefined && isBefore(block, replaced, { draft, engine })),
  )
  const leaving = [...new Set(earlier.flatMap((block) => block ?? []))]
  await archive(tx, leaving, { reason: 'superseded', at: moment.at })
  return { drafts: drafts.map((draft, i) => following(draft, earlier[i], engine)), earlier }
}

/** Names the later life in each of the earlier blocks, which end when it begins at the latest. Two statements at most. */
export async function nameLaterLives(
  tx: StoreWriter,
  earlier: MadeWay['earlier'],
  admitted: readonly Admitted[],
): Promise<void> {
  const lives = new Map(
    earlier.flatMap((block, i) => (block ? [[block.id, admitted[i]?.block] as const] : [])),
  )
  if (lives.size === 0) return
  const blocks = await tx.blocks([...lives.keys()])
  await tx.saveBlocks(
    blocks.map((block): Block => {
      const later = lives.get(block.id) as Block
      return { ...block, supersededBy: later.id, ...endedBy(block, later) }
    }),
  )
}

function isBefore(
  block: Block,
  replaced: Block,
  { draft, engine }: { readonly draft: Draft; readonly engine: Engine },
): boolean {
  if (block.id === replaced.id || block.supersedes === replaced.id) return false
  if (isConstitutional(block.tags) || isLessTrusted(draft.sourceClass, block.sourceClass)) return false
  const isOlder = replaced.createdAt > block.createdAt && isNewer(replaced, block)
  return (replaced.supersedes === block.id || isOlder) && isSame(block, draft, engine)
}

function isSame(block: Block, draft: Draft, engine: Engine): boolean {
  const { content, scope } = textOf(engine, draft)
  return block.scope === scope && isSameText(block.content, content)
}

function following(draft: Draft, earlier: Block | undefined, { settings }: Engine): Draft {
  if (earlier === undefined) return draft
  const tags = [...draft.tags, ...earlier.tags.filter((tag) => !isProtectedTag(tag))]
  const cue = draft.cue ?? earlier.cue
  return { ...draft, tags: checkTags(tags, settings.memory), ...(cue === undefined ? {} : { cue }) }
}

/**
 * For blocks that say the same as what was just said, by id the newer block that is to take their place, or is shown in
 * it. At most three statements.
 */
export async function replacementsOf(
  tx: StoreReader,
  blocks: readonly Block[],
): Promise<ReadonlyMap<string, Block>> {
  const ids = blocks.map(({ id }) => id)
  const noted = await tx.replacing(ids, ids.length)
  const pairs = (await tx.links(ids)).pairs.filter(({ kind }) => kind === 'supersession')
  const paired = pairs.length === 0 ? [] : await tx.blocks(pairs.flatMap(({ a, b }) => [a, b]))
  const byId = new Map(paired.map((block) => [block.id, block]))
  const newerOf = (block: Block) => {
    const ends = pairs.flatMap(({ a, b }) => (a === block.id ? [b] : b === block.id ? [a] : []))
    const others = [
      ...noted.filter(({ supersedes }) => supersedes === block.id),
      ...ends.flatMap((id) => byId.get(id) ?? []),
    ]
    return others.findLast(
      (other) => mayHide(other, block) && (other.createdAt === block.createdAt || isLaterWord(other, block)),
    )
  }
  return new Map(
    blocks.flatMap((block) => {
      const newer = newerOf(block)
      return newer === undefined ? [] : [[block.id, newer] as const]
    }),
  )
}
