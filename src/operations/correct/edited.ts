import { type Block, isConstitutional, isProtectedTag } from '../../block/block.ts'
import { defined, estimateTokens } from '../../block/text.ts'
import { type Validity, validityIn } from '../../block/validity.ts'
import type { Engine } from '../../engine/engine.ts'
import { mustHold, refuseIdentityTags, refuseProtectedTags } from '../../intake/check-input.ts'
import { setTags } from '../../outcome/formulas.ts'

/** The fields that an edit may change. */
export const FIELDS = [
  'content',
  'cue',
  'tags',
  'category',
  'sourceClass',
  'validFrom',
  'validUntil',
] as const

/** The fields of a block that are to be others. */
export type Patch = Partial<Pick<Block, (typeof FIELDS)[number]>>

/**
 * A block as a patch makes it; blank cues and dates are taken away.
 *
 * @param allowConstitutional true if the tags of a principle may go
 */
export function edited(
  { settings }: Pick<Engine, 'settings'>,
  before: Block,
  patch: Patch,
  allowConstitutional: boolean,
): Block {
  const { content = before.content, cue, tags, category } = patch
  const kept = tags === undefined ? before.tags : editedTags(before.tags, tags, allowConstitutional)
  const withNewTags = setTags(before, { tags: kept, category: category ?? before.category }, settings.decay)
  const { cue: oldCue, validFrom: _from, validUntil: _until, supersededAt, ...withoutCue } = withNewTags
  const newCue = cue ?? oldCue
  // Whom the owner named speaks in it now, else who did before; the words of others are no identity (`PROTECTED`).
  const sourceClass = patch.sourceClass ?? before.sourceClass
  const after: Block = {
    ...withoutCue,
    ...(newCue ? { cue: newCue } : {}),
    ...editedValidity(before, patch, content),
    // A blank end takes that away, too, which something gave it that took its place.
    ...(patch.validUntil === '' ? {} : defined({ supersededAt })),
    sourceClass,
  }
  refuseIdentityTags(after.tags, sourceClass)
  if (after.validFrom !== before.validFrom) mustHold(after)
  return content === before.content ? after : reworded(after, content)
}

/** Returns the validity of the edited block: as the edit says, else as it was given before, else as its words say. */
function editedValidity(before: Block, patch: Patch, content: string): Validity {
  const [was, is] = [validityIn(before.content), validityIn(content)]
  const endOf = (end: 'validFrom' | 'validUntil') =>
    patch[end] ?? (before[end] === was[end] ? is[end] : before[end])
  const { validFrom, validUntil } = { validFrom: endOf('validFrom'), validUntil: endOf('validUntil') }
  const validity = { ...(validFrom && { validFrom }), ...(validUntil && { validUntil }) }
  return mustHold(validity)
}

/** Protected tags are neither given nor, unless the constitution may be changed, lost by an edit; peer tags never. */
function editedTags(
  before: readonly string[],
  wanted: readonly string[],
  allowConstitutional: boolean,
): string[] {
  refuseProtectedTags(wanted.filter((tag) => !before.includes(tag)))
  const lasting = before.filter(
    (tag) => isProtectedTag(tag) && !(allowConstitutional && isConstitutional([tag])),
  )
  return [...new Set([...wanted, ...lasting])].sort()
}

/** A digest and a judgement of the old words do not hold for new ones. */
function reworded(
  { summary: _summary, alignment: _alignment, scoredAt: _scoredAt, ...block }: Block,
  content: string,
): Block {
  return { ...block, content, tokenCount: Math.max(1, estimateTokens(content)) }
}
