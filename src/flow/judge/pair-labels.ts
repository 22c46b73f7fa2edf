import type { Settings } from '../../config/settings.ts'
import { LABELS, type PairLabel } from '../../domain/graph/label.ts'
import { fenceItems, sayFence } from '../../domain/safety/fence.ts'
import { defined, takeCodePoints } from '../../domain/text/text.ts'
import type { JsonSchema } from '../../ports/language-model.ts'
import { askInGroups, type Judge, type Question, readList } from './judge.ts'

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

/** The label of a pair, with tags and a cue for the older block if a model gave some. */
export interface GivenLabel extends PairLabel {
  readonly enrichment?: Enrichment
}

/** With `evolve` tags and a cue for the older block are asked for, too. */
type LabelBrief = Pick<Settings['llm'], 'pairsPerCall' | 'charactersPerSide' | 'evolve'> & {
  /** A fresh fence for each call. */
  readonly nonce: () => string
}

/** How a model says that pairs relate, many a call and several calls at once; pairs without a usable answer are left out. */
export function labelPairs(
  judge: Judge,
  pairs: readonly TextPair[],
  brief: LabelBrief,
): Promise<Map<string, GivenLabel>> {
  const groups = { items: pairs, size: brief.pairsPerCall }
  return askInGroups(judge, groups, (group) => questionAbout(judge, group, brief))
}

const TASK = `You keep the memory of an agent. For each numbered pair of texts, A (older) and B (newer), say how B relates to A:
- supports: B gives evidence or a reason for A.
- elaborates: B adds detail to what A says.
- supersedes: B says what holds now in the place of A: the same thing has another value, has moved, was corrected or has ended.
- contradicts: both cannot be true at the same time about the same thing, and B does not say which holds.
- unrelated: they only share words.

Different subjects, times or places neither contradict nor supersede each other.
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
    read: (answer) =>
      readList(answer, {
        key: 'labels',
        names: group.map(({ key }) => key),
        read: (entry) => readLabel(entry, evolve),
        objection: (missing) =>
          `Labels are missing or wrong for the pairs ${missing.join(', ')}: each needs pair (its number), relation (one of ${LABELS.join(', ')}) and confidence (0 to 1).`,
      }),
  }
}

function readLabel(entry: unknown, evolve: boolean) {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { pair, relation, confidence, ...more } = entry as Readonly<Record<string, unknown>>
  if (typeof pair !== 'number' || typeof relation !== 'string' || typeof confidence !== 'number')
    return undefined
  if (!(confidence >= 0 && confidence <= 1)) return undefined
  const word = relation.trim().toLowerCase()
  const known: GivenLabel['relation'] = LABELS.find((label) => label === word) ?? 'similar'
  const enrichment = evolve ? enrichmentIn(more) : undefined
  return { item: pair, said: { relation: known, confidence, ...defined({ enrichment }) } }
}

function enrichmentIn({ tags, cue }: Readonly<Record<string, unknown>>): Enrichment | undefined {
  const words = Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : []
  const line = typeof cue === 'string' && cue.trim() !== '' ? cue.trim() : undefined
  if (words.length === 0 && line === undefined) return undefined
  return { tags: words, ...defined({ cue: line }) }
}
