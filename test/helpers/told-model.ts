import type { ModelRequest } from '../../src/engine/ports.ts'
import { type HandMadeModel, handMadeModel } from './hand-made-model.ts'
import { answerOf, type Opinion } from './judging-endpoint.ts'

export interface ToldModelOptions extends Opinion {
  /** Whether it pretends to be on another machine. */
  readonly remote?: boolean
  /** Instead of the answer made of the opinion; undefined leaves that one. */
  readonly answer?: (request: ModelRequest) => string | undefined
}

/** Judges blocks and labels pairs by an opinion, for 120 tokens a question. */
export function toldModel({ remote = false, answer, ...opinion }: ToldModelOptions = {}): HandMadeModel {
  return handMadeModel((request) => answer?.(request) ?? JSON.stringify(answerOf(chatOf(request), opinion)), {
    remote,
    usage: { inputTokens: 100, outputTokens: 20 },
  })
}

function chatOf({ system, prompt }: ModelRequest) {
  return {
    model: 'hand-made',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ],
  }
}
