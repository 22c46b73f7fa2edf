import type { Block } from '../../domain/block/block.ts'
import { firstId, otherIds } from '../../domain/block/ids.ts'
import { areApart } from '../../domain/block/kept-as-said.ts'
import { isLessTrusted, type SourceClass } from '../../domain/block/source-class.ts'
import { meetingOf, mostTrusted } from '../../domain/block/standing.ts'
import { isConstitutional } from '../../domain/block/tags.ts'
import { completed, type Validity } from '../../domain/block/validity/validity.ts'
import { validityIn } from '../../domain/block/validity/validity-in-text.ts'
import { setTags, tierLambda } from '../../domain/score/experience.ts'
import { undressed } from '../../domain/text/same-text.ts'
import { defined, estimateTokens } from '../../domain/text/text.ts'
import type { NewBlock, SaidText } from '../../ports/store/transaction.ts'
import { blocksById, freeId } from '../blocks/look-up.ts'
import { reindex } from '../blocks/reindex.ts'
import { moveEnd } from '../blocks/supersede.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { checkTags, mustHold, refuseIdentityTags } from '../guard/check-input.ts'

/** A text to be remembered with its fields; checked, tags and category in their one spelling. */
export interface Draft {
  readonly content: string
  readonly tags: readonly string[]
  readonly category: string
  readonly cue?: string
  readonly source?: string
  readonly sourceClass: SourceClass
  /** The running session when left out. */
  readonly session?: string
  /** ISO-8601 UTC; now when left out. */
  readonly occurredAt?: string
  /** When it holds, as it was given, ISO-8601 UTC; what was not is read from its text. */
  readonly validFrom?: string
  readonly validUntil?: string
  /** Id of the block whose place it is to take. */
  readonly supersedes?: string
  /** The id it had in another program; it keeps it where that is free. */
  readonly id?: string
  /** Evidence that it brings along, as in a block; none unless given. */
  readonly evidence?: Pick<Block, 'successes' | 'failures'>
  /** It may hold a frame and words besides. */
  readonly keepFrame?: true
  /** It only says again what a recall has just shown. */
  readonly isEcho?: true
  /** An explicit trusted act: may also change a principle that says the same. */
  readonly trusted?: boolean
  /** It says who the agent is, and becomes no part of a less trusted block that says the same. */
  readonly insists?: true
}

/** Where a draft ended up: in a block of its own, or in one that says the same already. */
export interface Admitted {
  readonly block: Block
  readonly created: boolean
  /** Tags a block that was already there gained. */
  readonly mergedTags: readonly string[]
  /** The cue replaced that of a block that was already there. */
  readonly mergedCue: boolean
  /** When a block that was already there holds was said anew. */
  readonly mergedValidity?: true
  /** Other dates were given for words that are trusted more, and were not taken. */
  readonly refusedValidity?: true
  /** The class a block that was there had before the owner said the same. */
  readonly raisedFrom?: SourceClass
  /** The block as it was, when it was changed. */
  readonly before?: Block
}

/**
 * Puts a draft into the inbox unless a living block says the same; that one then gains the draft's tags and cue, and is
 * the owner's if the owner says so (`meetingOf`).
 * Two statements for a new text, a few otherwise.
 */
export async function admit(engine: Engine, mutation: Mutation, draft: Draft): Promise<Admitted> {
  const { tx } = mutation
  const text = textOf(engine, draft)
  const same = mostTrusted(
    (await tx.sameTexts([text])).filter((block) => !areApart(block.category, draft.category)),
  )
  if (same && !staysApart(same, draft)) return merge(engine, mutation, same, draft)
  const first = await tx.insertBlock(newBlock(engine, mutation, draft, firstId(text, engine.ids.sha256)))
  if (first.inserted) return created(first.block)
  const id = freeId(text, await blocksById(tx, otherIds(text, engine.ids.sha256), [first.block]), engine.ids)
  return created((await tx.insertBlock(newBlock(engine, mutation, draft, id))).block)
}

/** The key by which words become one block: what they say, and whether they are the text of an item. */
export function meetingKey({ category, content }: Pick<Block, 'category' | 'content'>): string {
  return `${areApart(category, '') ? 'item' : 'other'} ${undressed(content)}`
}

/** True if a draft becomes a block of its own beside a living one that says the same. */
export function staysApart(same: Block, draft: Draft): boolean {
  return meetingOf(same, draft) === 'apart'
}

/** The block a draft becomes. */
export function newBlock(engine: Engine, { moment, session }: Mutation, draft: Draft, id: string): NewBlock {
  return {
    id,
    content: draft.content,
    ...(draft.cue ? { cue: draft.cue } : {}),
    ...(draft.source ? { source: draft.source } : {}),
    sourceClass: draft.sourceClass,
    category: draft.category,
    ...(draft.supersedes === undefined ? {} : { supersedes: draft.supersedes }),
    tags: draft.tags,
    status: 'inbox',
    createdAt: moment.at,
    occurredAt: draft.occurredAt ?? moment.at,
    ...completed(draft, validityIn(draft.content)),
    session: draft.session ?? session,
    successes: draft.evidence?.successes ?? 0,
    failures: draft.evidence?.failures ?? 0,
    reinforcementCount: 0,
    lastReinforcedAt: moment.hours,
    lastUsefulAt: moment.hours,
    decayLambda: tierLambda(draft, engine.settings.decay),
    tokenCount: Math.max(1, estimateTokens(draft.content)),
  }
}

/** A draft's text in the engine's scope, which decides its ids. */
export function textOf({ scope }: Engine, { content }: Draft): SaidText {
  return { content, ...(scope === undefined ? {} : { scope }) }
}

/** The result for a draft that became a block of its own. */
export function created(block: Block): Admitted {
  return { block, created: true, mergedTags: [], mergedCue: false }
}

async function merge(engine: Engine, { tx }: Mutation, before: Block, draft: Draft): Promise<Admitted> {
  const merged = mergedInto(engine, before, draft)
  if (merged.before === undefined) return merged
  await tx.saveBlocks([merged.block])
  if (merged.mergedValidity) await moveEnd(tx, merged.before, merged.block)
  if (merged.mergedCue) await reindex(tx, [merged.block], engine.analysis)
  return merged
}

/**
 * Returns a block with the tags and the cue of a draft added, and as the owner's if the owner says the same; `before` is
 * left out when nothing changes. A draft that is trusted less adds nothing. Throws `PROTECTED` when the words of others
 * would gain identity.
 */
export function mergedInto({ settings }: Engine, known: Block, draft: Draft): Admitted {
  const { memory, decay } = settings
  const isRaised = meetingOf(known, draft) === 'raise'
  const before: Block = isRaised ? { ...known, sourceClass: draft.sourceClass } : known
  refuseIdentityTags(draft.tags, before.sourceClass)
  const isOpen = draft.trusted === true || !isConstitutional(before.tags)
  const open = isOpen && !isLessTrusted(draft.sourceClass, before.sourceClass)
  const mergedTags = open ? draft.tags.filter((tag) => !before.tags.includes(tag)) : []
  const mergedCue = open && Boolean(draft.cue) && draft.cue !== before.cue
  const { validity, refused } = datesFor(before, draft, open)
  const isDated = Object.keys(validity).length > 0
  if (mergedTags.length === 0 && !mergedCue && !isRaised && !isDated)
    return { block: before, created: false, mergedTags, mergedCue, ...refused }
  const tags = checkTags([...before.tags, ...mergedTags], memory)
  const cue = mergedCue && draft.cue ? { cue: draft.cue } : {}
  const merged: Block = { ...setTags(before, { tags }, decay), ...cue, ...validity }
  const block = isDated ? mustHold(merged) : merged
  const raised = isRaised ? { raisedFrom: known.sourceClass } : {}
  const dated = isDated ? { mergedValidity: true as const } : {}
  return { block, created: false, mergedTags, mergedCue, ...dated, ...refused, ...raised, before: known }
}

/** The new dates of a draft that a block takes, or the note that it did not, since it is not open to the draft. */
function datesFor(before: Block, draft: Draft, open: boolean) {
  const wanted = validityOf(before, draft)
  if (open) return { validity: wanted, refused: {} }
  const isOther = Object.keys(wanted).length > 0
  return { validity: {}, refused: isOther ? { refusedValidity: true as const } : {} }
}

/** The new dates of a draft for a block that is there. */
function validityOf(before: Block, { validFrom, validUntil }: Draft): Validity {
  return {
    ...(validFrom === undefined || validFrom === before.validFrom ? {} : { validFrom }),
    ...(validUntil === undefined || validUntil === before.validUntil ? {} : { validUntil }),
  }
}

/** The fields of a block that equal words may change, for the log. */
export function formerOf({ tags, cue, sourceClass, validFrom, validUntil }: Block) {
  return { tags, ...(cue ? { cue } : {}), sourceClass, ...defined({ validFrom, validUntil }) }
}
