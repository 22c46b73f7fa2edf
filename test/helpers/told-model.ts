import type { LanguageModel, ModelRequest } from '../../src/ports/language-model.ts'
import { answerOf, type Opinion } from './judging-endpoint.ts'

/** A language model in this process that answers as it is told, and what it was asked. */
export interface ToldModel extends LanguageModel {
  readonly asked: readonly ModelRequest[]
}

export interface ToldModelOptions extends Opinion {
  /** Whether it pretends to be on another machine. */
  readonly remote?: boolean
  /** Instead of the answer made of the opinion; undefined leaves that one. */
  readonly answer?: (request: ModelRequest, call: number) => string | undefined
}

/** Tokens every call of it uses. */
const TOLD_TOKENS = { inputTokens: 100, outputTokens: 20 }

/** Judges blocks and labels pairs by an opinion. */
export function toldModel({ remote = false, answer, ...opinion }: ToldModelOptions = {}): ToldModel {
  const asked: ModelRequest[] = []
  return {
    model: 'told',
    remote,
    asked,
    async ask(request) {
      const call = asked.push(request)
      const text = answer?.(request, call) ?? JSON.stringify(answerOf(chatOf(request), opinion))
      return { text, usage: TOLD_TOKENS }
    },
  }
}

function chatOf({ system, prompt }: ModelRequest) {
  return {
    model: 'told',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ],
  }
}
