import { randomBytes } from 'node:crypto'
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** A question to the client: what it is asked, and what the tool says of the answers. */
type Asked = NonNullable<InputRequiredResult['inputRequests']>[string]
type Answered = CallToolResult['content'] | InputRequiredResult
type Given = Readonly<Record<string, unknown>>

const text = (said: string): CallToolResult['content'] => [{ type: 'text', text: said }]

type Properties = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']
/** Asks a person for fields, of which those named are needed. */
const form = (message: string, properties: object, ...required: readonly string[]): Asked =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: [...required] } as unknown as Properties,
  })
const ask = (prompt: string, maxTokens = 100): Asked =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  })
const folders = inputRequired.listRoots()
const name = form('What is your name?', { name: { type: 'string' } }, 'name')

/** True if every question has an answer of its kind. */
const isAnswered = ({ mcpReq }: ServerContext, questions: Readonly<Record<string, Asked>>) =>
  Object.keys(questions).every((key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing')

const answersIn = ({ mcpReq }: ServerContext, questions: Readonly<Record<string, Asked>>) =>
  JSON.stringify(Object.keys(questions).map((key) => inputResponse(mcpReq.inputResponses, key)))

/** Asks until all is answered, then says what the answers are. */
const asking =
  (questions: Readonly<Record<string, Asked>>) =>
  async (context: ServerContext): Promise<Answered> =>
    isAnswered(context, questions)
      ? text(`The client answered: ${answersIn(context, questions)}`)
      : inputRequired({ inputRequests: questions })

const states = createRequestStateCodec<{ readonly round: number }>({ key: randomBytes(32) })

/** The round that a client is in, by the state it sent back; a state that is not ours is refused. */
async function roundOf(context: ServerContext): Promise<number> {
  const state = context.mcpReq.requestState<string>()
  if (state === undefined) return 0
  try {
    return (await states.verify(state, context)).round
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This state was not made here.')
  }
}

/** Asks one round of questions after the other, each with a signed state. */
const rounds =
  (said: string, ...all: readonly Readonly<Record<string, Asked>>[]) =>
  async (context: ServerContext): Promise<Answered> => {
    const round = await roundOf(context)
    const before = all[round - 1]
    const next = before !== undefined && !isAnswered(context, before) ? round - 1 : round
    const questions = all[next]
    if (questions === undefined) return text(said)
    return inputRequired({
      inputRequests: questions,
      requestState: await states.mint({ round: next + 1 }),
    })
  }

const confirm = { confirm: form('Please confirm', { ok: { type: 'boolean' } }, 'ok') }

/** Asks only what the client says it can answer. */
async function withinCapabilities(context: ServerContext): Promise<Answered> {
  const { envelope } = context.mcpReq
  const can = Object((envelope as Given | undefined)?.[CLIENT_CAPABILITIES_META_KEY]) as Given
  const questions = {
    ...(can.sampling !== undefined && { greeting: ask('Generate a greeting') }),
    ...(can.elicitation !== undefined && { user_name: name }),
  }
  return asking(questions)(context)
}

const of = (...values: readonly string[]) => ({ type: 'string', enum: values })
const titled = (...titles: readonly string[]) =>
  titles.map((title, at) => ({ const: `value${at + 1}`, title }))

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { ...of('active', 'inactive', 'pending'), default: 'active' },
  verified: { type: 'boolean', default: true },
}
const CHOICES = {
  untitledSingle: of('option1', 'option2', 'option3'),
  titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
  legacyEnum: { ...of('opt1', 'opt2', 'opt3'), enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: of('option1', 'option2', 'option3') },
  titledMulti: { type: 'array', items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') } },
}
const PERSON = { username: { type: 'string' }, email: { type: 'string' } }

/** The tools of the suite that ask their client something, by name. A client of 2025 is sent the same questions as requests. */
export const QUESTIONS: Readonly<
  Record<string, (context: ServerContext, given: Given) => Promise<Answered>>
> = {
  test_sampling: (context, { prompt }) => asking({ prompt: ask(String(prompt)) })(context),
  test_elicitation: (context, { message }) =>
    asking({ person: form(String(message), PERSON, 'username', 'email') })(context),
  test_elicitation_sep1034_defaults: asking({ person: form('Is this right?', DEFAULTS) }),
  test_elicitation_sep1330_enums: asking({ choices: form('Choose.', CHOICES) }),
  test_input_required_result_elicitation: asking({ user_name: name }),
  test_input_required_result_sampling: asking({
    capital_question: ask('What is the capital of France?'),
  }),
  test_input_required_result_list_roots: asking({ client_roots: folders }),
  test_input_required_result_request_state: rounds('state-ok', confirm),
  test_input_required_result_tampered_state: rounds('state-ok', confirm),
  test_input_required_result_multiple_inputs: rounds('All is answered.', {
    user_name: name,
    greeting: ask('Generate a greeting', 50),
    client_roots: folders,
  }),
  test_input_required_result_multi_round: rounds(
    'Both are answered.',
    { step1: form('Step 1: What is your name?', { name: { type: 'string' } }, 'name') },
    { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }, 'color') },
  ),
  test_input_required_result_capabilities: withinCapabilities,
}

/** The name of the prompt that asks its client something. */
export const ASKING_PROMPT = 'test_input_required_result_prompt'

/** Returns it once its question is answered; the question before. */
export function askingPrompt({ mcpReq }: ServerContext) {
  const answer = acceptedContent(mcpReq.inputResponses, 'user_context')
  const question = form('What context should the prompt use?', { context: { type: 'string' } }, 'context')
  if (answer === undefined) return inputRequired({ inputRequests: { user_context: question } })
  const content = { type: 'text' as const, text: `In this context: ${String(answer.context)}` }
  return { messages: [{ role: 'user' as const, content }] }
}
