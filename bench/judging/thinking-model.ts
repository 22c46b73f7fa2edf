import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModel, ModelRequest } from '../../src/engine/ports.ts'

/** A model that answers after a while, with a plain judgement of everything it was asked about. */
export interface ThinkingModel extends LanguageModel {
  /** Questions so far. */
  readonly calls: number
}

/** @param milliseconds it thinks about each question */
export function thinkingModel(milliseconds: number): ThinkingModel {
  let calls = 0
  return {
    model: 'thinking',
    remote: false,
    get calls() {
      return calls
    },
    async ask(request) {
      calls++
      await sleep(milliseconds)
      return { text: JSON.stringify(answerTo(request)), usage: {} }
    },
  }
}

function answerTo({ prompt, schemaName }: ModelRequest): unknown {
  const asked = prompt.slice(prompt.lastIndexOf('<<memory '))
  const items = [...asked.matchAll(/^(\d+)\| /gm)].map(([, item]) => Number(item))
  if (schemaName === 'pair_labels')
    return { labels: items.map((pair) => ({ pair, relation: 'elaborates', confidence: 0.9 })) }
  return { blocks: items.map((item) => ({ item, alignment_score: 0.1, tags: [], summary: '' })) }
}
