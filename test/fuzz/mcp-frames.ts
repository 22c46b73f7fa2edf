import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { quickFolder } from '../faults/prepared.ts'
import { type Bound, slower, tryFor } from './bound.ts'
import { tryLeaving } from './mcp-leaving.ts'
import { frame, type Said, type Served, serveInitialised } from './served.ts'
import { bytes, bytesOf, request, type Written } from './written.ts'

/** Whatever a client writes: requests are answered once each, the rest harms nobody, and no client's end loses anything. */
export async function tryMcpFrames(bound: Bound): Promise<void> {
  const home = quickFolder()
  await tryWriting({ ...bound, seconds: bound.seconds / 2 }, home)
  await tryLeaving({ ...bound, seconds: bound.seconds / 2 }, home)
}

async function tryWriting(bound: Bound, home: string): Promise<void> {
  let server: Served | undefined
  let cases = 0
  const written = fc.array(fc.oneof({ weight: 2, arbitrary: request }, { weight: 3, arbitrary: bytes }), {
    minLength: 1,
    maxLength: 8,
  })
  try {
    await tryFor(slower(bound, 5), written, async (all) => {
      cases += 1
      server ??= await serveInitialised(home, join(home, `written-${cases}.db`))
      try {
        await expectAnswers(server, all, cases)
      } catch (error) {
        // The next case, a smaller one perhaps, is not to suffer from this one.
        server.child.kill('SIGKILL')
        server = undefined
        throw error
      }
    })
    server?.child.stdin?.end()
    if (server) expect(await server.ended).toBe(0)
  } finally {
    server?.child.kill('SIGKILL')
  }
}

async function expectAnswers(server: Served, all: readonly Written[], run: number): Promise<void> {
  const before = server.lines.length
  const ids: (string | number)[] = []
  for (const [at, each] of all.entries()) {
    if (each.kind === 'bytes') server.send(bytesOf(each))
    else {
      const id = each.numeric ? run * 1_000 + at : `request-${run}-${at}`
      ids.push(id)
      const { method, params } = each
      server.send(frame({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }))
    }
  }
  const probe = `probe-${run}`
  server.send(frame({ jsonrpc: '2.0', id: probe, method: 'tools/list' }))
  const answers = await server.answers([...ids, probe])
  expect(answers.map(({ id }) => id).sort()).toEqual([...ids, probe].sort())
  expect(answers.find(({ id }) => id === probe)).toMatchObject({ result: { tools: expect.any(Array) } })
  for (const line of server.lines.slice(before)) {
    const said = JSON.parse(line) as Said
    expect(said).toMatchObject({ jsonrpc: '2.0' })
    if (said.method === undefined) expectWellSaid(said)
  }
  expect(`${server.lines.slice(before).join('\n')}${server.errors()}`).not.toMatch(
    /\n\s+at |"stack"|\\n\s+at .*\.[jt]s:/,
  )
}

function isListOfIssues(message: string): boolean {
  return /^\[\s*\{[\s\S]*"path": \[\s*"params"/.test(message)
}

/** A refusal of the memory is a result, one of the protocol an error; a fault of elfmem is neither. */
function expectWellSaid({ result, error }: Said): void {
  if (error !== undefined) {
    expect(error).toMatchObject({ code: expect.any(Number), message: expect.any(String) })
    const { code, message } = error as { code: number; message: string }
    // Parameters that are none of the protocol's are judged by its SDK, which lists them and calls it internal.
    if (!isListOfIssues(message)) expect(code, message).not.toBe(-32_603)
    return
  }
  const { isError, structuredContent } = result as {
    isError?: boolean
    structuredContent?: { code?: string }
  }
  if (isError !== true) return
  expect(structuredContent).toMatchObject({
    code: expect.any(String),
    error: expect.any(String),
    recovery: expect.stringMatching(/\S/),
  })
  expect(['UNEXPECTED', 'STORE_FAILED'], JSON.stringify(structuredContent)).not.toContain(
    structuredContent?.code,
  )
}
