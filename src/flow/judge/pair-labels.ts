import { LABELS, type Label, type PairLabel } from '../../domain/graph/label.ts'
import { fenceItems, sayFence } from '../../domain/safety/fence.ts'
import { takeCodePoints } from '../../domain/text/text.ts'
import type { JsonSchema } from '../../ports/language-model.ts'
import { listOf } from './block-analysis.ts'
import type { Judge, Question, Reading } from './judge.ts'

/** Two texts whose relation is asked for. */
export interface TextPair {
  readonly key: string
  readonly first: string
  readonly second: string
}

/** Tags and a cue proposed for the older block of a pair when memories may evolve. */
export interface Enrichment {
  readonly tags: readonly string[]
  readonly cue?: string
}

export interface GivenLabel extends PairLabel {
  readonly enrichment?: Enrichment
}

export interface LabelBrief {
  readonly pairsPerCall: number
  readonly charactersPerSide: number
  /** True if tags and a cue for the older block are asked for, too. */
  readonly evolve: boolean
  readonly nonce: () => string
}

/** How a model says that pairs relate, many a call and several calls at once; pairs without a usable answer are left out. */
export async function labelPairs(
  judge: Judge,
  pairs: readonly TextPair[],
  brief: LabelBrief,
): Promise<Map<string, GivenLabel>> {
  const { pairsPerCall } = brief
  const groups = Array.from({ length: Math.ceil(pairs.length / pairsPerCall) }, (_, i) =>
    pairs.slice(i * pairsPerCall, (i + 1) * pairsPerCall),
  )
  const answers = await Promise.all(
    groups.map(async (group) => (await judge.ask(questionAbout(judge, group, brief))) ?? new Map()),
  )
  return new Map(answers.flatMap((answer: Map<string, GivenLabel>) => [...answer]))
}

const TASK = `You keep the memory of an agent. For each numbered pair of texts, A (older) and B (newer), say how B relates to A:
- supports: B gives evidence or a reason for A.
- elaborates: B adds detail to what A says.
- contradicts: both cannot be true at the same time about the same thing; a correction of A contradicts it.
- unrelated: they only share words.

Different subjects, times or places do not contradict each other.
Answer with one JSON object: {"labels": [{"pair": 1, "relation": "supports", "confidence": 0.9}, …]}, one entry for each pair, confidence from 0 to 1.`

const EVOLUTION = `For a pair that is related you may add "tags" (at most three of the words B was filed under) and "cue" (one line: in which situation A should come to mind, in the light of B).`

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

/** Strict endpoints want every property required; a model that may leave them out is asked in words alone. */
const EVOLVING_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['labels'],
  properties: { labels: { type: 'array' } },
}

function questionAbout(
  judge: Judge,
  group: readonly TextPair[],
  { charactersPerSide, evolve, nonce }: LabelBrief,
): Question<Map<string, GivenLabel>> {
  const mark = nonce()
  const side = (text: string) => judge.presentable(takeCodePoints(text, charactersPerSide))
  const items = group.map(({ first, second }) => `A: ${side(first)}\nB: ${side(second)}`)
  return {
    system: `${TASK}${evolve ? `\n${EVOLUTION}` : ''}\n\n${sayFence(mark)}`,
    prompt: `The pairs:\n${fenceItems(items, mark)}`,
    schema: evolve ? EVOLVING_SCHEMA : SCHEMA,
    schemaName: 'pair_labels',
    read: (answer) => readLabels(answer, group, evolve),
  }
}

function readLabels(
  answer: unknown,
  group: readonly TextPair[],
  evolve: boolean,
): Reading<Map<string, GivenLabel>> {
  const listed = listOf(answer, 'labels')
  if (listed === undefined) return { objection: 'The object needs a list "labels".' }
  const found = new Map<string, GivenLabel>()
  for (const entry of listed) {
    const read = readLabel(entry, evolve)
    const pair = read === undefined ? undefined : group[read.pair - 1]
    if (read && pair && !found.has(pair.key)) found.set(pair.key, read.label)
  }
  const missing = group.flatMap(({ key }, i) => (found.has(key) ? [] : [i + 1]))
  if (missing.length === 0) return { value: found }
  const objection = `Labels are missing or wrong for the pairs ${missing.join(', ')}: each needs pair (its number), relation (one of ${LABELS.join(', ')}) and confidence (0 to 1).`
  return found.size === 0 ? { objection } : { value: found, objection }
}

function readLabel(
  entry: unknown,
  evolve: boolean,
): { readonly pair: number; readonly label: GivenLabel } | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { pair, relation, confidence, ...more } = entry as Readonly<Record<string, unknown>>
  if (typeof pair !== 'number' || typeof relation !== 'string' || typeof confidence !== 'number')
    return undefined
  if (!(confidence >= 0 && confidence <= 1)) return undefined
  const word = relation.trim().toLowerCase()
  const known = LABELS.find((label): label is Label => label === word) ?? 'similar'
  const enrichment = evolve ? enrichmentIn(more) : undefined
  return { pair, label: { relation: known, confidence, ...(enrichment ? { enrichment } : {}) } }
}

function enrichmentIn({ tags, cue }: Readonly<Record<string, unknown>>): Enrichment | undefined {
  const words = Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : []
  const line = typeof cue === 'string' && cue.trim() !== '' ? cue.trim() : undefined
  if (words.length === 0 && line === undefined) return undefined
  return { tags: words, ...(line === undefined ? {} : { cue: line }) }
}
