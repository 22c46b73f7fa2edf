import type { BlockStatus } from '../block/block.ts'
import type { SourceClass } from '../block/source-class.ts'
import { isIdentityTag, isProtectedTag } from '../block/tags.ts'
import { estimateTokens } from '../block/text.ts'
import { checkCue, checkName, checkTags } from '../intake/check-input.ts'
import { tierLambda } from '../outcome/formulas.ts'
import type { StoreRecord } from '../store/maintenance.ts'
import type { LineRules } from './import-line.ts'

/** Columns with judgements made in the other memory and with the blocks replaced there. */
const JUDGED_THERE: ReadonlySet<string> = new Set([
  ...['summary', 'alignment', 'scored_at', 'judgement_pending', 'supersedes', 'superseded_by'],
  ...['superseded_at', 'archived_at'],
])

/**
 * A living block of somebody's export as one that is new here: its words, without the `dropped` tags that say who the agent is,
 * and none of what was made of them there. Throws `LIMIT_EXCEEDED` or `INVALID_INPUT` for words that `remember` refuses.
 */
export function asNew(
  row: StoreRecord['row'],
  { settings, head }: LineRules,
): { readonly row: StoreRecord['row']; readonly dropped: number } {
  const { content, cue, category, source, session } = row
  const given = checkTags(row.tags as readonly string[])
  if (typeof cue === 'string') checkCue(cue)
  for (const [what, name] of Object.entries({ category, source, session }))
    if (typeof name === 'string') checkName(what, name)
  const tags = given.filter((tag) => !isIdentityTag(tag) && !isProtectedTag(tag))
  const kept = Object.fromEntries(Object.entries(row).filter(([name]) => !JUDGED_THERE.has(name)))
  const fresh = {
    tags,
    status: 'inbox' satisfies BlockStatus,
    source_class: 'import' satisfies SourceClass,
    successes: 0,
    failures: 0,
    reinforcement_count: 0,
    last_reinforced_at: head.hours,
    last_useful_at: head.hours,
    decay_lambda: tierLambda({ tags, category: String(category) }, settings.decay),
    token_count: Math.max(1, estimateTokens(String(content))),
  }
  return { row: { ...kept, ...fresh }, dropped: given.length - tags.length }
}
