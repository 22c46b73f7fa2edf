import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallToolResult,
  type GetPromptResult,
  MissingRequiredClientCapabilityError,
  type Prompt,
  type Resource,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import { ASKING_PROMPT, QUESTIONS } from './questions.ts'

/** A picture of one red point. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** A sound without a sample. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const text = (said: string) => ({ type: 'text' as const, text: said })
const resource = (uri: string, mimeType: string, said: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: said },
})

type Call = (
  context: ServerContext,
  given: Readonly<Record<string, unknown>>,
) => Promise<CallToolResult['content']>

/** The tools that the suite calls, by name. */
export const CALLS: Readonly<Record<string, Call>> = {
  test_simple_text: async () => [text('This is a simple text response for testing.')],
  test_image_content: async () => [image],
  test_audio_content: async () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: async () => [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: async () => [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  test_error_handling: async () => {
    throw new Error('This tool intentionally returns an error for testing')
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      await sleep(50)
    }
    return [text('Three steps were reported.')]
  },
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', said)
      await sleep(50)
    }
    return [text('Three lines were logged.')]
  },
  // The client asks for the answer on another connection.
  test_reconnection: async ({ http }) => {
    http?.closeSSE?.()
    await sleep(100)
    return [text('The stream was cut and taken up again.')]
  },
  // What needs something of the client that it does not offer is refused before it begins.
  test_missing_capability: async () => {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  json_schema_2020_12_tool: async () => [text('ok')],
}

const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** The same as they are listed. */
export const TOOLS: readonly Tool[] = [...Object.keys(CALLS), ...Object.keys(QUESTIONS)].map((name) => ({
  name,
  description: 'A tool of the conformance suite.',
  inputSchema: name.startsWith('json_schema') ? JSON_SCHEMA : { type: 'object', properties: {} },
}))

/** The resources that the suite reads. */
export const RESOURCES: readonly Resource[] = ['static-text', 'static-binary'].map((name) => ({
  uri: `test://${name}`,
  name,
  description: 'A resource of the conformance suite.',
}))

/** Returns the content of one of them; undefined for another URI. */
export function contentOf(uri: string) {
  if (uri === 'test://static-text')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG }
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return id === undefined ? undefined : { uri, mimeType: 'application/json', text: JSON.stringify(data) }
}

/** The prompts that the suite asks for. */
export const PROMPTS: readonly Prompt[] = [
  { name: 'test_simple_prompt', description: 'A prompt without arguments.' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two.',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, description: 'Any text', required: true })),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource.',
    arguments: [{ name: 'resourceUri', description: 'Of the resource', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with a picture.' },
  { name: ASKING_PROMPT, description: 'A prompt that asks for something first.' },
]

/** Returns one of them; undefined for another name. */
export function promptOf(name: string, given: Readonly<Record<string, string>>): GetPromptResult | undefined {
  const user = (content: GetPromptResult['messages'][number]['content']) => ({
    role: 'user' as const,
    content,
  })
  switch (name) {
    case 'test_simple_prompt':
      return { messages: [user(text('This is a simple prompt for testing.'))] }
    case 'test_prompt_with_arguments':
      return { messages: [user(text(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`))] }
    case 'test_prompt_with_embedded_resource': {
      const embedded = resource(
        given.resourceUri ?? '',
        'text/plain',
        'Embedded resource content for testing.',
      )
      return { messages: [user(embedded), user(text('Please process the embedded resource above.'))] }
    }
    case 'test_prompt_with_image':
      return { messages: [user(image), user(text('Please analyze the image above.'))] }
    default:
      return undefined
  }
}
