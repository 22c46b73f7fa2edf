import type { RecallCandidate, WhyResult } from '../../../../src/operations/methods.generated.ts'
import type { Asked } from './asked.ts'

/** Why something is no entry of an answer. */
type Reason = NonNullable<WhyResult['reason']>

/** The facts about a block in an answer that its sentences need. */
export type Placed = Pick<WhyResult, 'shown' | 'reason' | 'under' | 'limit' | 'filters'> &
  Pick<RecallCandidate, 'id'>

/** A reason in a few words, and how it is coloured. */
interface Told {
  readonly words: string
  readonly tone: 'plain' | 'warn' | 'info' | 'bad'
}

const REASONS: Readonly<Record<Reason, Told>> = {
  top_k: { words: 'beyond the first k', tone: 'plain' },
  token_budget: { words: 'no room in the budget', tone: 'warn' },
  version: { words: 'another version of one shown', tone: 'info' },
  nothing: { words: 'no nearer than chance', tone: 'plain' },
  without: { words: 'left out as asked', tone: 'plain' },
  class: { words: 'left out by who speaks', tone: 'plain' },
  pool: { words: 'ranked below what was weighed', tone: 'plain' },
  archived: { words: 'archived', tone: 'warn' },
  scope: { words: 'of another scope', tone: 'plain' },
  filtered: { words: 'left out by a filter', tone: 'plain' },
  no_vector: { words: 'waits for a dream', tone: 'warn' },
}

const UNDER: Readonly<Record<NonNullable<Placed['under']>['why'], string>> = {
  superseded: 'replaced by the one above',
  proposed: 'only proposed in the place of',
  earlier: 'an earlier word than',
  later: 'a later word than',
  objects: 'objects to',
}

/** How many entries an answer has, to which question, and the limit that was asked for, if any. */
export interface Room {
  readonly entries: number
  readonly query: string
  readonly limit?: number | undefined
}

/** Why a candidate is no entry, in a few words; undefined of an entry. */
export function reasonOf({ shown, reason }: Placed, room: Room): Told | undefined {
  if (shown === 'entry') return undefined
  if (shown === 'counterpoint') return { words: 'shown as an objection', tone: 'bad' }
  if (shown === 'version') return { words: 'shown under another', tone: 'info' }
  if (reason === undefined) return { words: 'not shown', tone: 'plain' }
  if (reason === 'top_k') return { words: beyondWords(room), tone: 'plain' }
  return REASONS[reason]
}

/** Without a limit it is nearness to the question that bounds an answer. */
function beyondWords({ entries, query, limit }: Room): string {
  if (limit !== undefined) return `beyond the first ${limit}`
  const others = entries === 1 ? 'the one shown' : `the ${entries} shown`
  return query.trim() === '' ? `ranked behind ${others}` : `less near than ${others}`
}

/** How it stands to the block above it, without that block's name; empty where it stands under none. */
export function underWords({ under }: Placed): string {
  return under === undefined ? '' : UNDER[under.why]
}

type RuleName = NonNullable<RecallCandidate['explanation']['rules']>[number]['rule']

/** The words of rules that no other chip of a candidate shows. */
const RULES: Readonly<Partial<Record<RuleName, (other: string) => string>>> = {
  note: () => "found through a link's note",
  name: (other) => `found by a name that it shares with ${other}`,
  look_alike: () => 'behind a look-alike that has more words of the question',
  version: (other) => `in the place of ${other}, an earlier or other version of it`,
  verbatim: (other) => `before ${other}: it is the question word for word`,
  trusted: (other) => `before ${other}: its speaker is trusted more`,
  believed: (other) => `before ${other}: it contradicts that and is believed more`,
  holds: (other) => `before ${other}: it holds until that begins`,
  newer: (other) => `put above ${other} because it is newer and may replace it; both are kept`,
  past: (other) => `before ${other}: the version that the question asks for`,
  proven: (other) => `before ${other}: a strategy that proved good`,
  passage: () => 'served by its best passage',
  cut: () => 'cut to fit the budget',
}

/**
 * Returns the rules that changed the place or the words of a candidate; empty for none.
 *
 * @param nameOf another candidate, as a reader finds it
 */
export function movedWords(
  { explanation: { rules = [] } }: Pick<RecallCandidate, 'explanation'>,
  nameOf: (id: string) => string,
): string {
  return rules.flatMap(({ rule, block = '' }) => RULES[rule]?.(nameOf(block)) ?? []).join('; ')
}

/** One thing that would bring a block: another question, a look at it, or an operation. */
export type Way =
  | { readonly label: string; readonly ask: Partial<Asked> }
  | { readonly label: string; readonly open: string }
  | { readonly label: string; readonly run: 'restore' | 'dream' | 'both'; readonly other?: string }

const LOOK = 'Open it, to give it a cue or join it'

/** What would bring a block that is not shown, surest first; empty of one that is. */
export function waysTo({ id, shown, reason, limit, under }: Placed): readonly Way[] {
  if (shown === 'entry' || reason === undefined) return []
  const open: Way = { label: LOOK, open: id }
  const both: readonly Way[] =
    under === undefined ? [] : [{ label: 'Say that both hold', run: 'both', other: under.id }]
  const ways: Readonly<Record<Reason, readonly Way[]>> = {
    top_k: limit ? [{ label: `Ask for ${limit}`, ask: { limit } }] : [],
    token_budget: [],
    version: both,
    nothing: [open],
    pool: [open],
    without: [],
    class: [],
    archived: [
      { label: 'Restore it', run: 'restore' },
      { label: 'Open it', open: id },
    ],
    scope: [open],
    filtered: [{ label: 'Ask in Attention', ask: { frame: 'attention' } }, open],
    no_vector: [{ label: 'Dream now', run: 'dream' }],
  }
  return ways[reason]
}
