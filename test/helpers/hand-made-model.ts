import type { LanguageModel, ModelRequest } from '../../src/ports/language-model.ts'

/** A model that says what it is told to, or fails so, and remembers what it was asked. */
export interface HandMadeModel extends LanguageModel {
  readonly asked: ModelRequest[]
}

/** 10 tokens in and 5 out a question. */
export function handMadeModel(
  answer: (request: ModelRequest) => string | Error,
  { remote = false }: { readonly remote?: boolean } = {},
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
      return { text: said, usage: { inputTokens: 10, outputTokens: 5 } }
    },
  }
}
