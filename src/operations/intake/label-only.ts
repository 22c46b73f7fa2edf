import type { CallContext, Engine } from '../../flow/engine/engine.ts'
import { isLabelOnly } from '../../flow/guard/claimed-class.ts'

/** Says of texts whose source means the owner that it only labels them, because another calls; empty when none does. */
export function labelSentence(
  engine: Engine,
  context: CallContext,
  texts: readonly Parameters<typeof isLabelOnly>[2][],
): string {
  const labelled = texts.filter((text) => isLabelOnly(engine, context, text)).length
  if (labelled === 0) return ''
  const which =
    texts.length === 1 ? 'The source means the owner and' : `Of ${labelled} the source means the owner and`
  return `${which} is kept as a label: you call as an agent, so the words count as the agent's.`
}
