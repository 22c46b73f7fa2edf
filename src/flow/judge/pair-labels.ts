import { LABELS, type PairLabel } from '../../domain/graph/label.ts'
import { fenceItems, sayFence } from '../../domain/safety/visible.ts'
import { takeCodePoints } from '../../domain/text/text.ts'
import type { JsonSchema } from '../../ports/language-model.ts'
import { askInGroups, JUDGING, type Judge, type Question, readList } from './judge.ts'

/** Two texts whose relation is asked for. */
export interface TextPair {
  readonly key: string
  readonly first: string
  readonly second: string
}

/**
 * Asks a model for the relation of pairs, many a call and several calls at once; leaves out pairs without a usable answer.
 *
 * @param nonce makes a fresh fence for each call
 */
export function labelPairs(
  judge: Judge,
  pairs: readonly TextPair[],
  nonce: () => string,
): Promise<Map<string, PairLabel>> {
  const groups = { items: pairs, size: JUDGING.pairsPerCall }
  return askInGroups(judge, groups, (group) => questionAbout(judge, group, nonce))
}

const TASK = `You keep the memory of an agent. For each numbered pair of texts, A (older) and B (newer), say how B relates to A:
- supports: B gives evidence or a reason for A.
- elaborates: B adds detail to what A says.
- supersedes: B says what holds now in the place of A: the same thing has another value, has moved, was corrected or has ended.
- contradicts: both cannot be true at the same time about the same thing, and B does not say which holds.
- unrelated: they only share words.

Different subjects, times or places neither contradict nor supersede each other.
Answer with one JSON object: {"labels": [{"pair": 1, "relation": "supports", "confidence": 0.9}, …]}, one entry for each pair, confidence from 0 to 1.`

const SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['labels'],
  properties: {
    labels: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['pair', 'relation', 'confidence'],
        properties: {
          pair: { type: 'integer' },
          relation: { type: 'string', enum: [...LABELS] },
          confidence: { type: 'number' },
        },
      },
    },
  },
}

function questionAbout(
  judge: Judge,
  group: readonly TextPair[],
  nonce: () => string,
): Question<Map<string, PairLabel>> {
  const mark = nonce()
  const side = (text: string) => judge.presentable(takeCodePoints(text, JUDGING.charactersPerSide))
  const items = group.map(({ first, second }) => `A: ${side(first)}\nB: ${side(second)}`)
  return {
    system: `${TASK}\n\n${sayFence(mark)}`,
    prompt: `The pairs:\n${fenceItems(items, mark)}`,
    schema: SCHEMA,
    schemaName: 'pair_labels',
    read: (answer) =>
      readList(answer, {
        key: 'labels',
        names: group.map(({ key }) => key),
        read: readLabel,
        objection: (missing) =>
          `Labels are missing or wrong for the pairs ${missing.join(', ')}: each needs pair (its number), relation (one of ${LABELS.join(', ')}) and confidence (0 to 1).`,
      }),
  }
}

function readLabel(entry: unknown) {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { pair, relation, confidence } = entry as Readonly<Record<string, unknown>>
  if (typeof pair !== 'number' || typeof relation !== 'string' || typeof confidence !== 'number')
    return undefined
  if (!(confidence >= 0 && confidence <= 1)) return undefined
  const word = relation.trim().toLowerCase()
  const known: PairLabel['relation'] = LABELS.find((label) => label === word) ?? 'similar'
  return { item: pair, said: { relation: known, confidence } }
}
