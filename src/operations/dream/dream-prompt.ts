import type * as z from 'zod'
import { MODEL_TAGS } from '../../block/block.ts'
import { fence, sayFence } from '../../block/text.ts'
import type { inbox } from './inbox.ts'

type Inbox = z.output<typeof inbox.output>

/**
 * Returns the prompt that leads a host agent through a dream in which it judges: all that waits for it,
 * fenced, and the one call that hands the judgement in.
 *
 * @param nonce marks the fence; 16 hexadecimal characters nobody has used
 */
export function dreamPrompt(waiting: Inbox, nonce: string): string {
  const judged = [...waiting.blocks, ...(waiting.pendingJudgement ?? [])]
  const pairs = waiting.pairs ?? []
  if (judged.length === 0 && pairs.length === 0)
    return 'Nothing waits in the memory elfmem for your judgement: no dream is needed now.'
  return [
    'Dream for your memory elfmem: judge what waits, then hand your judgement in with one call of elfmem_dream.',
    sayFence(nonce),
    `Who you are:\n${fence('identity', waiting.identity || '(nothing is known yet)', nonce)}`,
    ...(judged.length > 0 ? [blocksPart(judged, nonce)] : []),
    ...(pairs.length > 0 ? [pairsPart(pairs, nonce)] : []),
    [
      'Then call elfmem_dream once with host_analyses (an object of your judgements by block id) and edge_labels (a list with a, b, relation, confidence).',
      'Its answer says what was not used. If more waits, ask for this prompt again.',
    ].join(' '),
  ].join('\n\n')
}

function blocksPart(
  blocks: readonly { readonly id: string; readonly content: string }[],
  nonce: string,
): string {
  return [
    'For each text below give alignment_score (0 to 1: how strongly it says who you are; most facts are below 0.3),',
    `tags (which of ${MODEL_TAGS.slice(1).join(', ')} it clearly deserves; usually none)`,
    'and summary (one or two sentences with every name, number and constraint; or the text itself).',
    `Their ids: ${blocks.map(({ id }, i) => `${i + 1} is ${id}`).join(', ')}.`,
    fence(
      'memory',
      blocks.map(({ content }) => content),
      nonce,
    ),
  ].join('\n')
}

function pairsPart(pairs: NonNullable<Inbox['pairs']>, nonce: string): string {
  const one = (text: string) => text.replaceAll(/\s+/g, ' ')
  return [
    'For each pair below say how B relates to A: supports, elaborates, contradicts, supersedes (it says what holds now in the place of A) or unrelated, and your confidence (0 to 1).',
    `Their ids: ${pairs.map(({ older, newer }, i) => `${i + 1} is a ${older.id} and b ${newer.id}`).join(', ')}.`,
    fence(
      'memory',
      pairs.map(({ older, newer }) => `A: ${one(older.content)}\nB: ${one(newer.content)}`),
      nonce,
    ),
  ].join('\n')
}
