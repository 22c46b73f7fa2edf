import { areApart, type Block, type Occurrence } from '../block/block.ts'
import { undressed } from '../block/same-text.ts'
import { mayCover, meetingOf } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import { defined, estimateTokens } from '../block/text.ts'
import { completed, datedAgain, orderOfNew, type Validity, validityIn } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { setTags, tierLambda } from '../outcome/formulas.ts'
import type { NewBlock, SaidText } from '../store/blocks.ts'
import { checkTags, mustHold, refuseIdentityTags } from './check-input.ts'
import type { Admitted, Draft } from './draft.ts'
import { type Back, occurrenceOf } from './said-again.ts'

/** The result for a block that was archived and is back. */
export function backAs(merged: Admitted, { gone, over }: Back): Admitted {
  return { ...merged, before: gone, ...defined({ over }) }
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
  const occurredAt = draft.occurredAt ?? moment.at
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
    occurredAt,
    ...orderOfNew(moment, { occurredAt, session: draft.session ?? session }),
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

/**
 * Returns a block with the tags and the cue of a draft added, and as the owner's if the owner says the same; `before` is
 * left out when nothing changes. A draft that is trusted less adds nothing but its occurrence. Throws `PROTECTED` when the
 * words of others would gain identity.
 */
export function mergedInto({ settings }: Engine, mutation: Mutation, known: Block, draft: Draft): Admitted {
  const { decay } = settings
  const isRaised = meetingOf(known, draft) === 'raise'
  const before: Block = isRaised ? { ...known, sourceClass: draft.sourceClass } : known
  refuseIdentityTags(draft.tags, before.sourceClass)
  const isOpen = draft.trusted === true || !isConstitutional(before.tags)
  const open = isOpen && mayCover(draft, before)
  const mergedTags = open ? draft.tags.filter((tag) => !before.tags.includes(tag)) : []
  const mergedCue = open && Boolean(draft.cue) && draft.cue !== before.cue
  const { validity, refused } = datesFor(before, draft, open)
  const isDated = Object.keys(validity).length > 0
  const occurrence = occurrenceOf(mutation, known, draft)
  if (mergedTags.length === 0 && !mergedCue && !isRaised && !isDated && occurrence === undefined)
    return { block: before, created: false, mergedTags, mergedCue, ...refused }
  const tags = checkTags([...before.tags, ...mergedTags])
  const cue = mergedCue && draft.cue ? { cue: draft.cue } : {}
  const merged: Block = { ...setTags(before, { tags }, decay), ...cue, ...validity }
  const block = withOccurrence(mutation, isDated ? mustHold(merged) : merged, occurrence)
  const raised = isRaised ? { raisedFrom: known.sourceClass } : {}
  const dated = isDated ? { mergedValidity: true as const } : {}
  return {
    block,
    created: false,
    mergedTags,
    mergedCue,
    ...dated,
    ...refused,
    ...raised,
    ...defined({ occurrence }),
    before: known,
  }
}

function withOccurrence({ moment }: Mutation, block: Block, occurrence: Occurrence | undefined): Block {
  if (occurrence === undefined) return block
  const dated = datedAgain(block, occurrence, moment.newest?.at)
  return { ...dated, occurrences: [...(block.occurrences ?? []), occurrence] }
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
