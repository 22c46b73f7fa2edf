import * as seven from 'ai'
import * as sevenTest from 'ai/test'
import * as six from 'ai-6'
import * as sixTest from 'ai-6/test'

/** One step that a scripted model answers with. */
export type Step =
  | { readonly say: string }
  | { readonly call: string; readonly input: unknown; readonly say?: string }

/** A message of a prompt as a model gets it. */
export interface Sent {
  readonly role: string
  readonly content: string | readonly Readonly<Record<string, unknown>>[]
}

/** A model that answers by a script. */
export interface Scripted {
  readonly model: object
  /** The prompts of all calls so far. */
  readonly prompts: () => Sent[][]
  /** The tools that it was offered in its first call. */
  readonly tools: () => readonly Readonly<Record<string, unknown>>[]
}

/** What a run of either version returns. */
interface Ran {
  readonly text: string
  readonly steps: readonly { readonly content: readonly Readonly<Record<string, unknown>>[] }[]
  /** What a program adds to the conversation. */
  readonly messages: readonly object[]
}

/** One version of the AI SDK, as these tests use it. */
export interface Sdk {
  readonly name: string
  readonly scripted: (...steps: readonly Step[]) => Scripted
  readonly wrapped: (model: object, middleware: object) => object
  readonly generate: (options: object, steps?: number) => Promise<Ran>
  readonly stream: (options: object, steps?: number) => Promise<Ran>
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

let calls = 0

function contentOf(step: Step): Readonly<Record<string, unknown>>[] {
  const said = step.say === undefined ? [] : [{ type: 'text', text: step.say }]
  if (!('call' in step)) return said
  calls += 1
  const call = {
    ...{ type: 'tool-call', toolCallId: `call-${calls}`, toolName: step.call },
    input: JSON.stringify(step.input),
  }
  return [...said, call]
}

const reasonOf = (step: Step) => ({ unified: 'call' in step ? 'tool-calls' : 'stop', raw: undefined })

function generatedOf(step: Step): object {
  return { content: contentOf(step), finishReason: reasonOf(step), usage: USAGE, warnings: [] }
}

function streamedOf(step: Step): object {
  const parts = contentOf(step).flatMap((part) => {
    if (part.type !== 'text') return [part]
    const [text, half] = [String(part.text), Math.ceil(String(part.text).length / 2)]
    return [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: text.slice(0, half) },
      { type: 'text-delta', id: '1', delta: text.slice(half) },
      { type: 'text-end', id: '1' },
    ]
  })
  const chunks = [
    { type: 'stream-start', warnings: [] },
    ...parts,
    { type: 'finish', finishReason: reasonOf(step), usage: USAGE },
  ]
  const stream = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return { stream }
}

type Call = (options: object) => never
interface Module {
  readonly generateText: Call
  readonly streamText: Call
  readonly wrapLanguageModel: Call
  readonly stepCountIs: (steps: number) => unknown
}
type Mock = new (
  script: object,
) => object & Readonly<Record<'doGenerateCalls' | 'doStreamCalls', readonly SentCall[]>>
interface SentCall {
  readonly prompt: Sent[]
  readonly tools?: readonly Readonly<Record<string, unknown>>[]
}

/** The response of a version: the newer one has the messages of all steps at another place. */
interface Result {
  readonly text: PromiseLike<string> | string
  readonly steps: PromiseLike<Ran['steps']> | Ran['steps']
  readonly responseMessages?: PromiseLike<object[]> | object[]
  readonly response: PromiseLike<{ messages: object[] }> | { readonly messages: object[] }
}

function sdkOf(name: string, module: Module, Mock: Mock): Sdk {
  const ranOf = async (result: Result): Promise<Ran> => {
    const [text, steps, response] = await Promise.all([result.text, result.steps, result.response])
    return { text, steps, messages: (await result.responseMessages) ?? response.messages }
  }
  const within = (options: object, steps: number) => ({ ...options, stopWhen: module.stepCountIs(steps) })
  return {
    name,
    scripted: (...steps) => {
      let at = 0
      const next = (): Step => {
        const step = steps[at++]
        if (step === undefined) throw new Error(`the script has only ${steps.length} steps`)
        return step
      }
      const model = new Mock({
        doGenerate: async () => generatedOf(next()),
        doStream: async () => streamedOf(next()),
      })
      const sent = () => [...model.doGenerateCalls, ...model.doStreamCalls]
      return {
        model,
        prompts: () => sent().map(({ prompt }) => prompt),
        tools: () => sent()[0]?.tools ?? [],
      }
    },
    wrapped: (model, middleware) => module.wrapLanguageModel({ model, middleware }),
    generate: async (options, steps = 6) => ranOf(await module.generateText(within(options, steps))),
    stream: async (options, steps = 6) => {
      const result = module.streamText(within(options, steps)) as Result &
        Record<'consumeStream', () => Promise<void>>
      await result.consumeStream()
      return ranOf(result)
    },
  }
}

/** The versions that the adapter is for. */
export const SDKS: readonly Sdk[] = [
  sdkOf('ai 7', seven as unknown as Module, sevenTest.MockLanguageModelV4 as unknown as Mock),
  sdkOf('ai 6', six as unknown as Module, sixTest.MockLanguageModelV3 as unknown as Mock),
]
