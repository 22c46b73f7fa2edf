import type { LanguageModel, ModelRequest, ModelUsage } from '../../src/engine/ports.ts'

/** A model that says what it is told to, or fails so, and remembers what it was asked. */
export interface HandMadeModel extends LanguageModel {
  readonly asked: ModelRequest[]
}

/** 10 tokens in and 5 out a question, unless it uses others. */
export function handMadeModel(
  answer: (request: ModelRequest) => string | Error,
  {
    remote = false,
    usage = { inputTokens: 10, outputTokens: 5 },
  }: { readonly remote?: boolean; readonly usage?: ModelUsage } = {},
): HandMadeModel {
  const asked: ModelRequest[] = []
  return {
    model: 'hand-made',
    remote,
    asked,
    ask: async (request) => {
      asked.push(request)
      const said = answer(request)
      if (said instanceof Error) throw said
      return { text: said, usage }
    },
  }
}
