import fc from 'fast-check'
import { operations } from '../../src/operations/table.ts'
import { wireOf } from '../../src/surfaces/wire.ts'
import { hostileText } from './hostile.ts'
import { spoilt } from './mutate.ts'
import { arbitraryOf } from './schema-arbitrary.ts'
import { frame } from './served.ts'

/** What a client writes: a request that has an answer, or whatever bytes. */
export type Written =
  | {
      readonly kind: 'request'
      readonly method: string
      readonly params?: unknown
      readonly numeric: boolean
    }
  | { readonly kind: 'bytes'; readonly text: readonly Run[]; readonly latin: boolean }

/** A text so many times, so that a report of ten megabytes is a short one. */
type Run = readonly [text: string, times: number]

const once = (text: string): readonly Run[] => [[text, 1]]
export const bytesOf = ({
  text,
  latin,
}: {
  readonly text: readonly Run[]
  readonly latin: boolean
}): Buffer => Buffer.from(text.map(([part, times]) => part.repeat(times)).join(''), latin ? 'latin1' : 'utf8')

/** Files and other models are tried where they can be looked at. */
const CALLED = operations.filter(
  ({ name }) => !['import', 'export', 'backup', 'restoreBackup'].includes(name),
)

const callOf = fc.oneof(
  ...CALLED.map((operation) => {
    const { name, inputSchema } = wireOf(operation)
    const input = arbitraryOf(inputSchema)
    return fc
      .oneof(input, spoilt(input).filter(isSayable))
      .map((given) => ({ name: `elfmem_${name}`, arguments: given }))
  }),
)

export const request: fc.Arbitrary<Written> = fc
  .oneof(
    { weight: 6, arbitrary: callOf.map((params) => ({ method: 'tools/call', params })) },
    {
      weight: 2,
      arbitrary: spoilt(callOf)
        .filter(isSayable)
        .map((params) => ({ method: 'tools/call', params })),
    },
    fc.constantFrom('tools/list', 'prompts/list', 'ping').map((method) => ({ method })),
    fc
      .oneof(
        fc.constantFrom('resources/list', '__proto__', 'tools/Call', 'shutdown', 'prompts/get'),
        hostileText,
      )
      .filter((method) => !method.startsWith('notifications/'))
      .map((method) => ({ method, params: {} })),
  )
  .chain((each) => fc.boolean().map((numeric) => ({ kind: 'request' as const, numeric, ...each })))

const message = fc.record({
  jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2),
  id: fc.oneof(fc.constantFrom(null, '', 1.5, -1, {}, [], true), hostileText),
  method: fc.oneof(
    fc.constantFrom('tools/call', 'notifications/cancelled', 'initialize', 'ping'),
    hostileText,
  ),
  params: fc.oneof(callOf, fc.jsonValue({ maxDepth: 3 })),
})

const half = frame({ jsonrpc: '2.0', id: 'half', method: 'ping' })
/** More than a message may have. */
const MEGABYTES = 12
const DEEP = [
  ['[', ']'],
  ['{"a":', '}'],
] as const

const strange: fc.Arbitrary<readonly Run[]> = fc.oneof(
  { weight: 4, arbitrary: spoilt(message).filter(isSayable).map(frame).map(once) },
  {
    weight: 2,
    arbitrary: fc.array(spoilt(message).filter(isSayable), { maxLength: 3 }).map(frame).map(once),
  },
  { weight: 2, arbitrary: hostileText.map((text) => once(`${text}\n`)) },
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => once(`${text}\n`)),
  fc.nat(half.length - 2).map((length) => once(`${half.slice(0, length)}\n`)),
  fc
    .constantFrom('\n', '\r\n', '\n\n\n', '\ufeff\n', '[]\n', '{}\n', 'null\n', '0\n', '"a"\n', '[[]]\n')
    .map(once),
  fc.constantFrom(...DEEP).map(([open]): readonly Run[] => [
    [open, 50_000],
    ['\n', 1],
  ]),
  fc.constantFrom(...DEEP).map(([open, shut]): readonly Run[] => [
    [open, 50_000],
    ['1', 1],
    [shut, 50_000],
    ['\n', 1],
  ]),
  fc.constantFrom(...DEEP).map(([open, shut]): readonly Run[] => [
    [CALL, 1],
    [open, 20_000],
    ['1', 1],
    [shut, 20_000],
    ['}}}\n', 1],
  ]),
  fc.constantFrom('a', ' ').map((filling): readonly Run[] => [
    [filling, MEGABYTES << 20],
    ['\n', 1],
  ]),
)
const CALL =
  '{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"elfmem_dream","arguments":{"host_analyses":'

export const bytes: fc.Arbitrary<Written> = strange.chain((text) =>
  fc.boolean().map((latin) => ({ kind: 'bytes' as const, text, latin })),
)

/** JSON has a form for it. */
function isSayable(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
