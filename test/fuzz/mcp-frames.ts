import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { expect } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { wireOf } from '../../src/surfaces/wire.ts'
import { quickFolder } from '../faults/prepared.ts'
import { HASHING } from '../surfaces/helpers/cli.ts'
import { tryFor } from './bound.ts'
import { hostileText } from './hostile.ts'
import { jsonOr, spoilt } from './mutate.ts'
import { arbitraryOf } from './schema-arbitrary.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')
/** A busy machine needs a part of this time for an answer. */
const TIMEOUT_MS = 40_000

/** A message as the server wrote it. */
type Said = Readonly<Partial<Record<'jsonrpc' | 'id' | 'method' | 'result' | 'error', unknown>>>

type Served = Awaited<ReturnType<typeof serve>>

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '0' } },
} as const

/** Starts a server over the memory at `path` in a process of its own, and shakes its hand. */
async function serve(home: string, path: string) {
  const child = spawn(process.execPath, [BIN, 'serve', '--quiet', '--tools', 'all', '--db', path], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING, ELFMEM_LIMITS_BURST_CALLS: '1000000' },
  })
  const lines: string[] = []
  let errors = ''
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(line))
  child.stderr.on('data', (chunk) => {
    errors += String(chunk)
  })
  // The end of the process tells that the server is gone.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const send = (bytes: string | Buffer) => void child.stdin.write(bytes)
  /** Resolves to the answers of these ids; rejects when the server ends before, or says nothing for too long. */
  const answers = async (ids: readonly unknown[]): Promise<Said[]> => {
    for (;;) {
      const said = lines.map((line) => JSON.parse(line) as Said)
      const found = said.filter(({ id, method }) => method === undefined && ids.includes(id))
      if (new Set(found.map(({ id }) => id)).size === ids.length) return found
      if (child.exitCode !== null) throw new Error(`the server ended before it answered: ${errors}`)
      await once(reader, 'line', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    }
  }
  send(frame(INITIALIZE))
  await answers([INITIALIZE.id])
  send(frame({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  return { child, lines, errors: () => errors, send, answers, ended }
}

/** Writes one message as a line. */
function frame(message: unknown): string {
  return `${JSON.stringify(message)}\n`
}

/** A client writes a request, which has an answer, or any bytes. */
type Written =
  | { readonly kind: 'request'; readonly method: string; readonly params?: unknown }
  | { readonly kind: 'bytes'; readonly bytes: string }

const isSayable = (value: unknown): boolean => jsonOr(value) !== ''

/** Operations on files and many names are tried where their effects can be looked at. */
const CALLED = operations.filter(
  ({ name }) => !['import', 'importFrom', 'export', 'backup', 'restoreBackup'].includes(name),
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

const request: fc.Arbitrary<Written> = fc
  .oneof(
    { weight: 6, arbitrary: callOf.map((params) => ({ method: 'tools/call', params })) },
    fc
      .constantFrom('tools/list', 'prompts/list', 'ping', 'shutdown', '__proto__')
      .map((method) => ({ method })),
    hostileText.filter((method) => !method.startsWith('notifications/')).map((method) => ({ method })),
  )
  .map((each) => ({ kind: 'request' as const, ...each }))

const message = fc.record({
  jsonrpc: fc.constantFrom('2.0', '1.0', 2),
  id: fc.oneof(fc.constantFrom(null, '', 1.5, -1, {}, [], true), hostileText),
  method: fc.oneof(fc.constantFrom('tools/call', 'notifications/cancelled', 'initialize'), hostileText),
  params: fc.oneof(callOf, fc.jsonValue({ maxDepth: 3 })),
})

/** This is more than one message may have. */
const MEGABYTES = 12
const DEEP = '{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"elfmem_dream","arguments":'

const bytes: fc.Arbitrary<Written> = fc
  .oneof(
    { weight: 4, arbitrary: spoilt(message).filter(isSayable).map(frame) },
    { weight: 2, arbitrary: fc.oneof(hostileText, fc.string({ unit: 'binary' })).map((text) => `${text}\n`) },
    fc.nat(40).map((length) => `${frame({ jsonrpc: '2.0', id: 'half', method: 'ping' }).slice(0, length)}\n`),
    fc.constantFrom('\n', '\r\n', '\ufeff\n', '[]\n', '{}\n', 'null\n', '0\n', '[[]]\n'),
    fc.constantFrom('[', '{"a":').map((open) => `${open.repeat(50_000)}\n`),
    fc.constant(`${DEEP}${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}}\n`),
    fc.constant('a').map((filling) => `${filling.repeat(MEGABYTES << 20)}\n`),
  )
  .map((text) => ({ kind: 'bytes' as const, bytes: text }))

/** Writes anything to a server. */
export async function tryMcpFrames(): Promise<void> {
  const home = quickFolder()
  let server: Served | undefined
  let cases = 0
  const written = fc.array(fc.oneof(request, bytes), { minLength: 1, maxLength: 8 })
  try {
    await tryFor(written, async (all) => {
      cases += 1
      server ??= await serve(home, join(home, `written-${cases}.db`))
      try {
        await expectAnswers(server, all, cases)
      } catch (error) {
        // The next case, which may be a smaller one, gets a server of its own.
        server.child.kill('SIGKILL')
        server = undefined
        throw error
      }
    })
    server?.child.stdin.end()
    expect(await server?.ended).toBe(0)
  } finally {
    server?.child.kill('SIGKILL')
  }
}

async function expectAnswers(server: Served, all: readonly Written[], run: number): Promise<void> {
  const before = server.lines.length
  const probe = `probe-${run}`
  const ids = [probe]
  for (const [at, each] of all.entries()) {
    if (each.kind === 'bytes') server.send(each.bytes)
    else {
      const { method, params } = each
      const id = `request-${run}-${at}`
      ids.push(id)
      server.send(frame({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }))
    }
  }
  server.send(frame({ jsonrpc: '2.0', id: probe, method: 'tools/list' }))
  const answers = await server.answers(ids)
  expect(answers.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(answers.find(({ id }) => id === probe)).toMatchObject({ result: { tools: expect.any(Array) } })
  const lines = server.lines.slice(before)
  for (const line of lines) expectWellSaid(JSON.parse(line) as Said)
  expect(`${lines.join('\n')}${server.errors()}`).not.toMatch(/\n\s+at |"stack"|\\n\s+at .*\.[jt]s:/)
}

/** The SDK of the protocol lists what is wrong with parameters that are none of its own, and calls it internal. */
const LIST_OF_ISSUES = /^\[\s*\{[\s\S]*"path": \[\s*"params"/

/** A refusal of the memory is a result and one of the protocol is an error; a fault of elfmem is neither. */
function expectWellSaid({ jsonrpc, method, result, error }: Said): void {
  expect(jsonrpc).toBe('2.0')
  if (error !== undefined) {
    const { code, message: said } = error as { readonly code: number; readonly message: string }
    if (!LIST_OF_ISSUES.test(said)) expect(code, said).not.toBe(-32_603)
  } else if (method === undefined && (result as { readonly isError?: boolean }).isError === true) {
    const { structuredContent: told } = result as {
      readonly structuredContent: Readonly<Record<string, string>>
    }
    expect(told).toMatchObject({ code: expect.any(String), recovery: expect.stringMatching(/\S/) })
    expect(['UNEXPECTED', 'STORE_FAILED'], JSON.stringify(told)).not.toContain(told.code)
  }
}
