import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import type { CallContext } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import type { Operation } from '../../operations/operation.ts'
import { isListed, notListed } from '../../operations/tool-sets.ts'
import { namesNoPlace, refusePlaces } from '../dashboard/served.ts'
import { type Failure, failureOf } from '../failure.ts'
import { tokenRefusal } from '../mcp/token-refusal.ts'
import { inputJsonSchema } from '../wire.ts'
import { type Calls, principalOf } from './calls.ts'
import type { Holder } from './holders.ts'

let table: Promise<ReadonlyMap<string, Operation>> | undefined

/** Loads the operations that have a route: those of the library, but for what needs a path of the server's machine. */
function routed(): Promise<ReadonlyMap<string, Operation>> {
  table ??= loadAll()
  return table
}

async function loadAll(): Promise<ReadonlyMap<string, Operation>> {
  const [{ operations }, { settle }, { itemRecords }] = await Promise.all([
    import('../../operations/table.ts'),
    import('../../operations/recall/settle.ts'),
    import('../../operations/items/records.ts'),
  ])
  const all = [...operations, settle, ...Object.values(itemRecords)] as unknown as readonly Operation[]
  return new Map(all.filter(namesNoPlace).map((each) => [each.name, each]))
}

/** A call over the wire. */
interface RestCall {
  readonly name: string
  readonly input: unknown
  /** The key by which a write that is sent once more is done once. */
  readonly once: string | undefined
  readonly signal: AbortSignal
  /** Takes the lines of an export, whose path is `-` then. */
  readonly write?: (text: string) => unknown
}

/** Calls an operation as the library does, for the holder of a token; rejects with its error. */
export async function callRoute(calls: Calls, holder: Holder, asked: RestCall): Promise<unknown> {
  const { name, input, once, signal, write } = asked
  const operation = (await routed()).get(name)
  if (operation === undefined || !isListed(operation, holder.tools)) {
    calls.count(holder)
    throw operation === undefined ? noRoute(name) : notListed(name, holder.tools, operation)
  }
  if (write === undefined) refusePlaces(operation, input)
  const context: CallContext = {
    ...{
      principal: await principalOf('http', holder),
      rate: calls.rateOf(holder),
      signal,
      tools: holder.tools,
    },
    ...(write && { pipe: { read: async () => '', write } }),
    ...(once === undefined || operation.effect === 'read' ? {} : { once }),
  }
  return calls.call(holder, operation, input, context)
}

function noRoute(name: string): ElfmemError {
  return new ElfmemError('NOT_FOUND', `There is no operation "${name}" here.`, {
    recovery:
      'GET /v1/openapi.json names those that are; what needs a path of the machine is a command there.',
  })
}

/** The statuses of failures; another one of the store or of a model may pass, and any other is the caller's. */
const STATUSES: Readonly<Record<string, ContentfulStatusCode>> = {
  ...{ NOT_FOUND: 404, LIMIT_EXCEEDED: 413, RATE_LIMITED: 429, UNEXPECTED: 500, CLOSED: 503, CANCELLED: 503 },
  ...{ OUT_OF_SCOPE: 403, OWNER_ONLY: 403, TOOL_NOT_LISTED: 403, PROTECTED: 403 },
  ...{ CONFLICT: 409, WRONG_STATUS: 409, AMBIGUOUS_ID: 409, EDGE_EXISTS: 409, RELATION_CONFLICT: 409 },
}

/** A failure as it goes over the wire. */
export interface ToldFailure {
  readonly status: ContentfulStatusCode
  readonly body: Failure
  readonly headers: Readonly<Record<string, string>>
}

/** Returns a failure for the holder of a token. */
export function toldFailure(cause: unknown, holder: Holder): ToldFailure {
  const body = failureOf(tokenRefusal(cause, holder))
  const isDone = body.details?.outcome === 'done'
  const passing = /^(?:STORE_|CONFIG_)|_FAILED$/.test(body.code) ? 503 : 400
  const status = isDone ? 409 : (STATUSES[body.code] ?? passing)
  const seconds = Math.ceil(Number(body.details?.retryAfterSeconds ?? 1))
  return { status, body, headers: status === 429 || status === 503 ? { 'retry-after': String(seconds) } : {} }
}

const FAILED = { $ref: '#/components/responses/Failed' }
const KEY = {
  ...{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 128 } },
  description: 'A write that is sent once more with the same key is done once.',
}

/** Describes the routes of operations as OpenAPI 3.1. */
export async function openApi(version: string): Promise<object> {
  const operations = [...(await routed()).values()]
  const json = (schema: object) => ({ content: { 'application/json': { schema } } })
  const paths = operations.map((operation) => {
    const { $schema: _, ...output } = z.toJSONSchema(operation.output, {
      io: 'output',
      unrepresentable: 'any',
    })
    const post = {
      ...{ operationId: operation.name, summary: operation.summary },
      ...(operation.effect === 'read' ? {} : { parameters: [KEY] }),
      requestBody: { required: true, ...json(withoutPlaces(operation)) },
      responses: { 200: { description: 'It is done.', ...json(output) }, default: FAILED },
    }
    return [`/v1/${operation.name}`, { post }] as const
  })
  const failure = {
    type: 'object',
    required: ['code', 'error', 'recovery'],
    properties: {
      ...{ code: { type: 'string' }, error: { type: 'string' }, recovery: { type: 'string' } },
      details: { type: 'object' },
    },
  }
  return {
    openapi: '3.1.0',
    info: { title: 'elfmem', version },
    security: [{ token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: { Failed: { description: 'It was refused, or failed.', ...json(failure) } },
    },
  }
}

/** The schema of an input without the paths of the machine, which no route takes. */
function withoutPlaces(operation: Operation): object {
  const { properties = {}, ...schema } = inputJsonSchema(operation)
  const kept = Object.entries(properties).filter(([name]) => !Object.hasOwn(operation.local ?? {}, name))
  return { ...schema, properties: Object.fromEntries(kept), additionalProperties: false }
}
