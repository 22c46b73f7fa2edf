import type { Block } from '../../domain/block/block.ts'
import { fence, fenceItems, sayFence } from '../../domain/safety/visible.ts'
import { takeCodePoints } from '../../domain/text/text.ts'
import type { JsonSchema } from '../../ports/language-model.ts'
import type { HostAnalysis } from './host-analysis.ts'
import { askInGroups, JUDGING, type Judge, type Question, readList } from './judge.ts'

/** Options of `analyseBlocks`. */
export interface AnalysisBrief {
  /** The self frame, empty while there is none. */
  readonly identity: string
  /** Replaces how blocks are to be judged; has `{self_context}` and `{blocks}`. */
  readonly prompt?: string
  /** Identity tags a model may grant. */
  readonly tags: readonly string[]
  /** A fresh fence for each call. */
  readonly nonce: () => string
}

/**
 * Returns a model's analyses by block id, made several a call and several calls at once. Blocks it gave no
 * usable answer for are left out.
 */
export function analyseBlocks(
  judge: Judge,
  blocks: readonly Block[],
  brief: AnalysisBrief,
): Promise<Map<string, HostAnalysis>> {
  const groups = { items: blocks, size: JUDGING.blocksPerCall }
  return askInGroups(judge, groups, (group) => questionAbout(judge, group, brief))
}

const TASK = 'You keep the memory of an agent. Judge each numbered text for the agent.'

const formatWith = (tags: readonly string[]) => `For each text answer with:
- item: its number.
- alignment_score: 0 to 1, how strongly it expresses who the agent is. 0 unrelated to the agent's identity, 0.3 touches its field, 0.7 says how the agent works, 1 a belief at its core. Most texts are facts about the world and score below 0.3.
- tags: which of ${tags.map((tag) => `"${tag}"`).join(', ')} it clearly deserves; usually none.
- summary: one or two sentences in the third person with every name, number, date, preference and constraint of the text, and nothing that is not in it. A short text may be repeated word for word.

Answer with one JSON object: {"blocks": [{"item": 1, "alignment_score": 0.1, "tags": [], "summary": "…"}, …]}, one entry for each text.`

const SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['blocks'],
  properties: {
    blocks: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['item', 'alignment_score', 'tags', 'summary'],
        properties: {
          item: { type: 'integer' },
          alignment_score: { type: 'number' },
          tags: { type: 'array', items: { type: 'string' } },
          summary: { type: 'string' },
        },
      },
    },
  },
}

function questionAbout(
  judge: Judge,
  group: readonly Block[],
  brief: AnalysisBrief,
): Question<Map<string, HostAnalysis>> {
  const nonce = brief.nonce()
  const texts = group.map(({ content }) =>
    judge.presentable(takeCodePoints(content, JUDGING.charactersPerBlock)),
  )
  const identity = fence('identity', judge.presentable(brief.identity || '(nothing is known yet)'), nonce)
  const blocks = fenceItems(texts, nonce)
  const own = brief.prompt
  return {
    // The owner's words take the place of ours; what the answer must look like stays.
    system: [...(own === undefined ? [TASK] : []), formatWith(brief.tags), sayFence(nonce)].join('\n\n'),
    prompt:
      own === undefined
        ? `Who the agent is:\n${identity}\n\nThe texts:\n${blocks}`
        : own.replace('{self_context}', () => identity).replace('{blocks}', () => blocks),
    schema: SCHEMA,
    schemaName: 'block_analysis',
    read: (answer) =>
      readList(answer, {
        key: 'blocks',
        names: group.map(({ id }) => id),
        read: readAnalysis,
        objection: objectionTo,
      }),
  }
}

function objectionTo(missing: readonly number[], wrong: readonly unknown[]): string {
  const told = wrong.slice(0, 3).map((entry) => JSON.stringify(entry).slice(0, 100))
  return [
    `Entries are missing or wrong for the items ${missing.join(', ')}.`,
    'Each needs item (its number), alignment_score (a number from 0 to 1), tags (a list of words) and summary (a text).',
    ...(told.length > 0 ? [`Not usable: ${told.join('; ')}`] : []),
  ].join(' ')
}

function readAnalysis(entry: unknown) {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { item, alignment_score: score, tags = [], summary } = entry as Readonly<Record<string, unknown>>
  if (typeof item !== 'number' || typeof score !== 'number' || typeof summary !== 'string') return undefined
  if (!(score >= 0 && score <= 1) || !Array.isArray(tags)) return undefined
  const words = tags.filter((tag): tag is string => typeof tag === 'string')
  return { item, said: { alignmentScore: score, tags: words, summary } }
}
