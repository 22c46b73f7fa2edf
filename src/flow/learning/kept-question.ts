import { isStorable } from '../../domain/text/text.ts'
import type { AskedQuestion } from '../../ports/store/evidence.ts'
import { packUnit } from '../../search/index/quantise.ts'
import type { Engine } from '../engine/engine.ts'
import { guardSecrets } from '../guard/guard-secrets.ts'

/** More of a question is not kept: it would be a text, not a question. In signs. */
const KEPT_SIGNS = 1_000

/** The words of a question without secrets, as they may be kept; undefined where none are. A question is never refused. */
export async function keptWords({ settings }: Engine, question: string): Promise<string | undefined> {
  const { learning, memory } = settings
  if (!learning.keepQuestions || question.length > KEPT_SIGNS || !isStorable(question)) return undefined
  const { input } = await guardSecrets({ text: question }, memory.secrets === 'keep' ? 'keep' : 'redact')
  return input.text
}

/** A question as it may be kept. */
export function keptQuestion(words: string | undefined, vector: Float32Array | undefined): AskedQuestion {
  return {
    ...(words === undefined ? {} : { text: words }),
    ...(vector === undefined ? {} : { vector: packUnit(vector) }),
  }
}
