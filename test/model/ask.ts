import { type ChatModelOptions, createChatModel } from '../../src/adapters/remote/model.ts'
import type { LanguageModel, ModelRequest } from '../../src/engine/ports.ts'
import type { ElfmemError } from '../../src/errors.ts'

/** The key that must never be seen again; it looks like no provider's, so that only knowing it helps. */
export const KEY = 'very.secret.0123456789'

/** A question as dream asks it. */
export const QUESTION: ModelRequest = {
  system: 'Judge the blocks.',
  prompt: '<blocks>Tea is at four.</blocks>',
  schema: { type: 'object', properties: { kept: { type: 'boolean' } }, required: ['kept'] },
  schemaName: 'judgement',
  maxOutputTokens: 500,
}

/** A chat model that waits for nothing. */
export function chatModel(baseUrl: string, options: Partial<ChatModelOptions> = {}): LanguageModel {
  const wait = async () => undefined
  return createChatModel({ baseUrl, model: 'small', apiKey: KEY, temperature: 0, wait, ...options })
}

/** Returns the error of a question that must not be answered. */
export async function failureOf(model: LanguageModel, question = QUESTION): Promise<ElfmemError> {
  const answer = await model.ask(question).catch((error: ElfmemError) => error)
  if (!(answer instanceof Error)) throw new Error(`It answered: ${answer.text}`)
  return answer
}
